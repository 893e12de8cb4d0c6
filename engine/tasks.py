"""What a queue message asks a worker to do."""

from uuid import UUID

from engine.driver import drive as drive_run
from engine.ports_production import ports


def drive(instance_id: str) -> None:
    """Have a look at this run. Answers nothing: the rows say what became of it."""
    drive_run(UUID(instance_id), ports())
