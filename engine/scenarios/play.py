"""One scenario being played: where it stands, and the order of what happens."""

from uuid import UUID

from engine import commands
from engine.errors import EngineError
from engine.scenarios import definitions
from engine.scenarios.document import Scenario
from engine.scenarios.pump import Pump
from engine.scenarios.seen import Seen
from engine.scenarios.stage import Stage


class Play:
    """A scenario with its stage and its run. ``refusal`` tells why the last action was refused, if it was."""

    def __init__(self, scenario: Scenario, stage: Stage) -> None:
        self.scenario = scenario
        self.stage = stage
        self.pump = Pump(stage)
        self.findings = definitions.findings(scenario, scenario.flow_path)
        self.instance_id: UUID | None = None
        self.refusal: str | None = None

    @property
    def is_rejected(self) -> bool:
        """Whether the doctor refuses the flow under test, so that nothing is started."""
        return any(finding.is_error for finding in self.findings)

    def start(self) -> None:
        """Publish the flows and start the run; it comes to rest before this returns."""
        scenario, version = self.scenario, definitions.publish(self.scenario)
        instance = commands.start(
            version.flow_id,
            version.pk,
            input=scenario.input,
            is_test=scenario.test_config is not None,
            test_config=None if scenario.test_config is None else dict(scenario.test_config),
            ports=self.stage.ports,
        )
        self.instance_id = instance.pk
        self.pump.settle()

    def seen(self) -> Seen | None:
        """A fresh look at the run; ``None`` while there is none."""
        return None if self.instance_id is None else Seen(self.instance_id, self.stage.clock)


def refusal_of(error: EngineError) -> str:
    """A refusal as one text: its stable code, its message, and each problem's field and message."""
    problems = [f"{each.get('field')}: {each.get('message')}" for each in getattr(error, "problems", [])]
    return "; ".join([f"{error.code}: {error.message}", *problems])
