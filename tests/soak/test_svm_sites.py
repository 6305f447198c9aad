"""Long runs (make soak): `svm` on made-up sites, described in part, whose pages share text."""

import pytest

from tests.extractors.made_up_sites import pages_of, poisoned

pytestmark = [pytest.mark.soak, pytest.mark.timeout(7200)]

N_SITES = 230


def test_no_article_of_a_site_is_mostly_text_of_other_pages():
    assert {seed: found for seed in range(N_SITES) if (found := poisoned(pages_of(seed)))} == {}
