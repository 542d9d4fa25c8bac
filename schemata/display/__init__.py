"""Pictures and tables: trees and linkages as text and SVG, and what is known of the terminal."""
