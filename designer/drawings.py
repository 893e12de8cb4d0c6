"""What the steps of a version are called and how they lie in each other, for everything that tells of a run.

A version never changes, so its drawing is kept; a list of runs of many versions costs one query for those not yet seen.
"""

import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

from flows import graph, kinds
from flows.expressions import ExpressionError, parse_template
from flows.models import FlowVersion
from flows.values import dumps

KEPT: Final = 256
_MARKER: Final = re.compile(r"\{\{.*?\}\}|\$\{.*?\}", re.DOTALL)

Key = tuple[int, str]
"""A version's primary key and content hash."""


@dataclass(frozen=True, slots=True)
class DrawnStep:
    """A step or container as drawn. ``action`` is its label as authored, templates and all; ``depth`` counts containers."""

    id: str
    kind: str
    action: str
    depth: int
    parent: str | None
    settings: Mapping[str, Any]

    @property
    def is_container(self) -> bool:
        return self.kind in kinds.CONTAINER_KINDS

    @property
    def calls(self) -> str:
        """The path of the function, agent or flow it calls; empty for none."""
        names = ("function_ref", "agent_ref", "flow_ref")
        return next((path for name in names if (path := kinds.reference_path(self.settings.get(name)))), "")

    @property
    def name(self) -> str:
        """What it is called where no run is spoken of: an ellipsis for what each run fills in."""
        return _MARKER.sub("…", self.action) or humanised(self.id)

    def label(self, given: Any = None) -> str:
        """Its name for people; ``given`` is the run's input, the one thing that labels can be filled from anywhere."""
        return filled(self.action, given) or humanised(self.id)


@dataclass(frozen=True, slots=True)
class Drawing:
    """The steps of a version by id, in document order."""

    steps: Mapping[str, DrawnStep] = field(default_factory=dict)

    def label(self, step_id: str, given: Any = None) -> str:
        """The step's name; one that the version does not know is called by its id."""
        step = self.steps.get(step_id)
        return step.label(given) if step else humanised(step_id)

    def depth(self, step_id: str) -> int:
        """How many containers lie around the step."""
        step = self.steps.get(step_id)
        return step.depth if step else 0

    def reads_input(self, step_id: str) -> bool:
        """Whether the step's name has places to fill in."""
        step = self.steps.get(step_id)
        return bool(step and _MARKER.search(step.action))


def humanised(step_id: str) -> str:
    """``risk_check`` as ``Risk check``."""
    words = step_id.replace("_", " ").replace("-", " ").strip()
    return words[:1].upper() + words[1:]


def filled(text: str, given: Any) -> str:
    """A label with the run's input filled in; what only the run itself knows becomes an ellipsis."""
    if not _MARKER.search(text):
        return text
    try:
        found = parse_template(text).resolve({"input": given})
    except ExpressionError:
        return _MARKER.sub("…", text)
    if found is None:
        return ""
    return found if isinstance(found, str) else dumps(found)


def draw(lowered: graph.Graph) -> Drawing:
    """The drawing of a lowered definition."""
    steps = {}
    for node in lowered.nodes:
        around = lowered.ancestors(node.index)
        action = node.settings.get("action")
        steps[node.id] = DrawnStep(
            id=node.id,
            kind=node.kind,
            action=action if isinstance(action, str) else "",
            depth=len(around),
            parent=lowered.nodes[around[-1]].id if around else None,
            settings=node.settings,
        )
    return Drawing(steps)


_kept: OrderedDict[Key, Drawing] = OrderedDict()
_lock = Lock()


def drawings_of(versions: Iterable[FlowVersion]) -> dict[int, Drawing]:
    """The drawings of these versions by primary key; at most one query. Only their hashes need be loaded."""
    keys = {(version.pk, version.content_hash) for version in versions}
    with _lock:
        found = {key: _kept[key] for key in keys if key in _kept}
    missing = {key[0]: key for key in keys - found.keys()}
    if missing:
        graphs = FlowVersion.objects.filter(pk__in=missing).order_by().values_list("pk", "graph")
        fresh = {missing[pk]: draw(graph.from_json(lowered)) for pk, lowered in graphs}
        found |= fresh
        with _lock:
            _kept.update(fresh)
            while len(_kept) > KEPT:
                _kept.popitem(last=False)
    return {key[0]: drawing for key, drawing in found.items()}


def drawing_of(version: FlowVersion) -> Drawing:
    """The drawing of one version."""
    return drawings_of([version])[version.pk]
