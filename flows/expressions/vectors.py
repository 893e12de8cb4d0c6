"""Vectors: small executable requirements on the language, in YAML (their format is in the head of the file).

A vector has an ``id``, one of ``expr``, ``template`` or ``condition``, a ``context``, and either ``expect`` or
``error: true`` with an optional ``kind``.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any, TypeAlias

import yaml

from flows.expressions.conditions import holds
from flows.expressions.errors import ExpressionError
from flows.expressions.expression import evaluate_text
from flows.expressions.templates import resolve

Vector: TypeAlias = dict[str, Any]

SECONDS = 1.0
"""Every vector comes back within this time, counted as work of this process: others may be using the machine."""

_KINDS = {"parse": "parse", "eval": "evaluation"}
_EVALUATE: dict[str, Callable[[Any, Mapping[str, Any]], Any]] = {
    "expr": evaluate_text,
    "template": resolve,
    "condition": holds,
}


@dataclass(frozen=True, slots=True)
class Report:
    """How the vectors of a file went: how many passed, a line for each that failed, and the slowest in seconds."""

    passed: int
    failed: list[str] = field(default_factory=list)
    slowest: float = 0.0


def run_vectors(path: str | Path, *, within: float = SECONDS) -> Report:
    """Evaluate every vector of the file at ``path``; one that takes longer than ``within`` seconds fails.

    Raises ``OSError`` when it cannot be read and ``ValueError`` when it is no file of vectors.
    """
    passed, failed, slowest = 0, [], 0.0
    for vector in read_vectors(path):
        start = process_time()
        complaint = failure_of(vector)
        seconds = process_time() - start
        slowest = max(slowest, seconds)
        if complaint is None and seconds > within:
            complaint = f"took {seconds:.1f} s, which is more than {within:.0f} s"
        if complaint is None:
            passed += 1
        else:
            failed.append(f"{vector['id']}: {complaint}")
    return Report(passed, failed, slowest)


def read_vectors(path: str | Path) -> Iterator[Vector]:
    """The vectors of a file with their contexts put in and long inputs written out, one at a time."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C is ten times as fast and may be missing
    try:
        document = yaml.load(Path(path).read_text("utf-8"), Loader=loader)
    except yaml.YAMLError as error:
        raise ValueError(f"{path} is not YAML: {error}") from None
    if not isinstance(document, dict) or not isinstance(document.get("vectors"), list):
        raise ValueError(f"{path} has no list of 'vectors'")
    contexts = document.get("contexts") or {}
    for vector in document["vectors"]:
        yield _complete(vector, contexts)


def failure_of(vector: Vector) -> str | None:
    """What is wrong with the answer to ``vector``, or None when it is as required."""
    [form] = _EVALUATE.keys() & vector.keys()
    try:
        value = _EVALUATE[form](vector[form], vector["context"])
    except ExpressionError as error:
        if "expect" in vector:
            return f"failed: {error}"
        kind = _KINDS.get(vector.get("kind", ""), error.kind)
        return None if error.kind == kind else f"failed as {error.kind}, not as {kind}: {error}"
    if "expect" not in vector:
        return f"gave {_shown(value)} and should fail"
    return None if is_same(value, vector["expect"]) else f"gave {_shown(value)}, not {_shown(vector['expect'])}"


def is_same(left: Any, right: Any) -> bool:
    """Strict equality: 5 is not 5.0 and 1 is not true; lists in order, objects as sets of members."""
    if type(left) is not type(right):
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(map(is_same, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(is_same(left[key], right[key]) for key in left)
    return bool(left == right)


def _complete(vector: Any, contexts: dict[str, Any]) -> Vector:
    if not isinstance(vector, dict) or len(_EVALUATE.keys() & vector.keys()) != 1 or "id" not in vector:
        raise ValueError(f"a vector has an 'id' and one of {', '.join(_EVALUATE)}: {_shown(vector)}")
    context = vector.get("context", {})
    if isinstance(context, str):
        if context not in contexts:
            raise ValueError(f"vector {vector['id']} has an unknown context {context!r}")
        context = contexts[context]
    return {**_written_out(vector), "context": _written_out(context)}


def _written_out(value: Any) -> Any:
    """``value`` with the maps that stand for long inputs replaced by what they build."""
    if isinstance(value, list):
        return [_written_out(element) for element in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"$concat": list(parts), **others} if not others:
            return "".join(part if isinstance(part, str) else part["repeat"] * part["times"] for part in parts)
        case {"$list": {"item": item, "times": int(times)}, **others} if not others:
            return [_written_out(item) for _ in range(times)]
        case {"$nest": {"leaf": leaf, "times": int(times)}, **others} if not others:
            for _ in range(times):
                leaf = [leaf]
            return leaf
    return {key: _written_out(member) for key, member in value.items()}


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
