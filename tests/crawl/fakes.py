"""What stands in for parts of Scrapy in tests."""

from __future__ import annotations


class Stats(dict):
    """The stats collector's methods over a dict."""

    def inc_value(self, name, count=1):
        self[name] = self.get(name, 0) + count

    def set_value(self, name, value):
        self[name] = value

    def get_value(self, name, default=None):
        return self.get(name, default)

    def get_stats(self):
        return self
