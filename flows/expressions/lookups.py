"""Looking things up, as functions (reference/expressions.md, sections 4 and 7): names, members, keys, methods."""

from collections.abc import Callable
from typing import Any, TypeAlias

from flows.expressions import methods
from flows.expressions.errors import Fault
from flows.expressions.limits import Compute, Evaluation
from flows.expressions.values import incoming, type_name

Step: TypeAlias = Callable[[Any, Evaluation], Any]


def path(name: str, members: tuple[str, ...], at: int, forgiven: bool) -> Compute:
    """A name of the context and dots after it: by far the most frequent expression."""

    def look_up(run: Evaluation) -> Any:
        try:
            value = run.context[name]
        except KeyError:
            if forgiven:
                return None
            run.at = at
            raise Fault(f"there is no '{name}' here") from None
        for member in members:
            if not isinstance(value, dict):
                return None
            value = value.get(member)
        return incoming(value) if type(value) is int else value

    return look_up


def access(base: Compute, steps: tuple[Step, ...]) -> Compute:
    """Whatever ``base`` gives, and step after step on it."""

    def look_up(run: Evaluation) -> Any:
        value = base(run)
        for step in steps:
            value = step(value, run)
        return value

    return look_up


def member(name: str) -> Step:
    """``.name``: null where there is none, and on all but objects."""
    return lambda value, run: incoming(value.get(name)) if isinstance(value, dict) else None


def index(key: Compute, at: int, forgiven: bool) -> Step:
    """``[key]``: strict about what is missing unless ``forgiven``. The key is evaluated even for null."""

    def look_up(value: Any, run: Evaluation) -> Any:
        wanted = key(run)
        if value is None:
            return None
        run.at = at
        try:
            return incoming(value[_usable_key(wanted, value)])
        except (KeyError, IndexError):
            if forgiven:
                return None
            missing = "key" if isinstance(value, dict) else "index"
            raise Fault(f"the {type_name(value)} has no such {missing}; give it with | default(...)") from None

    return look_up


def _usable_key(key: Any, container: Any) -> Any:
    """``key`` as Python takes it for ``container``; raises :class:`Fault` for a wrong type, ``IndexError`` below 0."""
    if isinstance(container, dict):
        if not isinstance(key, str):
            raise Fault(f"a key of an object is a string, not {type_name(key)}")
        return key
    if not isinstance(container, list):
        raise Fault(f"[...] works on an array or object, not on {type_name(container)}")
    place = methods.whole(key, "[...]")
    if place < 0:
        raise IndexError
    return place


def call(method: str, arguments: tuple[Compute, ...], at: int) -> Step:
    """``.method(arguments)``: on null it is null, and nobody looks at the arguments."""

    def look_up(value: Any, run: Evaluation) -> Any:
        if value is None:
            return None
        given = []
        for argument in arguments:
            given.append(argument(run))
        run.at = at
        return methods.call(method, value, given, run)

    return look_up
