"""The Link Grammar schemata as a whole: dictionary, pruning, chart and linkages, against link-parser."""
