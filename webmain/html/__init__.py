"""A page's markup, read once: decoding, bounds for the parser, the tree and its one walk, blocks, source lines."""
