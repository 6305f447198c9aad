"""A crawl: what fetches, extracts and stores its pages, as components of Scrapy."""
