"""The actions of ``do``: what happens to a run from outside, done the way people, operators and fate do it."""

from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import UUID

from django.db.models import Q

from engine import commands, inbox, resolutions
from engine.errors import NotFound
from engine.models import InboxTask, Instance
from engine.scenarios.document import Action
from engine.scenarios.optional import command
from engine.scenarios.play import Play
from engine.states import Status, TaskStatus, WaitKind
from flows.durations import parse_duration


def perform(action: Action, play: Play) -> None:
    """Carry the action out and let the runs come to rest. Raises ``EngineError`` when it is refused."""
    _ACTIONS[action.kind](play, action.data)
    play.pump.settle()


def _advance(play: Play, span: str) -> None:
    play.pump.advance(parse_duration(span))


def _complete(play: Play, data: Mapping[str, Any]) -> None:
    task = _task(play, data["step"], data["by"])
    inbox.complete(task.pk, by=data["by"], response=data["response"], ports=play.stage.ports)


def _claim(play: Play, data: Mapping[str, Any]) -> None:
    task = _task(play, data["step"], data["by"])
    command("claim")(task.pk, by=data["by"], ports=play.stage.ports)


def _resume(play: Play, data: Mapping[str, Any]) -> None:
    """Resume the run, the one under test or a child, that waits at the step for an event or a chat's turn."""
    waits = Instance.objects.filter(
        _tree(play), status=Status.WAITING, node_id=data["step"], wait_kind__in=[WaitKind.EVENT, WaitKind.CHAT]
    )
    target = waits.order_by("id").values_list("pk", flat=True).first() or _run(play)
    commands.resume(target, data=data.get("data"), step=data["step"], ports=play.stage.ports)


def _resume_failed(play: Play, data: Mapping[str, Any] | None) -> None:
    decision = resolutions.resume_failed(_run(play), **(data or {}), ports=play.stage.ports)
    play.pump.settle()
    resolutions.carried_out(decision)


def _abandon(play: Play, data: None) -> None:
    resolutions.abandon(_run(play), ports=play.stage.ports)


def _cancel(play: Play, data: None) -> None:
    commands.cancel(_run(play), ports=play.stage.ports)


def _restart(play: Play, data: None) -> None:
    play.pump.restart()


def _duplicate(play: Play, data: None) -> None:
    play.pump.redeliver()


_ACTIONS: Final[Mapping[str, Callable[[Play, Any], None]]] = {
    "advance": _advance,
    "complete": _complete,
    "claim": _claim,
    "resume": _resume,
    "resume_failed": _resume_failed,
    "abandon": _abandon,
    "cancel": _cancel,
    "restart": _restart,
    "duplicate": _duplicate,
}


def _run(play: Play) -> UUID:
    if play.instance_id is None:
        raise NotFound("There is no run: it was never started.")
    return play.instance_id


def _tree(play: Play) -> Q:
    """The run under test and its children."""
    return Q(pk=_run(play)) | Q(root=_run(play))


def _task(play: Play, step: str, by: str) -> InboxTask:
    """The pending task of the step that ``by`` is to answer, else the step's newest one, which may refuse."""
    runs = Instance.objects.filter(_tree(play)).values("pk")
    tasks = InboxTask.objects.filter(instance__in=runs, node_id=step).order_by("-id")
    task = tasks.filter(status=TaskStatus.PENDING, assignee=by).first() or tasks.first()
    if task is None:
        raise NotFound(f"The step {step} has no task.")
    return task
