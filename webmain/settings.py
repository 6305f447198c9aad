"""Scrapy's settings for webmain's crawls: polite, bounded, nothing that listens.

Settings of webmain's own begin with WEBMAIN_; each can be given with `-s NAME=VALUE`.
"""

from __future__ import annotations

BOT_NAME = "webmain"
SPIDER_MODULES = ["webmain.spiders"]
NEWSPIDER_MODULE = "webmain.spiders"
COMMANDS_MODULE = "webmain.commands"
ADDONS = {"webmain.addons.Webmain": 0}

# ---- What a crawl gives

WEBMAIN_EXTRACTOR = None
"""Name or import path of the extractor, for spiders without one of their own; None is the best one."""

WEBMAIN_KEEP = ""
"""What beside running text is kept: names of `webmain.Keep`, separated by commas ("links,images,no-tables")."""

WEBMAIN_REQUIRE = ""
"""The kind of page that is wanted, "article" for one: any other is rejected (`webmain.items.PAGE_TYPES`). "any": all kinds.
"": all, except that `news` rejects pages that are certainly no article."""

WEBMAIN_STORE = "jsonl:output/articles.jsonl"
"""Where articles go: `jsonl:PATH`, `sqlite:PATH`, several separated by commas."""

WEBMAIN_LEDGER = None
"""The file that remembers addresses over runs; None puts it beside the first store (PATH.ledger), "" keeps it in memory."""

WEBMAIN_MAX_BYTES = 10 * 1024 * 1024
"""Largest page that is read, in bytes after decompression."""

WEBMAIN_PAGE_TIMEOUT_S = 10.0
"""Seconds of CPU time after which a page is given up; 0 for no limit."""

WEBMAIN_WORKERS = None
"""Processes in which pages are read and judged, and which can be killed; "auto" is one for each core; None is "auto" for the
spider `archive`, else 1. 0 does it in the crawl's own process, which a page can then keep from going on."""

WEBMAIN_TOP_WORDS = 50
"""Words kept for an article's tag cloud."""

WEBMAIN_STOPWORDS = ""
"""A file of stop words of your own."""

WEBMAIN_REVIEW_BELOW = 0.0
"""Articles with a confidence (0 to 1) below this are listed in a file beside the first store (PATH.review); 0 for none."""

WEBMAIN_REVIEW_KEEP_OUT = False
"""Those articles go to a store of their own (jsonl:PATH.kept_out) and not to the others."""

WEBMAIN_SITES = ""
"""A file of rules for single sites (`sites.toml`, docs/sites.md)."""

# ---- Sites that are learned

WEBMAIN_LEARN = True
"""Learn sites, where the extractor is one that learns; else each page is judged by itself, and models are left alone."""

WEBMAIN_MODELS = "models/sites"
WEBMAIN_CORRECTIONS = "output/corrections.jsonl"
"""The folder of the models, one file for each site and method."""

WEBMAIN_LEARN_PAGES = None
"""Pages of a site that are waited for before it is learned; None is 20, or more where the extractor wants more; fewer where
fewer articles are asked for (max_articles)."""

WEBMAIN_LEARN_HOLD_S = 300.0
"""Seconds for which a page waits at most; then its site is learned from what there is. 0 for no limit."""

WEBMAIN_LEARN_MAX_HELD = 10_000
"""Pages that wait at most, of all sites together."""

# ---- What a crawl tells

WEBMAIN_PROGRESS_S = 10.0
"""Seconds between two lines of progress; 0 for none."""

WEBMAIN_SUMMARY = True
"""Print a summary at the end; "new" prints it only where an article is new or changed, or something went wrong."""

WEBMAIN_STATS_DIR = ""
"""A folder for the figures as NAME.json and as a Prometheus textfile NAME.prom, kept up to date."""

WEBMAIN_STATS_NAME = ""
"""NAME of those files; the spider's by default."""

LOG_LEVEL = "INFO"
LOG_DATEFORMAT = "%Y-%m-%d %H:%M:%S%z"
STATS_DUMP = False  # the summary is for people, WEBMAIN_STATS_DIR for machines
FEED_EXPORT_ENCODING = "utf-8"
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False

# ---- Manners

WEBMAIN_CONTACT = ""
"""Where a site's people can reach you (a URL or a mail address); it becomes part of the user agent."""

ROBOTSTXT_OBEY = True
ROBOTSTXT_USER_AGENT = "webmain"
WEBMAIN_ROBOTS_UNREACHABLE = "deny"
"""What a robots.txt that answers 429 or 5xx, or not at all, means: "deny" (the site is left for the next run), "allow"."""

WEBMAIN_ROBOTS_RETRY_S = 600.0
"""Seconds after which such a robots.txt is asked for again."""

WEBMAIN_MAX_CRAWL_DELAY = 60.0
"""Longest Crawl-delay that is kept, in seconds; longer ones are cut to this."""

WEBMAIN_MAX_RETRY_AFTER = 120.0
"""Longest Retry-After that a site is waited for, in seconds; asked for longer, the page is left for the next run."""

WEBMAIN_BACK_OFF = True
"""Leave hosts alone that refuse nearly everything, or ask to wait for longer than that, until their time is over; the ledger
keeps it for later runs. False asks them at once."""

