"""Rules of "Web Content Extraction using Machine Learning" (per-site SVM) that no other test of its holds."""

import numpy as np

from webmain.features.block_features import discrete_names, log_lengths
from webmain.features.clusters import cluster
from webmain.features.site_blocks import SiteBlocks


def test_discrete_features_differ_in_number_from_block_to_block():  # module 1
    shallow = list(discrete_names(("tag_path", "selector"), "html/body/p", "html/body/p"))
    deep = list(discrete_names(("tag_path", "selector"), "html/body/div/div/p", "html/body/div.a/div.b.c/p"))
    assert len(deep) > len(shallow) > 0


def test_clusters_may_have_any_shape():  # module 2: "not necessarily well-shaped (i.e. spherical)"
    chain = tuple("x" * round(2 ** (3 + k / 4)) for k in range(30))  # each near the next one, the ends far apart
    n = len(chain)
    blocks = SiteBlocks(
        page=np.arange(n, dtype=np.int32), texts=chain, tag_paths=("html/body/p",) * n, selectors=("html/body/p",) * n,
        descriptions=((),) * n, sites=("paper.example",) * n,
    )  # fmt: skip
    step = 1.01 / (12 * 4) / np.sqrt(2 * np.var(log_lengths(chain)))
    assert set(cluster(blocks, sets=("length",), eps=2 * step, min_samples=2).tolist()) == {0}
    assert len(set(cluster(blocks, sets=("length",), eps=0.9 * step, min_samples=1).tolist())) > 1
