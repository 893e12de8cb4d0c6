"""The world of one scenario, in one hand: its clock, queue, executor and people, and the real flows."""

from dataclasses import replace

from engine.executors.mocks import MockingExecutor
from engine.ports import Ports
from engine.scenarios.clock import VirtualClock
from engine.scenarios.definitions import ScenarioFlows
from engine.scenarios.document import Scenario
from engine.scenarios.people import ScriptedPeople
from engine.scenarios.queue import InProcessQueue
from engine.scenarios.script import ScriptedExecutor


class Stage:
    """What a scenario plays on. ``ports`` is what the engine is given; a worker that dies gets a successor there."""

    def __init__(self, scenario: Scenario) -> None:
        self.clock = VirtualClock()
        self.queue = InProcessQueue()
        self.executor = ScriptedExecutor(scenario.scripts, scenario.manifests, self.clock)
        self._workers = 1
        self.ports = Ports(
            clock=self.clock,
            executor=MockingExecutor(self.executor, self.clock),
            queue=self.queue,
            people=ScriptedPeople(scenario.groups),
            flows=ScenarioFlows(),
            worker="scenario-1",
        )

    def next_worker(self) -> str:
        """Let another worker take over; answers the name of the one before."""
        before = self.ports.worker
        self._workers += 1
        self.ports = replace(self.ports, worker=f"scenario-{self._workers}")
        return before
