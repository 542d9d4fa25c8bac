"""What is asked about schemata and charts: results, comparison, explanation, verification."""
