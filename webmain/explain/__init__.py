"""Why a page gave what it gave: every block with its verdict, as records, as an overlay on the page, as one HTML file."""
