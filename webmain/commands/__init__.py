"""Scrapy commands with true exit codes."""
