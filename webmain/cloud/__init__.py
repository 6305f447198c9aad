"""Tag clouds: words counted over articles, what is typical of some against others, drawn as table, HTML, SVG and PNG."""
