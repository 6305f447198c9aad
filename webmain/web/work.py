"""The tasks of worker processes: everything that a page's markup may make slow, up to the finished HTML.

A worker returns plain records and markup; parsed documents stay in the worker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Protocol

from webmain.evaluation.differences import compare_texts
from webmain.explain.comparing import compare
from webmain.explain.explaining import block_of, explain_page, moved
from webmain.explain.records import block_record, page_record
from webmain.explain.view import View
from webmain.extraction import Options, errors_as_rejections, extract_page, read, warm_up
from webmain.extractors.base import create
from webmain.items import Article, Page, Rejected
from webmain.items.keep import DEFAULT_KEEP, Keep
from webmain.sites.model_store import ModelStore, SiteModels
from webmain.web.templating import templates

if TYPE_CHECKING:
    from webmain.evaluation.differences import TextComparison
    from webmain.explain.records import Explanation
    from webmain.html.document import Document

TOP_WORDS: Final = 60
MAX_METHODS: Final = 20
"""Most methods, with their options, that a worker caches."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Settings for processing every page: limits, rules of sites, and the folder of site models."""

    options: Options
    models: str


class Task(Protocol):
    """A task for a worker."""

    @property
    def page(self) -> Page:
        """The page to process."""
        ...

    def run(self, worker: Worker) -> Any:
        """Run the task."""
        ...


class Worker:
    """Runs tasks, one after the other.

    Parameters
    ----------
    setting : Setting
    """

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._models = lru_cache(MAX_METHODS)(self._models_of)

    def __call__(self, task: Task) -> Any:
        """Run a task.

        Raises
        ------
        Rejected
            The page cannot be read; `INTERNAL_ERROR` for unexpected errors.
        """
        with errors_as_rejections(task.page.url):
            return task.run(self)

    @property
    def options(self) -> Options:
        """Limits, and rules of sites."""
        return self._setting.options

    def explain(self, page: Page | Document, method: str, keep: Keep) -> Explanation:
        """Return a method's explanation of a page, with its site's model if there is one."""
        options = replace(self._setting.options, keep=keep, top_words=TOP_WORDS)
        models = self._models(method)
        return explain_page(page, create(method), options, choose=models.choose)

    def extract(self, page: Page, method: str, keep: Keep, require: str | None) -> Article:
        """Return a method's article of a page, with its site's model if there is one."""
        options = replace(self._setting.options, keep=keep, top_words=TOP_WORDS, require=require)
        models = self._models(method)
        return extract_page(page, create(method), options, choose=lambda document: models.choose(document).extractor)

    def read(self, page: Page, n: int) -> Document:
        """Return a parsed page that `n` methods will explain."""
        options = self._setting.options
        return read(page, replace(options, timeout_s=n * (options.timeout_s or 0) or None))

    def _models_of(self, method: str) -> SiteModels:
        return SiteModels(create(method), ModelStore(self._setting.models))


def worker(setting: Setting) -> Callable[[Task], Any]:
    """Return a function that runs tasks in a worker process, after loading everything that a first page needs."""
    warm_up(create())
    made = Worker(setting)
    words = "The boats leave in the morning, before the tide turns. " * 5
    with suppress(Rejected):
        made(Show(page=Page(html=f"<title>Boats</title><p>{words}"), methods=("learned",)))
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A method's verdicts on a page, ready to be shown.

    Attributes
    ----------
    method : str
        As requested, with options.
    extractor : str
        The extractor that judged the page in the end.
    article : Article or None
    reason, detail : str
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
    reason: str
    detail: str
    overlay: str
    parts: str
    blocks: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A page as it is shown: each method's verdicts, and the differences as markup and as the coloured page."""

    judged: tuple[Judged, ...]
    comparison: str
    overlay: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """Judge a page by one method or two, for people.

    Attributes
    ----------
    page : Page
    methods : tuple of str
    keep : Keep
    gold : str
        The wanted text; "" if none was given.
    place : str
        Path under which the result will be found.
    """

    page: Page
    methods: tuple[str, ...]
    keep: Keep = DEFAULT_KEEP
    gold: str = ""
    place: str = ""

    def run(self, worker: Worker) -> Shown:
        """Return the result to show."""
        document = worker.read(self.page, len(self.methods))
        views = [View(worker.explain(document, method, self.keep)) for method in self.methods]
        judged = tuple(
            _judged(view.explanation, method, overlay=view.overlay, parts=_parts(view, method, n, self.place))
            for n, (view, method) in enumerate(zip(views, self.methods, strict=True))
        )
        both = compare(views[0].explanation, views[1].explanation) if len(views) == 2 else None
        texts = _comparisons(views, self.methods, self.gold)
        markup = _filled("comparison.html.jinja", both=both, texts=texts, place=self.place)
        return Shown(judged, markup, both.overlay if both else "")


def _comparisons(views: Sequence[View], methods: Sequence[str], gold: str) -> list[TextComparison]:
    """Compare each text with the wanted one, and two texts with each other."""
    language = next((view.language for view in views if view.language), "")
    texts = list(zip(methods, [view.text for view in views], strict=True))
    wanted = [("the right text", gold, *one) for one in texts] if gold else []
    both = [(*texts[0], *texts[1])] if len(texts) == 2 else []
    return [compare_texts(*pair, language) for pair in (*both, *wanted)]


def _parts(view: View, method: str, n: int, place: str) -> str:
    return _filled("judged.html.jinja", view=view, method=method, n=n, place=place)


def _filled(template: str, **values: Any) -> str:
    return templates().get_template(template).render(**values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """Extract a page's article, for programs.

    Attributes
    ----------
    page : Page
    method : str
    keep : Keep
    require : str or None
        As in `Options`.
    """

    page: Page
    method: str
    keep: Keep = DEFAULT_KEEP
    require: str | None = None

    def run(self, worker: Worker) -> dict[str, Any]:
        """Return the article's record."""
        return worker.extract(self.page, self.method, self.keep, self.require).to_dict()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Judge a page's blocks by one method, for programs."""

    page: Page
    method: str
    keep: Keep = DEFAULT_KEEP

    def run(self, worker: Worker) -> dict[str, Any]:
        """Return the record."""
        explanation = worker.explain(self.page, self.method, self.keep)
        return {
            **page_record(explanation),
            "method": self.method,
            "article": explanation.article.to_dict() if explanation.article else None,
            "blocks": [block_record(block) for block in explanation.blocks],
        }


@dataclass(frozen=True, slots=True)
class Move:
    """Explain which features moved the score of a block."""

    page: Page
    method: str
    block: int
    keep: Keep = DEFAULT_KEEP

    def run(self, worker: Worker) -> dict[str, Any] | None:
        """Return the record of the block, or None if there is no such block."""
        explanation = worker.explain(self.page, self.method, self.keep)
        try:
            block = block_of(explanation, self.block)
        except IndexError:
            return None
        columns = [one._asdict() for one in moved(explanation, self.block)]
        return {**block_record(block), "extractor": explanation.name, "moved": columns}


def _judged(explanation: Explanation, method: str, *, overlay: str, parts: str) -> Judged:
    rejected = explanation.rejected
    return Judged(
        method=method,
        extractor=explanation.name,
        article=explanation.article,
        reason=rejected.reason.value if rejected else "",
        detail=rejected.detail if rejected else "",
        overlay=overlay,
        parts=parts,
        blocks=tuple(map(block_record, explanation.blocks)),
    )
