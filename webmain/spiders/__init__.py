"""Scrapy spiders: `news` crawls sites, `archive` reads archived pages."""
