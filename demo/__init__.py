"""A small made-up news web: three sites under true host names, for `make crawl`, the crawl tests and the benchmarks.

Nothing here needs the internet, and nothing here is real: hosts end in `.example`, every text was written for this
project, every person in it is invented. `demo.web.Web` answers requests, `Web.expected()` says what a crawl must find.
"""
