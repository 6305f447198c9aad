"""A resolver for tests whose answer is public at first and private from then on; 127.0.0.2 stands for the public internet."""

from scrapy.resolver import CachingThreadedResolver
from twisted.internet.defer import succeed

from webmain.net import addresses

asked = []
addresses.is_public = lambda address: address == "127.0.0.2"


class Resolver(CachingThreadedResolver):
    def getHostByName(self, name, timeout=()):  # noqa: N802 - Twisted's name
        asked.append(name)
        return succeed("127.0.0.2" if asked.count(name) == 1 else "127.0.0.1")
