"""The tasks of worker processes: everything that a page's markup may make slow, up to the finished HTML.

A worker returns plain records and markup; parsed documents stay in the worker.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Final

from webmain.evaluation.differences import TextComparison, compare_texts
from webmain.explain.comparing import compare, names_of
from webmain.explain.explaining import block_of, explain_page, moved
from webmain.explain.records import Explanation, block_record, page_record
from webmain.explain.view import View
from webmain.extraction import Options, errors_as_rejections, extract_page, read, warm_up
from webmain.extractors.base import create
from webmain.html.document import Document
from webmain.items import Article, Page, Rejected
from webmain.items.keep import DEFAULT_KEEP, Keep
from webmain.sites.model_store import ModelStore, SiteModels
from webmain.web.templating import templates

TOP_WORDS: Final = 60
MAX_METHODS: Final = 20
"""Most methods, with their options, that a worker caches."""


class Worker:
    """Runs tasks, one after the other; a task is a function of this package, bound to a page and further arguments.

    Parameters
    ----------
    options : Options
        Limits, and rules of sites.
    models : str
        Folder of site models.
    """

    def __init__(self, options: Options, models: str) -> None:
        self.options = options
        store = ModelStore(models)
        self.models = lru_cache(MAX_METHODS)(lambda method: SiteModels(create(method), store))

    def __call__(self, task: partial[Any]) -> Any:
        """Run a task.

        Raises
        ------
        Rejected
            The page cannot be read; `INTERNAL_ERROR` for unexpected errors.
        """
        with errors_as_rejections(task.keywords["page"].url):
            return task(self)

    def explain(self, page: Page | Document, method: str, keep: Keep) -> Explanation:
        """Return a method's explanation of a page, with its site's model if there is one."""
        options = replace(self.options, keep=keep, top_words=TOP_WORDS)
        return explain_page(page, create(method), options, choose=self.models(method).choose)


def worker(options: Options, models: str) -> Worker:
    """Return what runs the tasks of a worker process, after loading everything that a first page needs."""
    warm_up(create())
    made = Worker(options, models)
    words = "The boats leave in the morning, before the tide turns. " * 5
    with suppress(Rejected):
        made(partial(show, page=Page(html=f"<title>Boats</title><p>{words}"), methods=("learned",)))
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodResult:
    """A method's verdicts on a page, ready to be shown.

    Attributes
    ----------
    method : str
        As requested, with options.
    extractor : str
        The extractor that judged the page in the end.
    article : Article or None
    rejected : Rejected or None
        Why there is no article.
    overlay : str
        The page with its blocks coloured: a whole HTML document.
    parts : str
        The article and its blocks: markup for the page of results.
    blocks : tuple of mapping
        The blocks for programs.
    """

    method: str
    extractor: str
    article: Article | None
    rejected: Rejected | None
    overlay: str
    parts: str
    blocks: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class PageResult:
    """A page as it is shown: each method's verdicts, and the differences as markup and as the coloured page."""

    judged: tuple[MethodResult, ...]
    comparison: str
    overlay: str


def show(
    worker: Worker, page: Page, methods: Sequence[str], keep: Keep = DEFAULT_KEEP, gold: str = "", place: str = ""
) -> PageResult:
    """Judge a page by one method or two, for people.

    Parameters
    ----------
    worker : Worker
    page : Page
    methods : sequence of str
    keep : Keep
    gold : str
        The wanted text; "" if none was given.
    place : str
        Path under which the result will be found.
    """
    timeout_s = len(methods) * (worker.options.timeout_s or 0) or None
    document = read(page, replace(worker.options, timeout_s=timeout_s))
    views = [View(worker.explain(document, method, keep)) for method in methods]
    judged = tuple(
        MethodResult(
            method=method,
            extractor=view.name,
            article=view.explanation.article,
            rejected=view.explanation.rejected,
            overlay=view.overlay,
            parts=_render("judged.html.jinja", view=view, method=method, n=n, place=place),
            blocks=tuple(map(block_record, view.explanation.blocks)),
        )
        for n, (view, method) in enumerate(zip(views, methods, strict=True))
    )
    explained = [view.explanation for view in views]
    both = compare(*explained, names=names_of(explained, methods)) if len(views) == 2 else None
    texts = _comparisons(views, methods, gold)
    markup = _render("comparison.html.jinja", both=both, texts=texts, place=place)
    return PageResult(judged, markup, both.overlay if both else "")


def _comparisons(views: Sequence[View], methods: Sequence[str], gold: str) -> list[TextComparison]:
    """Compare each text with the wanted one, and two texts with each other."""
    language = next((view.language for view in views if view.language), "")
    texts = list(zip(methods, [view.text for view in views], strict=True))
    wanted = [("the right text", gold, *one) for one in texts] if gold else []
    both = [(*texts[0], *texts[1])] if len(texts) == 2 else []
    return [compare_texts(*pair, language) for pair in (*both, *wanted)]


def _render(template: str, **values: Any) -> str:
    return templates().get_template(template).render(**values)


def article_record(worker: Worker, page: Page, method: str, keep: Keep, require: str | None) -> dict[str, Any]:
    """Return the record of a page's article, for programs."""
    options = replace(worker.options, keep=keep, top_words=TOP_WORDS, require=require)
    choose = worker.models(method).choose
    return extract_page(page, create(method), options, choose=lambda found: choose(found).extractor).to_dict()


def explanation_record(worker: Worker, page: Page, method: str, keep: Keep) -> dict[str, Any]:
    """Return the record of a page with a method's verdicts on its blocks, for programs."""
    explanation = worker.explain(page, method, keep)
    return {
        **page_record(explanation),
        "method": method,
        "article": explanation.article.to_dict() if explanation.article else None,
        "blocks": [block_record(block) for block in explanation.blocks],
    }


def score_record(worker: Worker, page: Page, method: str, keep: Keep, block: int) -> dict[str, Any] | None:
    """Return the record of a block with the features that moved its score, or None if there is no such block."""
    explanation = worker.explain(page, method, keep)
    try:
        record = block_record(block_of(explanation, block))
    except IndexError:
        return None
    return {**record, "extractor": explanation.name, "moved": [one._asdict() for one in moved(explanation, block)]}
