"""Tag clouds: count the words of articles, compare them with others, and draw the result as HTML, SVG and PNG."""
