"""The flows of a scenario: checked by the doctor, lowered, and written as published versions."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from engine.ports import Pinned
from engine.ports_production import PublishedFlows
from engine.scenarios.document import Scenario
from flows import doctor, graph
from flows.lowering import lower
from flows.models import Flow, FlowVersion, Workspace


class ScenarioFlows(PublishedFlows):
    """The published flows of one scenario. What it keeps goes with it: another scenario's versions may have its ids."""

    def __init__(self) -> None:
        self._known: dict[int, Pinned] = {}

    def version(self, version_id: int) -> Pinned:
        if version_id not in self._known:
            version = FlowVersion.objects.select_related("flow").get(pk=version_id)
            self._known[version_id] = Pinned(graph.from_json(version.graph), version.flow.path, version.number)
        return self._known[version_id]


def findings(scenario: Scenario, path: str) -> list[doctor.Finding]:
    """What the doctor says to the flow at ``path``. Its library is what the scenario has, to the last item."""
    flows = definitions(scenario)
    library = doctor.Known(functions=scenario.manifests, agents=dict.fromkeys(scenario.agents, ()), flows=flows)
    return list(doctor.check(flows[path], library=library))


def definitions(scenario: Scenario) -> Mapping[str, Mapping[str, Any]]:
    """Every flow by path, the one under test first."""
    return {scenario.flow_path: scenario.flow, **scenario.flows}


def publish(scenario: Scenario) -> FlowVersion:
    """Write the scenario's flows, each with one published version; answers that of the flow under test."""
    workspace, _ = Workspace.objects.get_or_create(slug="default", defaults={"title": "Default"})
    versions = [_publish(workspace, scenario, path, data) for path, data in definitions(scenario).items()]
    return versions[0]


def _publish(workspace: Workspace, scenario: Scenario, path: str, data: Mapping[str, Any]) -> FlowVersion:
    source = json.dumps(data)
    flow = Flow.objects.create(workspace=workspace, path=path, title=path.rpartition("/")[2], draft=source)
    return FlowVersion.objects.create(
        flow=flow,
        number=1,
        source=source,
        definition=data,
        graph=graph.to_json(lower(data, scenario.manifests.get)),
        content_hash=hashlib.sha256(source.encode()).hexdigest(),
    )
