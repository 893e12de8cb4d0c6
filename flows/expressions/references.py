"""What an expression looks up, for whoever checks a flow (reference/expressions.md, section 13)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from flows.expressions.errors import Lines, Within
from flows.expressions.tree import Access, Constant, Index, Member, Name, Tree, walk

_TIGHT_HYPHENS = re.compile(r"(?:-[A-Za-z0-9_]+)+")
_LOOSE_HYPHEN = re.compile(r"[ \t\r\n]*-[ \t\r\n]*([A-Za-z0-9_]+)")


@dataclass(frozen=True, slots=True)
class Key:
    """One static step of a path: ``.name``, or ``[literal]`` with a string or an integer."""

    name: str | int
    is_bracket: bool


@dataclass(frozen=True, slots=True)
class Hyphen:
    """A subtraction that may be meant as a name: ``steps.create-user.id`` takes ``user.id`` from ``steps.create``.

    ``name`` is the name that would result, blanks left out (``create-user``). ``is_tight`` says that there are none in
    the text; ``steps.make - it.v`` has some and gives ``make-it``.
    """

    name: str
    is_tight: bool


@dataclass(frozen=True, slots=True)
class Reference:
    """A top-level name and the static path behind it, as far as it goes before a method or a computed key.

    ``is_forgiven`` says that a ``default`` stands in when it is missing. ``hyphen`` is set when a minus and a name or
    number follow the last name of the path. ``line``, ``column`` and ``within`` are those of an
    :class:`ExpressionError`.
    """

    root: str
    path: tuple[Key, ...]
    is_forgiven: bool
    hyphen: Hyphen | None
    line: int
    column: int
    within: Within = ()

    def inside(self, within: Within) -> "Reference":
        """The same reference, seen from a structure in which ``within`` leads to its string."""
        if not within:
            return self
        within = (*within, *self.within)
        return Reference(self.root, self.path, self.is_forgiven, self.hyphen, self.line, self.column, within)


def references(root: Tree, text: str, lines: Lines, start: int = 0) -> Iterator[Reference]:
    """All references of ``root``, in order. Its text stands in ``text`` from offset ``start`` on."""
    bases: set[int] = set()
    for tree, forgiven in walk(root):
        match tree:
            case Access(Name() as name, steps):
                bases.add(id(name))
                yield _reference(name, steps, forgiven, text, lines, start)
            case Name() if id(tree) not in bases:
                yield _reference(tree, (), forgiven, text, lines, start)


def _reference(name: Name, steps: tuple[object, ...], forgiven: bool, text: str, lines: Lines, start: int) -> Reference:
    path: list[Key] = []
    end: int | None = start + name.at + len(name.name)
    last = name.name
    for step in steps:
        match step:
            case Member(member, at):
                path.append(Key(member, is_bracket=False))
                last, end = member, start + at + 1 + len(member)
            case Index(Constant(value=str() | int() as key)) if not isinstance(key, bool):
                path.append(Key(key, is_bracket=True))
                end = None
            case _:
                end = None
                break
    hyphen = _hyphen(last, text, end) if end is not None else None
    return Reference(name.name, tuple(path), forgiven, hyphen, *lines.position(start + name.at))


def _hyphen(last: str, text: str, end: int) -> Hyphen | None:
    """The trap behind offset ``end``, where the path ends. The text parses, so a minus there is a subtraction."""
    if tight := _TIGHT_HYPHENS.match(text, end):
        return Hyphen(last + tight[0], is_tight=True)
    if loose := _LOOSE_HYPHEN.match(text, end):
        return Hyphen(f"{last}-{loose[1]}", is_tight=False)
    return None
