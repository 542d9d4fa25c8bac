"""What the shipped schemata derive, on record: a rebuilt engine must derive the same."""
