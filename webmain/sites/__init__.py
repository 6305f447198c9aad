"""Site rules and site models: matching rules, fitting extractors, the model store, held-back pages."""

from typing import Final

MATCHES: Final = "webmain.sites.matching"
"""Name of the document view that holds the matches of its site's rules (`matching.matches_of`)."""
