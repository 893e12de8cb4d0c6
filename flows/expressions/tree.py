"""The tree that the parser gives: plain data with offsets into the text (``at``), for evaluation and for the doctor.

A chain is one branch with many parts, however long it is; only brackets, arguments and prefix operators nest.
Parentheses leave no trace: the tree says what binds to what.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Constant:
    """A value written in the text, arrays and objects included."""

    value: Any
    at: int


@dataclass(frozen=True, slots=True)
class Name:
    """A top-level name of the context."""

    name: str
    at: int


@dataclass(frozen=True, slots=True)
class Member:
    """``.name``; ``at`` is the dot."""

    name: str
    at: int


@dataclass(frozen=True, slots=True)
class Index:
    """``[key]``; ``at`` is the opening bracket."""

    key: "Tree"
    at: int


@dataclass(frozen=True, slots=True)
class Call:
    """``.method(arguments)``; ``at`` is the dot."""

    method: str
    arguments: "tuple[Tree, ...]"
    at: int


@dataclass(frozen=True, slots=True)
class Access:
    """A value and what is looked up in it or called on it, left to right."""

    base: "Tree"
    steps: tuple[Member | Index | Call, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Negative:
    """``-operand``."""

    operand: "Tree"
    at: int


@dataclass(frozen=True, slots=True)
class Not:
    """``!operand`` and ``not operand``."""

    operand: "Tree"
    at: int


@dataclass(frozen=True, slots=True)
class Operation:
    """One operator of a chain with its right side; ``at`` is the operator."""

    operator: str
    operand: "Tree"
    at: int


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``first`` and what is added to it, or multiplied with it, left to right. One chain holds one precedence level."""

    first: "Tree"
    rest: tuple[Operation, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sides with one of ``== != < <= > >= in`` or ``not in`` between them; ``at`` is the operator."""

    operator: str
    left: "Tree"
    right: "Tree"
    at: int


@dataclass(frozen=True, slots=True)
class Logic:
    """Operands joined by ``and`` or by ``or``, in either spelling."""

    operator: Literal["and", "or"]
    operands: "tuple[Tree, ...]"
    at: int


@dataclass(frozen=True, slots=True)
class Filter:
    """``| name(arguments)``; ``at`` is the name."""

    name: str
    arguments: "tuple[Tree, ...]"
    at: int


@dataclass(frozen=True, slots=True)
class Filtered:
    """A value and the filters that it passes through, left to right."""

    operand: "Tree"
    filters: tuple[Filter, ...]
    at: int

    @property
    def forgives(self) -> bool:
        """Whether a ``default`` among the filters lets the operand be missing."""
        return any(part.name in DEFAULT_FILTERS for part in self.filters)


Tree: TypeAlias = Constant | Name | Access | Negative | Not | Arithmetic | Comparison | Logic | Filtered

_LEAVES = (Constant, Name)

DEFAULT_FILTERS = frozenset({"default", "d"})


def walk(root: Tree) -> Iterator[tuple[Tree, bool]]:
    """Every branch before what it is made of, in the order of the text, each with whether it is forgiven.

    A forgiven look-up gives null for what is missing: it stands in the operand of a ``default``, seen through
    parentheses, postfix and further filters, and nothing else (section 11, "What default forgives").
    """
    waiting = [(root, False)]
    while waiting:
        tree, forgiven = waiting.pop()
        yield tree, forgiven
        if not isinstance(tree, _LEAVES):
            waiting.extend(reversed(list(_parts(tree, forgiven))))


def _parts(tree: Tree, forgiven: bool) -> Iterator[tuple[Tree, bool]]:
    match tree:
        case Access(base, steps):
            yield base, forgiven
            for step in steps:
                yield from _strict(_inside(step))
        case Filtered(operand, filters):
            yield operand, forgiven or tree.forgives
            for part in filters:
                yield from _strict(part.arguments)
        case Negative(operand) | Not(operand):
            yield operand, False
        case Arithmetic(first, rest):
            yield first, False
            yield from _strict(tuple(operation.operand for operation in rest))
        case Comparison(left=left, right=right):
            yield from _strict((left, right))
        case Logic(operands=operands):
            yield from _strict(operands)


def _inside(step: Member | Index | Call) -> tuple[Tree, ...]:
    match step:
        case Index(key):
            return (key,)
        case Call(arguments=arguments):
            return arguments
    return ()


def _strict(trees: tuple[Tree, ...]) -> Iterator[tuple[Tree, bool]]:
    return ((tree, False) for tree in trees)
