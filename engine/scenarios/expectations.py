"""Each key of ``expect``, compared with what was seen."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from engine.scenarios.durations import words
from engine.scenarios.matching import Mismatch, matches, mismatches, pattern, show
from engine.scenarios.play import Play
from flows.durations import parse_duration


def unmet(expect: Mapping[str, Any], play: Play) -> Iterator[str]:
    """A line for each expectation that is not met, in the order in which they are written."""
    seen = play.seen()
    for key, expected in expect.items():
        if key in _OF_THE_PLAY:
            yield from _OF_THE_PLAY[key](expected, play)
        elif key == "events":
            yield from _events(expected, seen.events() if seen else [])
        elif key == "tasks":
            yield from _tasks(expected, seen.tasks() if seen else [])
        else:
            value = getattr(seen, key)() if seen else None
            yield from map(str, mismatches(_wait(expected) if key == "wait" else expected, value, key))


def _calls(expected: Sequence[Any], play: Play) -> Iterator[str]:
    """Order and length are exact, the arguments a subset."""
    made = play.stage.executor.made
    wanted = [_named(entry) for entry in expected]
    if [path for path, _ in wanted] != [call.path for call in made]:
        yield str(Mismatch("calls", [path for path, _ in wanted], [call.path for call in made]))
        return
    for index, ((path, arguments), call) in enumerate(zip(wanted, made, strict=True)):
        yield from map(str, mismatches(arguments, dict(call.arguments), f"calls[{index}] {path}"))


def _events(expected: Sequence[Any], seen: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A subsequence: each expected event must come after the one before it."""
    rest = iter(seen)
    for index, entry in enumerate(expected):
        kind, fields = _named(entry)
        if not any(event["type"] == kind and matches(fields, event) for event in rest):
            yield f"events[{index}]: expected {show(entry)} next, saw {show([event['type'] for event in seen])}"
            return


def _tasks(expected: Sequence[Mapping[str, Any]], seen: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """As any list; a task has many fields, so only those that anybody asks for are told, and who has to do what."""
    asked = {"step", "status", "assignee"}.union(*expected)
    told = [{key: value for key, value in task.items() if key in asked} for task in seen]
    yield from map(str, mismatches(expected, told, "tasks"))


def _rejected(expected: Sequence[Any], play: Play) -> Iterator[str]:
    yield from map(str, mismatches(expected, _found(play, "error"), "rejected"))


def _warnings(expected: Sequence[Any], play: Play) -> Iterator[str]:
    yield from map(str, mismatches(expected, _found(play, "warning"), "warnings"))


def _refused(expected: str, play: Play) -> Iterator[str]:
    refusal, searched = play.refusal, pattern(expected)
    if refusal is None:
        yield f"refused: expected {show(expected)}, but what was done last was carried out"
    elif not (searched.search(refusal) if searched else expected in refusal):
        yield str(Mismatch("refused", expected, refusal))


_OF_THE_PLAY: Final[Mapping[str, Callable[[Any, Play], Iterator[str]]]] = {
    "calls": _calls,
    "rejected": _rejected,
    "refused": _refused,
    "warnings": _warnings,
}


def _found(play: Play, severity: str) -> list[dict[str, Any]]:
    """The doctor's findings of one severity, in the order of the document."""
    return [
        {"node": each.node, "code": each.code, "message": each.message}
        for each in play.findings
        if each.severity == severity
    ]


def _named(entry: str | Mapping[str, Any]) -> tuple[str, Any]:
    """A bare name, or a name with what belongs to it."""
    return (entry, {}) if isinstance(entry, str) else next(iter(entry.items()))


def _wait(expected: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """The expected wait with its time in the unit in which the seen one is told."""
    if not expected or "due_in" not in expected:
        return expected
    return {**expected, "due_in": words(parse_duration(expected["due_in"]))}
