"""Where a run stands, small enough to be written with every step.

Pure. A position holds the open containers, the open visit, counters and the last error; outputs live in the visits and are
never carried along (design/engine-notes.md, section 7).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

from engine.states import Phase


@dataclass(frozen=True, slots=True)
class Frame:
    """An open container: its node's index, the ``seq`` and ``number`` of its visit, and what its kind remembers."""

    node: int
    seq: int
    number: int
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Leaf:
    """The open visit of a step.

    ``rests`` is the kind of wait it rests on, empty otherwise. ``out`` is true from the commit that records an attempt's
    start to the one that records its end: found true by a new driver, it means that a worker died in the call. ``began`` is
    the attempt's start, ``since`` the wait's. ``done`` is the last attempt behind which the visit went on with another call:
    retries count from there. ``key`` is the idempotency key of the step's own that every call of the visit sends. ``index`` is
    the iteration behind which a loop failed of itself.
    """

    node: int
    seq: int
    number: int
    attempt: int = 0
    rests: str = ""
    out: bool = False
    deadline: str | None = None
    began: str | None = None
    since: str | None = None
    done: int = 0
    index: int | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Undoing:
    """The compensation a rollback, or the undo a redo is busy with: whose it is, its place there, its step, and the number of
    its try.

    ``seq`` is a number that no visit and no other compensation of the run has: what news of its call goes by. ``out`` as for
    a leaf; ``rests`` is the kind of wait between two tries or on a parked call, ``due`` its end.
    """

    instance: str
    position: int
    node_id: str
    seq: int = 0
    attempt: int = 0
    out: bool = False
    deadline: str | None = None
    rests: str = ""
    due: str | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """What people decided of the run's failures so far: ``resumes`` is how many they let go on; ``abandoned`` is final."""

    resumes: int = 0
    abandoned: bool = False


@dataclass(frozen=True, slots=True)
class Redo:
    """A redo that was decided and is carried out when its undos are done: never decided again, whoever dies meanwhile.

    The visits from ``first`` on are replaced. Control then goes to ``node``, or with ``whole`` to the entry of the scope
    ``node`` (the flow itself where it is ``None``).
    """

    first: int
    round: int
    node: int | None
    whole: bool = False
    keeps: int | None = None
    """A visit that goes on though it is within: that of the parallel whose branches all start again."""


@dataclass(slots=True)
class Position:
    """Where a run stands between two transactions. A transition changes a copy of its own.

    ``target`` is the node to enter next (``END_INDEX`` for the end), when nothing is open. ``ending`` is the status a
    rollback or a cancellation leads to, with what is written with it.
    """

    frames: tuple[Frame, ...] = ()
    leaf: Leaf | None = None
    target: int | None = None
    scope: int | None = None
    """The parallel container whose branch this run is; nothing outside it exists for the run."""
    entry: int | None = None
    """The one child of ``scope`` that is the branch; ``None`` when all of them are, as in a fan-out."""
    made_by: int = 0
    """Of a child run: the attempt of its parent's visit that started it."""
    phase: str = Phase.FORWARD.value
    undoing: Undoing | None = None
    ending: Mapping[str, Any] | None = None
    resuming: Mapping[str, Any] | None = None
    """A resume that waits for what must go in any case: what was asked, and how the run stood."""
    settled: Settled | None = None
    error: Mapping[str, Any] | None = None
    human: int | None = None
    """The ``seq`` of the latest answered human task: ``__human_response``."""
    last_seq: int = 0
    completions: int = 0
    compensations: int = 0
    undone: int = 0
    redo: Redo | None = None
    rounds: Mapping[str, int] = field(default_factory=dict)
    """How often each open scope was redone, by the ``seq`` of its visit; the flow's is 0."""
    undos: int | None = None
    """How many undos were planned so far; their places are counted on."""
    broken: Mapping[str, Any] | None = None
    """Why the branches of the open parallel are ended before it is joined (:mod:`engine.machine.branches`)."""
    repeats: bool = False
    """Steps may be visited again for an effect they had before: by a redo or a resume."""
    skew: float = 0.0
    """Seconds by which this run's clock is ahead of the world's: a test run in compressed time does not wait."""


_EMPTY: Final[tuple[Any, ...]] = (None, (), "", {})
_NAMES = tuple(each.name for each in fields(Position))
_LEAF_NAMES = tuple(each.name for each in fields(Leaf))


def to_json(position: Position) -> dict[str, Any]:
    """The position as plain JSON, empty members left out; :func:`from_json` is its inverse."""
    found = {name: getattr(position, name) for name in _NAMES}
    plain = {name: value for name, value in found.items() if value not in _EMPTY and value is not False}
    if position.frames:
        plain["frames"] = [asdict(frame) for frame in position.frames]
    if position.leaf is not None:
        leaf = {name: getattr(position.leaf, name) for name in _LEAF_NAMES}
        plain["leaf"] = {name: value for name, value in leaf.items() if value is not None}
    if position.undoing is not None:
        plain["undoing"] = asdict(position.undoing)
    if position.settled is not None:
        plain["settled"] = asdict(position.settled)
    if position.redo is not None:
        plain["redo"] = asdict(position.redo)
    return plain


def from_json(data: Mapping[str, Any]) -> Position:
    """The position that :func:`to_json` wrote."""
    values = dict(data)
    if "frames" in values:
        values["frames"] = tuple(Frame(**each) for each in values["frames"])
    if "leaf" in values:
        values["leaf"] = Leaf(**values["leaf"])
    if "undoing" in values:
        values["undoing"] = Undoing(**values["undoing"])
    if "settled" in values:
        values["settled"] = Settled(**values["settled"])
    if "redo" in values:
        values["redo"] = Redo(**values["redo"])
    return Position(**values)
