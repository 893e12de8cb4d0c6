"""What happens if a step fails, in words: the rungs that the engine foresees, as sentences in their order."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from designer import words
from designer.presenters.outline import Names, names_in
from designer.presenters.stories import listed
from engine.whatif import HOWS, How, Rung, foresee
from flows.durations import InvalidDuration, parse_duration
from flows.graph import Graph


@dataclass(frozen=True, slots=True)
class Foretold:
    """One sentence; ``undo`` are the sentences of what is taken back meanwhile, in that order."""

    row: str
    node: str
    icon: str
    words: str
    undo: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Foresight:
    """One way to fail, and all that comes of it."""

    how: How
    heading: str
    lines: tuple[Foretold, ...]


def foresight(graph: Graph, definition: Mapping[str, Any], workspace_id: int, node_id: str) -> list[Foresight]:
    """Every way in which the step can fail. Raises ``KeyError`` for a step that the graph does not have."""
    names = names_in(definition, workspace_id)
    headings: dict[How, str] = {
        "failure": _("When it fails"),
        "timeout": _("When its time is up"),
        "unknown": _("When nobody can know whether it took effect"),
    }
    ways = {how: foresee(graph, node_id, how) for how in HOWS}
    return [Foresight(how, headings[how], _lines(ways[how], names)) for how in HOWS if _is_worth_saying(how, ways)]


def _is_worth_saying(how: How, ways: Mapping[How, Sequence[Rung]]) -> bool:
    """Whether it differs from an ordinary failure: a call that is never in doubt needs no section that says so."""
    return how == "failure" or (ways[how] != ways["failure"] and ways[how][0].row != "never_unknown")


def _lines(rungs: Iterable[Rung], names: Names) -> tuple[Foretold, ...]:
    return tuple(_line(rung, names) for rung in rungs)


def _line(rung: Rung, names: Names) -> Foretold:
    icon, say = _WORDS[rung.row]
    undo = tuple(
        _("%(function)s takes %(step)s back") % {"function": names.of(each.function), "step": names.step(each.step)}
        for each in rung.undo
    )
    notice = " " + _("%(who)s is told.") % {"who": names.of(rung.notify) or rung.notify} if rung.notify else ""
    return Foretold(rung.row, rung.node, icon, say(rung, names) + notice, undo)


Say = Callable[[Rung, Names], str]


def _retries(rung: Rung, names: Names) -> str:
    count = rung.failures or 0
    text = ngettext(
        "It is tried %(n)d more time, after %(delays)s.", "It is tried %(n)d more times, after %(delays)s.", count
    )
    return text % {"n": count, "delays": _delays(rung)}


def _starts_anew(rung: Rung, names: Names) -> str:
    count = rung.failures or 0
    text = ngettext(
        "%(step)s starts anew %(n)d time, after %(delays)s.",
        "%(step)s starts anew %(n)d times, after %(delays)s.",
        count,
    )
    return text % {"step": names.step(rung.node), "n": count, "delays": _delays(rung)}


def _delays(rung: Rung) -> str:
    spoken = [words.duration(each / 1000) for each in rung.delays_ms]
    return ", ".join(spoken[:5]) + (" …" if len(spoken) > 5 else "")


def _redo(rung: Rung, names: Names) -> str:
    steps = listed([names.plain(each) for each in rung.members])
    scope = names.step(rung.node) if rung.node else _("The flow")
    if rung.failures is None:
        return _("%(scope)s runs %(steps)s again.") % {"scope": scope, "steps": steps}
    text = ngettext(
        "%(scope)s runs %(steps)s again, up to %(n)d failure within %(time)s.",
        "%(scope)s runs %(steps)s again, up to %(n)d failures within %(time)s.",
        rung.failures,
    )
    return text % {"scope": scope, "steps": steps, "n": rung.failures, "time": _span(rung.within)}


def _span(within: str) -> str:
    try:
        return words.duration(parse_duration(within))
    except InvalidDuration:
        return within


def _rolls_back(rung: Rung, names: Names) -> str:
    if not rung.undo:
        return _("The run fails. There is nothing to undo.")
    return _("The run fails. What was done until then is undone, the newest first:")


def _plain(text: Any) -> Say:
    """A sentence with the name of the step whose policy it is, and of the one where control goes."""

    def say(rung: Rung, names: Names) -> str:
        return str(text) % {"step": names.step(rung.node) if rung.node else _("The flow"), "to": names.step(rung.to)}

    return say


_WORDS: Final[Mapping[str, tuple[str, Say]]] = {
    "retries": ("rotate-ccw", _retries),
    "starts_anew": ("rotate-ccw", _starts_anew),
    "redo": ("repeat", _redo),
    "timeout_edge": ("timer", _plain(gettext_lazy("The run goes on at %(to)s."))),
    "error_edge": ("corner-down-right", _plain(gettext_lazy("The run goes on at %(to)s."))),
    "goes_on": ("forward", _plain(gettext_lazy("The run goes on behind %(step)s as if nothing had happened."))),
    "must_succeed": ("shield-check", _plain(gettext_lazy("%(step)s must succeed: nothing around it may help."))),
    "next_iteration": ("repeat", _plain(gettext_lazy("%(step)s goes on with its next turn."))),
    "escalate": ("arrow-up", _plain(gettext_lazy("%(step)s leaves it to what is around it."))),
    "hold": ("pause", _plain(gettext_lazy("%(step)s holds the run until a person decides."))),
    "scope_fails": ("x", _plain(gettext_lazy("%(step)s gives up."))),
    "branch_fails": ("columns-2", _plain(gettext_lazy("The branch of %(step)s fails."))),
    "branches_suffice": ("forward", _plain(gettext_lazy("The run goes on behind %(step)s without that branch."))),
    "rolls_back": ("undo-2", _rolls_back),
    "kept": (
        "x",
        _plain(gettext_lazy("The run fails. What was done is kept, and the run can be resumed at %(step)s.")),
    ),
    "asked_again": ("rotate-ccw", _plain(gettext_lazy("Asking again is safe here, so it counts as a failed try."))),
    "reconcile": (
        "search",
        _plain(
            gettext_lazy("It is found out whether it took effect. If it did, the run goes on. If not, it has failed.")
        ),
    ),
    "held_unknown": ("pause", _plain(gettext_lazy("The run is held until a person says whether it took effect."))),
    "never_unknown": ("info", _plain(gettext_lazy("It changes nothing that could be in doubt: it counts as failed."))),
}
