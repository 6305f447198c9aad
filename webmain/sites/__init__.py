"""Learning a site: evidence that recurs, fitting, the model store, pages that wait."""

from typing import Final

MATCHES: Final = "webmain.sites.matching"
"""The view of a document that holds what the rules of its site have matched (`matching.matches_of`)."""
