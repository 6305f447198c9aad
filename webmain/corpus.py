"""Former package; replaced by `webmain.store`, `webmain.archive` and `webmain.article`."""

raise ImportError(
    "webmain.corpus is gone: stores and search are in webmain.store, WARC in webmain.archive, "
    "word frequencies in webmain.article.words"
)
