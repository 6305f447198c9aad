"""Query parameters that say who sent the reader, not what is shown."""

from __future__ import annotations

import re

_TRACKERS = frozenset(
    (
        # advertising clicks
        *("fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "ysclid", "twclid", "ttclid"),
        *(
            "igshid",
            "igsh",
            "li_fat_id",
            "epik",
            "rdt_cid",
            "scclid",
            "irclickid",
            "wickedid",
            "gad_source",
            "gad_campaignid",
        ),
        *(
            "s_kwcid",
            "ef_id",
            "srsltid",
            "_openstat",
            "_branch_match_id",
            "tblci",
            "obclid",
            "outbrainclickid",
            "zanpid",
        ),
        # mailings
        *(
            "mc_cid",
            "mc_eid",
            "mkt_tok",
            "vero_id",
            "vero_conv",
            "oly_anon_id",
            "oly_enc_id",
            "_hsenc",
            "_hsmi",
            "__hssc",
        ),
        *(
            "__hstc",
            "__hsfp",
            "hsctatracking",
            "ml_subscriber",
            "ml_subscriber_hash",
            "_ke",
            "_kx",
            "bsft_clkid",
            "bsft_uid",
        ),
        *("ck_subscriber_id", "sfmc_id", "elqtrackid", "dm_i", "rb_clickid", "nl_id"),
        # analytics and share buttons
        *(
            "_ga",
            "_gl",
            "ga_source",
            "ga_medium",
            "ga_term",
            "ga_content",
            "ga_campaign",
            "cmpid",
            "cmp",
            "icid",
            "intcid",
        ),
        *(
            "ncid",
            "ocid",
            "s_cid",
            "sc_cid",
            "wt.mc_id",
            "wt_mc",
            "wt_zmc",
            "xtor",
            "ito",
            "smid",
            "smtyp",
            "ftag",
            "taid",
        ),
        *("ns_mchannel", "ns_source", "ns_campaign", "ns_linkname", "ns_fee", "guccounter", "guce_referrer", "soc_src"),
        *("guce_referrer_sig", "soc_trk", "ref_src", "ref_url", "__twitter_impression", "sr_share", "fb_action_ids"),
        *(
            "fb_action_types",
            "fb_source",
            "fb_ref",
            "share_id",
            "trk",
            "trkcampaign",
            "spm",
            "mbid",
            "cvid",
            "ei",
            "usqp",
        ),
        # sessions
        *("jsessionid", "phpsessid", "sessionid", "session_id", "cfid", "cftoken", "zenid"),
    )
)
_TRACKER_PREFIXES = ("utm_", "pk_", "mtm_", "piwik_", "matomo_", "hsa_", "at_", "aspsessionid", "stm_", "itm_")
_REFERRERS = frozenset(
    ("ref", "referrer", "referer", "source", "src", "from", "via", "partner", "emc", "sref", "cid", "dcmp")
)
_REFERRER_WORDS = frozenset(
    (
        *(
            "rss",
            "feed",
            "rssfeed",
            "atom",
            "twitter",
            "tw",
            "x",
            "facebook",
            "fb",
            "instagram",
            "linkedin",
            "whatsapp",
        ),
        *("telegram", "reddit", "pinterest", "flipboard", "email", "mail", "newsletter", "share", "social", "copylink"),
        *(
            "push",
            "notification",
            "homepage",
            "home",
            "google",
            "googlenews",
            "gnews",
            "bing",
            "yahoo",
            "msn",
            "apple_news",
        ),
    )
)
_SESSION_HASH = re.compile(r"[0-9a-f]{26,64}", re.I)


def is_tracking(parameter: str) -> bool:
    """Tell whether a query parameter (`name=value`, percent-encoding normal) tracks readers or holds a session id.

    Names such as `ref` and `source` count only with a value that is a known channel; `sid` only with a hash.
    """
    name, _, value = parameter.partition("=")
    name = name.lower()
    if name in _TRACKERS or name.startswith(_TRACKER_PREFIXES):
        return True
    if name in _REFERRERS:
        return value.lower() in _REFERRER_WORDS
    return name in {"sid", "s"} and _SESSION_HASH.fullmatch(value) is not None
