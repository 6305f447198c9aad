"""Scrapy's settings for webmain's crawls: polite, bounded, no listening ports.

webmain's own settings begin with WEBMAIN_; each can be set with `-s NAME=VALUE`.
"""

from __future__ import annotations

BOT_NAME = "webmain"
SPIDER_MODULES = ["webmain.spiders"]
NEWSPIDER_MODULE = "webmain.spiders"
COMMANDS_MODULE = "webmain.commands"
ADDONS = {"webmain.addons.Webmain": 0}

# ---- Results

WEBMAIN_EXTRACTOR = None
"""Name or import path of the extractor, for spiders that do not set one; None is the default extractor."""

WEBMAIN_KEEP = ""
"""What is kept besides running text: names of `webmain.Keep`, separated by commas ("links,images,no-tables")."""

WEBMAIN_REQUIRE = ""
"""The kind of page that is wanted, such as "article"; others are rejected (`webmain.items.PAGE_TYPES`). "any": all kinds.
"": all, except that `news` rejects pages that are certainly no article."""

WEBMAIN_STORE = "jsonl:output/articles.jsonl"
"""Where articles go: `jsonl:PATH`, `sqlite:PATH`, several separated by commas."""

WEBMAIN_LEDGER = None
"""File that remembers addresses over runs; None puts it beside the first store (PATH.ledger), "" keeps it in memory."""

WEBMAIN_MAX_BYTES = 10 * 1024 * 1024
"""Largest page that is read, in bytes after decompression."""

WEBMAIN_PAGE_TIMEOUT_S = 10.0
"""CPU seconds after which the extraction of a page is given up; 0 for no limit."""

WEBMAIN_WORKERS = None
"""Processes that read and judge pages and can be killed; "auto" is one per core; None is "auto" for the spider `archive`,
else 1. With 0, the crawl's own process does it, and a single page can then block it."""

WEBMAIN_TOP_WORDS = 50
"""Words kept for an article's tag cloud."""

WEBMAIN_STOPWORDS = ""
"""File of your own stop words."""

WEBMAIN_REVIEW_BELOW = 0.0
"""Articles with a confidence (0 to 1) below this are listed in a file beside the first store (PATH.review); 0 for none."""

WEBMAIN_REVIEW_KEEP_OUT = False
"""Put those articles into a separate store (jsonl:PATH.kept_out) instead of the others."""

WEBMAIN_SITES = ""
"""File of rules for single sites (`sites.toml`, docs/sites.md)."""

# ---- Learned sites

WEBMAIN_LEARN = True
"""Learn sites, if the extractor can learn; else each page is judged on its own, and stored models are not used."""

WEBMAIN_MODELS = "models/sites"
"""The folder of the models, one file for each site and method."""

WEBMAIN_CORRECTIONS = "output/corrections.jsonl"
"""File of corrected pages (`webmain correct`), which are used in learning together with a site's other pages."""

WEBMAIN_LEARN_PAGES = None
"""Pages of a site to wait for before it is learned; None is 20, or more if the extractor needs more; fewer if fewer
articles are wanted (max_articles)."""

WEBMAIN_LEARN_HOLD_S = 300.0
"""Longest wait of a held-back page, in seconds; then its site is learned from the pages at hand. 0 for no limit."""

WEBMAIN_LEARN_MAX_HELD = 10_000
"""Most held-back pages, of all sites together."""

# ---- Reports

WEBMAIN_PROGRESS_S = 10.0
"""Seconds between two progress lines; 0 for none."""

WEBMAIN_SUMMARY = True
"""Print a summary at the end; "new" prints it only if an article is new or changed, or something went wrong."""

WEBMAIN_STATS_DIR = ""
"""Folder for the figures as NAME.json and as a Prometheus textfile NAME.prom, continually updated."""

WEBMAIN_STATS_NAME = ""
"""NAME of those files; by default the spider's name."""

LOG_LEVEL = "INFO"
LOG_DATEFORMAT = "%Y-%m-%d %H:%M:%S%z"
STATS_DUMP = False  # the summary is for people, WEBMAIN_STATS_DIR for machines
FEED_EXPORT_ENCODING = "utf-8"
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False

# ---- Politeness

WEBMAIN_CONTACT = ""
"""How a site's operators can reach you (a URL or mail address); it becomes part of the user agent."""

ROBOTSTXT_OBEY = True
ROBOTSTXT_USER_AGENT = "webmain"
WEBMAIN_ROBOTS_UNREACHABLE = "deny"
"""What to do if a robots.txt answers 429 or 5xx, or not at all: "deny" (leave the site for the next run) or "allow"."""

WEBMAIN_ROBOTS_RETRY_S = 600.0
"""Seconds after which such a robots.txt is requested again."""

WEBMAIN_MAX_CRAWL_DELAY = 60.0
"""Longest Crawl-delay, in seconds; longer ones are reduced to this."""

WEBMAIN_MAX_RETRY_AFTER = 120.0
"""Longest Retry-After to wait for, in seconds; if a site asks for longer, the page is left for the next run."""

WEBMAIN_BACK_OFF = True
"""Leave hosts alone that refuse nearly everything, or ask to wait longer than that, until their time is over; the ledger
remembers this for later runs. False keeps requesting from them."""

