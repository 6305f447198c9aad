"""Features of blocks, evidence over a site, labels and folds, for the methods that learn.

For `learned`: columns of numbers (`page_blocks`, `*_columns`, `cues`, `vocabulary`) and sums of trees (`trees`, `tree_bits`).
For pages of a site: `site_paths`, `site_evidence` (`learned`), `site_tree` (`lbda`), `site_blocks` (`svm`).
For `svm`: `block_features`, `clusters`, `labels` and their evidence, `linear`, `support_vectors`.
"""
