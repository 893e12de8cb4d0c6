"""Scenario files: YAML in, checked scenarios out.

A file holds several documents; each is checked against ``schema.json`` beside this module. What is wrong is told
with file, line and the way to the value, all problems of a file at once.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator, ValidationError

from engine.scenarios.errors import UnreadableScenario
from engine.scenarios.matching import broken_patterns
from flows.text import DocumentError, Parsed, read_all

DEFAULT_PATH: Final = "/flows/under-test"
ANSWERS: Final = ("return", "fail", "hang", "unknown", "crash", "raise")
_SCHEMA: Final = Draft202012Validator(json.loads(Path(__file__).with_name("schema.json").read_text()))


@dataclass(frozen=True, slots=True)
class Action:
    """One entry of ``do``: its word and what was written behind it."""

    kind: str
    data: Any


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario as written. Calls of functions and agents stand together in ``scripts``: their paths never meet."""

    name: str
    file: Path
    line: int
    flow: Mapping[str, Any]
    flow_path: str = DEFAULT_PATH
    flows: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    scripts: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    manifests: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict)
    agents: frozenset[str] = frozenset()
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    input: Any = field(default_factory=dict)
    test_config: Mapping[str, Any] | None = None
    do: tuple[Action, ...] = ()
    expect: Mapping[str, Any] = field(default_factory=dict)


def find_files(paths: Iterable[Path]) -> list[Path]:
    """The files that ``paths`` name, each once: files as they are, folders as every ``.yaml`` below them.

    Raises :class:`UnreadableScenario` for a path that does not exist.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found |= dict.fromkeys(sorted(each for each in path.rglob("*.yaml") if is_scenario_file(each)))
        elif path.is_file():
            found[path] = None
        else:
            raise UnreadableScenario(f"{path}: there is no such file or folder")
    return list(found)


def is_scenario_file(file: Path) -> bool:
    """Whether a file found in a folder means to hold scenarios: flows and other YAML may lie beside them."""
    return any(line.startswith("scenario:") for line in file.read_text(encoding="utf-8", errors="replace").splitlines())


def read_file(file: Path) -> list[Scenario]:
    """The scenarios of a file in their order.

    Raises :class:`UnreadableScenario` with every problem of the file: text that is no YAML, a document that is no
    scenario, a name used twice, no scenario at all.
    """
    try:
        documents = [each for each in read_all(file.read_bytes()) if each.value is not None]
    except (OSError, DocumentError) as error:
        raise UnreadableScenario(f"{file}: {error}") from error
    problems = [
        f"{file}:{_line(document, at)}: {text}" for document in documents for at, text in _problems(document.value)
    ]
    problems += [
        f"{file}:{_line(again)}: the name {again.value['scenario']!r} is used twice" for again in _twice(documents)
    ]
    if not documents:
        problems = [f"{file}: holds no scenario"]
    if problems:
        raise UnreadableScenario("\n".join(problems))
    return [_scenario(file, document) for document in documents]


def _line(document: Parsed, at: Sequence[str | int] = ()) -> int:
    """The line of the value at that way, or of the deepest value around it."""
    ways = (tuple(at[:length]) for length in range(len(at), -1, -1))
    return next(document.lines[way] for way in ways if way in document.lines)


def _problems(data: Any) -> Iterator[tuple[Sequence[str | int], str]]:
    """Each problem of a document with the way to it."""
    wrong = sorted(_SCHEMA.iter_errors(data), key=lambda error: list(map(str, error.absolute_path)))
    yield from ((list(error.absolute_path), _words(error)) for error in wrong)
    if not wrong:
        yield from _choices(data)
        for index, action in enumerate(data.get("do") or ()):
            yield from broken_patterns(action.get("expect"), ("do", index, "expect"))
        yield from broken_patterns(data.get("expect"), ("expect",))


def _words(error: ValidationError) -> str:
    where = _dotted(list(error.absolute_path))
    return f"{where}: {error.message}" if where else f"{error.message}"


def _choices(data: Mapping[str, Any]) -> Iterator[tuple[Sequence[str | int], str]]:
    """Where exactly one of several keys must stand, and another number of them does."""
    for kind in ("functions", "agents"):
        for path, script in (data.get(kind) or {}).items():
            for index, answer in enumerate(script.get("calls") or ()):
                if len(answer.keys() & set(ANSWERS)) != 1:
                    at = [kind, path, "calls", index]
                    yield at, f"{_dotted(at)}: give exactly one of {', '.join(ANSWERS)}"
    for index, action in enumerate(data.get("do") or ()):
        if len(action) != 1:
            yield ["do", index], f"do[{index}]: give exactly one action"


def _dotted(at: Sequence[str | int]) -> str:
    return "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in at).removeprefix(".")


def _twice(documents: Sequence[Parsed]) -> Iterator[Parsed]:
    seen: set[str] = set()
    for document in documents:
        name = document.value.get("scenario") if isinstance(document.value, dict) else None
        if isinstance(name, str) and name in seen:
            yield document
        seen.add(str(name))


def _scenario(file: Path, document: Parsed) -> Scenario:
    data = document.value
    functions, agents = data.get("functions") or {}, data.get("agents") or {}
    return Scenario(
        name=data["scenario"],
        file=file,
        line=_line(document),
        flow=data["flow"],
        flow_path=data.get("flow_path", DEFAULT_PATH),
        flows=data.get("flows") or {},
        scripts={path: script.get("calls") or [{"return": None}] for path, script in (functions | agents).items()},
        manifests={path: script.get("manifest") for path, script in functions.items()},
        agents=frozenset(agents),
        groups=(data.get("people") or {}).get("groups") or {},
        input=data.get("input", {}),
        test_config=data.get("test_config"),
        do=tuple(Action(kind, value) for action in data.get("do") or () for kind, value in action.items()),
        expect=data.get("expect") or {},
    )