WEBMAIN_RESPECT = ""
"""What is obeyed besides robots.txt: "optouts" rejects pages that opt out of reuse (noindex, reserved text and data
mining, opt-outs from machine learning). Opt-outs are always recorded."""

WEBMAIN_ARCHIVE_PIECE = 8 * 1024 * 1024
"""Bytes per request to a host of archives; two such pieces are in memory."""

WEBMAIN_ARCHIVE_BACK_OFF_S = 2.0
"""Seconds to wait after a failure of a host of archives, doubled with each failure in a row."""

CONCURRENT_ITEMS = 4  # per response, which gives one item or a few; Scrapy always starts this many tasks
DOWNLOAD_DELAY = 1.0
CONCURRENT_REQUESTS = 32  # more where `news` crawls many sites (webmain/spiders/limits.py)
CONCURRENT_REQUESTS_PER_DOMAIN = 2
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 1.0
AUTOTHROTTLE_MAX_DELAY = 60.0
AUTOTHROTTLE_TARGET_CONCURRENCY = 1.0
COOKIES_ENABLED = False
DEFAULT_REQUEST_HEADERS = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}

# ---- Limits

DOWNLOAD_TIMEOUT = 30
DOWNLOAD_MAXSIZE = 16 * 1024 * 1024  # bounds decompression too
DOWNLOAD_WARNSIZE = 0
DNS_TIMEOUT = 20
REACTOR_THREADPOOL_MAXSIZE = 40  # unresolvable names occupy a thread until DNS_TIMEOUT
DEPTH_LIMIT = 8
URLLENGTH_LIMIT = 2083
REDIRECT_MAX_TIMES = 5
METAREFRESH_ENABLED = False  # the spider itself follows refreshes of pages it reads
RETRY_TIMES = 2
RETRY_HTTP_CODES = [408, 429, 500, 502, 503, 504, 522, 524]
RETRY_GIVE_UP_LOG_LEVEL = "DEBUG"  # each page has its own line with the reason
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 20_000_000  # bytes of pages being processed before fetching pauses

# ---- Network

WEBMAIN_ALLOW_PRIVATE = False
"""Connect to private addresses in general, not only to those of sites that the user named."""

WEBMAIN_NAMED_PRIVATE = True
"""Connect to the private address of a site that was named; off if others choose the sites, as in the web page."""

DOWNLOAD_HANDLERS = {
    "http": "webmain.crawl.handlers.Guarded",
    "https": "webmain.crawl.handlers.Guarded",
    **dict.fromkeys(("file", "ftp", "s3")),
}

# ---- Rendering (docs/rendering.md)

WEBMAIN_RENDER = "never"
"""Which pages a browser draws: "never", "always", or "auto" (those with hardly any text without their scripts)."""

WEBMAIN_CHROMIUM = ""
"""Path or name of Chromium; "" looks for an installed one."""

WEBMAIN_CHROMIUM_SANDBOX = True
"""Run Chromium in its sandbox, which needs an unprivileged user. False lets hostile pages run without it."""

WEBMAIN_RENDER_WINDOWS = 2
"""Pages drawn at once."""

WEBMAIN_RENDER_TIMEOUT_S = 30.0
"""Seconds after which drawing a page is given up; it continues as fetched."""

# ---- Recordings

WEBMAIN_RECORD = ""
"""A `.warc.gz` file to which everything fetched is appended."""

WEBMAIN_REPLAY = ""
"""A recording (or several, separated by commas) that answers instead of the network."""

# ---- Components

ITEM_PIPELINES = {
    "webmain.pipelines.InWorkers": 50,
    "webmain.crawl.opt_outs.OptOuts": 100,
    "webmain.pipelines.Cloud": 600,
    "webmain.pipelines.Duplicates": 700,
    "webmain.pipelines.Store": 800,
}
DOWNLOADER_MIDDLEWARES = {
    "webmain.middlewares.Failures": 20,
    "webmain.crawl.refusals.Refusals": 90,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "webmain.crawl.robots.Robots": 100,
    "webmain.crawl.opt_outs.Reservations": 105,
    "webmain.crawl.politeness.RuleDelays": 110,
    "webmain.crawl.politeness.RetryAfter": 560,
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    "webmain.middlewares.Decompression": 590,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "webmain.middlewares.Redirects": 600,
    "webmain.middlewares.Conditional": 610,
    "webmain.middlewares.Recorder": 950,
}
SPIDER_MIDDLEWARES = {
    "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": None,
    "webmain.middlewares.Statuses": 50,
    "webmain.crawl.learning.SiteLearning": 950,
}
EXTENSIONS = {
    "webmain.crawl.logs.ReadableLog": 1,
    "webmain.crawl.workers.Workers": 5,
    "webmain.crawl.browsing.Browsing": 6,
    "webmain.spiders.site_runs.SiteRuns": 9,  # its last write must precede the ledger's closing
    "webmain.crawl.known_urls.KnownUrls": 10,
    "webmain.extensions.Summary": 20,
    "webmain.extensions.PromptStop": 30,
    "scrapy.extensions.feedexport.FeedExporter": None,
    "webmain.extensions.Feeds": 0,
    "scrapy.extensions.logstats.LogStats": None,  # replaced by the progress line
}
