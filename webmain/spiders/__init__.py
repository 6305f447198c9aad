"""Scrapy's spiders: `news` crawls sites, `archive` reads stored pages."""
