"""Pictures and tables: trees, linkages, proofs and figures as text and SVG, fitted to the terminal."""
