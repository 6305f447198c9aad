"""Settings for a crawl of the made-up web: webmain's own, without the network and without waiting."""

from webmain.settings import *  # noqa: F403

DOWNLOAD_HANDLERS = {
    "http": "demo.handler.DemoDownloadHandler",
    "https": "demo.handler.DemoDownloadHandler",
}
AUTOTHROTTLE_ENABLED = False
DOWNLOAD_DELAY = 0
HTTPCACHE_ENABLED = False
RETRY_ENABLED = True
RETRY_TIMES = 2
