"""One page: decoding, the tree and its one walk, blocks, source lines, metadata, links."""
