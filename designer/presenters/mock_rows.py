"""The mock editor's rows in words: what is called and where, what leaving it real would do, what it answered last."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from designer.drawings import humanised
from designer.mock_forms import MockForm, Row
from designer.people import names_of
from designer.presenters.outline import readable
from designer.presenters.stories import quoted
from engine.answers import Pinned
from flows.callees import Callee, Role, Use
from flows.models import Agent, LibraryFunction
from flows.questions import Question

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Words

USES_SHOWN: Final = 3


BEHAVIOURS: Final[Mapping[str, "Words"]] = {
    "mock_output": gettext_lazy("answers with …"),
    "passthrough": gettext_lazy("answers with what it is given"),
    "mock_error": gettext_lazy("fails with …"),
    "mock_timeout": gettext_lazy("never answers"),
    "mock_unknown": gettext_lazy("is lost: nobody knows whether it acted"),
    "real": gettext_lazy("real"),
}
"""What a function or an agent can do at a call, and the same in words."""


@dataclass(frozen=True, slots=True)
class MockLine:
    """One callee: ``uses`` say where it is called, ``warning`` what a real call does, ``pinned`` its last real answer as JSON.

    ``gist`` is what it does at its calls, in one line. ``if_lost`` says where a lost call is no more than a failure, ``is_sent``
    whether a real call sends a request, which an isolated test refuses.
    """

    row: Row
    icon: str
    title: str
    path: str
    gist: str
    uses: list[str]
    warning: str
    is_harmless: bool
    if_lost: str
    is_sent: bool
    sample: str
    pinned: str
    pinned_from: Pinned | None


@dataclass(frozen=True, slots=True)
class TaskLine:
    """One task of a person: ``choices`` are the replies to choose from, (value, words)."""

    row: Row
    title: str
    gist: str
    asked: str
    choices: list[tuple[str, str]]


def mock_lines(form: MockForm, pinned: Mapping[str, Pinned]) -> list[MockLine]:
    """Two queries, for the titles."""
    called = [row.about for row in form.mocks if isinstance(row.about, Callee)]
    paths = [each.path for each in called]
    known = LibraryFunction.objects.filter(path__in=paths).values_list("path", "title", "httpfunction")
    titles = {path: title for path, title, _http in known}
    titles |= dict(Agent.objects.filter(path__in=paths).values_list("path", "title"))
    sent = {path for path, _title, http in known if http is not None}
    return [_line(row, each, titles, pinned, each.path in sent) for row, each in zip(form.mocks, called, strict=True)]


def task_lines(form: MockForm) -> list[TaskLine]:
    """One query, for the names."""
    asked = [row.about for row in form.tasks if isinstance(row.about, Question)]
    names = names_of(each.assignee for each in asked if "{" not in each.assignee)
    return [
        _task_line(row, each, names.get(each.assignee, readable(each.assignee)))
        for row, each in zip(form.tasks, asked, strict=True)
    ]


def _task_line(row: Row, question: Question, asked: str) -> TaskLine:
    choices = _choices(question)
    return TaskLine(row, _step(question.action, question.node), _gist(row, "reply", dict(choices)), asked, choices)


def _gist(row: Row, field: str, words: Mapping[str, Any]) -> str:
    """What was chosen for each call, in their order; static/js/mocks.js says the same when something else is chosen."""
    return " · ".join(str(words.get(entry.told.get(field, ""), "")) for entry in row.entries)


def _line(row: Row, callee: Callee, titles: Mapping[str, str], pinned: Mapping[str, Pinned], is_sent: bool) -> MockLine:
    found = pinned.get(callee.path)
    uses = [_use(each) for each in callee.uses]
    if len(uses) > USES_SHOWN:
        uses = [*uses[: USES_SHOWN - 1], _("and %(n)d more") % {"n": len(uses) - USES_SHOWN + 1}]
    return MockLine(
        row=row,
        icon="bot" if callee.kind == "agent" else "braces",
        title=titles.get(callee.path) or humanised(callee.path.rsplit("/", 1)[-1]),
        path=callee.path,
        gist=_gist(row, "behavior", BEHAVIOURS),
        uses=uses,
        warning=_warning(callee),
        is_harmless=callee.effect == "read",
        if_lost=_if_lost(callee),
        is_sent=is_sent,
        sample=_as_text(callee.sample),
        pinned="" if found is None else _as_text(found.output),
        pinned_from=found,
    )


def _warning(callee: Callee) -> str:
    if callee.kind == "agent":
        return _("The agent is really asked: that may cost money, and the tools that stay real act.")
    if callee.effect == "read":
        return _("It is really called. It only reads: nothing is changed.")
    if not callee.has_manifest:
        return _("It is really called. Nobody says what it does, so it may change things outside this test.")
    return _("It is really called and changes things outside this test. A test run does not take that back.")


def _if_lost(callee: Callee) -> str:
    """Why a call that is lost leaves nothing open (engine/machine/unknowns.py); empty where it does."""
    if callee.kind == "agent":
        return _("An agent's answer that is lost leaves nothing open: it counts as a plain failure.")
    if not callee.has_manifest:
        return _(
            "Nobody says that this function changes anything (it has no manifest), so this counts as a plain failure."
        )
    if callee.effect != "write":
        return _("This function changes nothing, so this counts as a plain failure.")
    return ""


_USES: Final[Mapping[Role, Callable[[], str]]] = {
    "call": lambda: _("called by %(step)s"),
    "compensation": lambda: _("undoes %(step)s"),
    "undo": lambda: _("takes %(step)s back before it is redone"),
    "probe": lambda: _("looks up what became of another call: %(step)s"),
    "tool": lambda: _("a tool of the agent at %(step)s"),
    "agent": lambda: _("asked by %(step)s"),
    "router": lambda: _("chooses the way at %(step)s"),
    "referee": lambda: _("judges at %(step)s"),
    "assignee": lambda: _("decides %(step)s"),
    "chat": lambda: _("talks at %(step)s"),
    "hand_over": lambda: _("may take over the talk at %(step)s"),
}


def _use(use: Use) -> str:
    words = _USES[use.role]() % {"step": quoted(_step(use.action, use.node))}
    return _("%(what)s in %(flow)s") % {"what": words, "flow": use.flow} if use.flow else words


def _step(action: str, node: str) -> str:
    return readable(action) if action else humanised(node)


def _choices(question: Question) -> list[tuple[str, str]]:
    wait = ("wait", _("I answer on the run's page"))
    expire = ("expire", _("nobody answers: the time runs out"))
    if question.choices:
        said: Sequence[tuple[str, str]] = [
            (f"choice:{each}", _("answers %(choice)s") % {"choice": quoted(each)}) for each in question.choices
        ]
        return [wait, *said, ("answer", _("answers with …")), expire]
    return [wait, ("answer", _("answers with …")), expire]


def _as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