WEBMAIN_RESPECT = ""
"""What is obeyed beside robots.txt: "optouts" rejects pages that say they are not to be reused (noindex, reserved text and
data mining, opt-outs from machine learning); that is recorded always."""

WEBMAIN_ARCHIVE_PIECE = 8 * 1024 * 1024
"""Bytes of an archive that its host is asked for at once; two such pieces are in memory."""

WEBMAIN_ARCHIVE_BACK_OFF_S = 2.0
"""Seconds after which a host of archives is asked again once it has failed, doubled with each failure in a row."""

CONCURRENT_ITEMS = 4  # for each response, which gives one item or a few; Scrapy starts so many tasks each time
DOWNLOAD_DELAY = 1.0
CONCURRENT_REQUESTS = 32  # more where `news` crawls many sites (webmain/spiders/fairness.py)
CONCURRENT_REQUESTS_PER_DOMAIN = 2
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 1.0
AUTOTHROTTLE_MAX_DELAY = 60.0
AUTOTHROTTLE_TARGET_CONCURRENCY = 1.0
COOKIES_ENABLED = False
DEFAULT_REQUEST_HEADERS = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}

# ---- Bounds

DOWNLOAD_TIMEOUT = 30
DOWNLOAD_MAXSIZE = 16 * 1024 * 1024  # bounds decompression too
DOWNLOAD_WARNSIZE = 0
DNS_TIMEOUT = 20
REACTOR_THREADPOOL_MAXSIZE = 40  # names that nobody answers for keep a thread until DNS_TIMEOUT
DEPTH_LIMIT = 8
URLLENGTH_LIMIT = 2083
REDIRECT_MAX_TIMES = 5
METAREFRESH_ENABLED = False  # the spider follows refreshes itself, from the page that is read anyway
RETRY_TIMES = 2
RETRY_HTTP_CODES = [408, 429, 500, 502, 503, 504, 522, 524]
RETRY_GIVE_UP_LOG_LEVEL = "DEBUG"  # the page is told in a line of its own, with its reason
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 20_000_000  # bytes of pages in work before fetching waits

# ---- The way out

WEBMAIN_ALLOW_PRIVATE = False
"""Connect to private addresses too, not only where a site was named that has one."""

WEBMAIN_NAMED_PRIVATE = True
"""Connect to the private address of a site that was named; not where others do the naming, as in the browser."""

DOWNLOAD_HANDLERS = {
    "http": "webmain.handlers.Guarded",
    "https": "webmain.handlers.Guarded",
    **dict.fromkeys(("file", "ftp", "s3")),
}

# ---- Pages that a browser draws (docs/rendering.md)

WEBMAIN_RENDER = "never"
"""Which pages are drawn by a browser: "never", "always", or "auto", those that show hardly any text without their scripts."""

WEBMAIN_CHROMIUM = ""
"""Path or name of Chromium; "" looks for the one that is installed."""

WEBMAIN_CHROMIUM_SANDBOX = True
"""Chromium runs in its sandbox, which needs an ordinary user. False lets hostile pages run without it."""

WEBMAIN_RENDER_WINDOWS = 2
"""Pages that are drawn at a time."""

WEBMAIN_RENDER_TIMEOUT_S = 30.0
"""Seconds after which a page that is being drawn is given up; it goes on as it was fetched."""

# ---- Recordings

WEBMAIN_RECORD = ""
"""A `.warc.gz` to which everything fetched is appended."""

WEBMAIN_REPLAY = ""
"""A recording (or several, separated by commas) that answers in place of the network."""

# ---- What is plugged in

ITEM_PIPELINES = {
    "webmain.pipelines.InWorkers": 50,
    "webmain.opt_outs.OptOuts": 100,
    "webmain.pipelines.Cloud": 600,
    "webmain.pipelines.Duplicates": 700,
    "webmain.pipelines.Store": 800,
}
DOWNLOADER_MIDDLEWARES = {
    "webmain.middlewares.Failures": 20,
    "webmain.refusing.Refusals": 90,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "webmain.robots.Robots": 100,
    "webmain.opt_outs.Reservations": 105,
    "webmain.politeness.RuleDelays": 110,
    "webmain.politeness.RetryAfter": 560,
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    "webmain.middlewares.Decompression": 590,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "webmain.middlewares.Redirects": 600,
    "webmain.conditional.Conditional": 610,
    "webmain.middlewares.Recorder": 950,
}
SPIDER_MIDDLEWARES = {
    "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": None,
    "webmain.middlewares.Statuses": 50,
    "webmain.learning.SiteLearning": 950,
}
EXTENSIONS = {
    "webmain.logs.ReadableLog": 1,
    "webmain.workers.Workers": 5,
    "webmain.browsing.Browsing": 6,
    "webmain.site_runs.SiteRuns": 9,  # at the end it writes before the ledger is closed
    "webmain.known_urls.KnownUrls": 10,
    "webmain.extensions.Summary": 20,
    "webmain.extensions.PromptStop": 30,
    "scrapy.extensions.feedexport.FeedExporter": None,
    "webmain.feeds.Feeds": 0,
    "scrapy.extensions.logstats.LogStats": None,  # the progress line tells more
}
