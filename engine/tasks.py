"""What a queue message asks a worker to do."""

from uuid import UUID

from django.db import InterfaceError, OperationalError, connection

from engine import notices
from engine.driver import drive as drive_run
from engine.ports_production import ports


def drive(instance_id: str) -> None:
    """Have a look at this run. Answers nothing: the rows say what became of it.

    A worker keeps its connection and asks nobody whether it still stands, which would cost each message a question: a run that
    could not be taken up is tried again on a new one. A run that could keeps its lease, and is not taken up twice.
    """
    try:
        drive_run(UUID(instance_id), ports())
    except (OperationalError, InterfaceError):
        connection.close()
        drive_run(UUID(instance_id), ports())


def tell(notice_id: str) -> None:
    """Send a notice that is due. As above: one that could not be taken up is tried again, one that was is not sent twice."""
    try:
        notices.deliver(UUID(notice_id), ports())
    except (OperationalError, InterfaceError):
        connection.close()
        notices.deliver(UUID(notice_id), ports())
