"""Test runs: started from a flow's draft, and gone again when they have served (reference/flow-format.md, section 10).

To the engine they are runs like any other. What stands in for functions and agents is :mod:`engine.executors.mocks`.
"""

from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from engine import commands, rehearsal, wakeups
from engine.errors import Conflict, NotFound
from engine.models import Instance
from engine.ports import Ports
from engine.states import TERMINAL, Status, WaitKind
from engine.testconfig import has_replies, is_compressed
from flows.errors import DefinitionRejected
from flows.models import Flow, FlowVersion
from flows.publishing import snapshot
from flows.text import DocumentError
from flows.versions import newest_published

LINGERS: Final = timedelta(minutes=5)
"""How long a run stays after its end was read: whoever followed it may ask for its output."""
KEPT_UNREAD: Final = timedelta(hours=1)
BATCH: Final = 100


def start_test(
    flow: Flow,
    *,
    input: Any,
    test_config: dict[str, Any] | None = None,
    by: str | None = None,
    user: User | None = None,
    key: str | None = None,
    ports: Ports,
) -> Instance:
    """Start a test run of the flow's draft as it is now; of its newest version where it has no draft.

    Raises what :func:`engine.commands.start` does, and ``Conflict`` for a draft that cannot run, with the doctor's errors.
    """
    commands.check_test_config(test_config)
    with transaction.atomic():
        return commands.start(
            flow.pk,
            _version(flow).pk,
            input=input,
            by=by,
            user=user,
            key=key,
            is_test=True,
            test_config=test_config,
            ports=ports,
        )


def start_again(run: Instance, *, newest: bool, by: str, user: User, key: str | None, ports: Ports) -> Instance:
    """Start a flow once more with the input of a run, and its test configuration: on its own version or the newest there is.

    Raises what :func:`engine.commands.start` does, and ``Conflict`` for a part of another run.
    """
    if run.parent_id is not None:
        raise Conflict("This run belongs to another one. Start that one again; nothing was started.")
    who: dict[str, Any] = {"by": by, "user": user, "key": key, "ports": ports}
    if newest and run.is_test:
        return start_test(run.flow, input=run.input, test_config=run.test_config, **who)
    version = newest_published(run.workspace_id, run.flow.path) if newest else run.version
    if version is None:
        raise Conflict(f"{run.flow} has no published version. Publish it first; nothing was started.")
    told = {"is_test": run.is_test, "test_config": run.test_config}
    return commands.start(run.flow_id, version.pk, input=run.input, **told, **who)


def delivered(instance_id: UUID, ports: Ports) -> None:
    """Somebody has read how this run ended: one that is to be discarded may go soon."""
    ended = Instance.objects.filter(pk=instance_id, auto_discard=True, status__in=TERMINAL, delivered_at=None)
    ended.update(delivered_at=ports.clock.now())


def discard_ended(ports: Ports) -> int:
    """Delete the test runs that have served; answers how many. Safe in every cluster at once, and after any crash."""
    now = ports.clock.now()
    over = Q(delivered_at__lt=now - LINGERS) | Q(ended_at__lt=now - KEPT_UNREAD)
    ended = Instance.objects.filter(over, auto_discard=True, status__in=TERMINAL).order_by("ended_at")
    count = 0
    for instance_id in list(ended.values_list("pk", flat=True)[:BATCH]):
        try:
            commands.delete(instance_id)
        except (NotFound, Conflict):  # another cluster was faster, or it was resumed
            continue
        count += 1
    return count


def go_on_resting(ports: Ports) -> int:
    """Let the runs go on whose worker died between their coming to rest and what their configuration has happen then: compressed
    time, scripted answers; answers how many."""
    rests = (WaitKind.TIMER, WaitKind.RETRY, WaitKind.FUNCTION, WaitKind.AGENT)
    resting = Instance.objects.filter(status=Status.WAITING, is_test=True, wait_kind__in=rests).order_by("-pk")
    found = [pk for pk, config in resting.values_list("pk", "test_config")[:BATCH] if is_compressed(config)]
    return sum(wakeups.hurry(instance_id, ports) for instance_id in found) + _answer_asking(ports)


def _answer_asking(ports: Ports) -> int:
    asking = Instance.objects.filter(status=Status.WAITING, is_test=True, wait_kind=WaitKind.HUMAN_TASK).order_by("-pk")
    found = [pk for pk, config in asking.values_list("pk", "test_config")[:BATCH] if has_replies(config)]
    return sum(rehearsal.answer(instance_id, ports) for instance_id in found)


def _version(flow: Flow) -> FlowVersion:
    if not flow.draft.strip():
        published = newest_published(flow.workspace_id, flow.path)
        if published is None:
            raise Conflict(f"{flow} has neither a draft nor a version. Draw it first; nothing was started.")
        return published
    try:
        return snapshot(flow, flow.draft)
    except DocumentError as error:
        raise Conflict(f"The draft of {flow} cannot be read: {error}", field="flow_path") from error
    except DefinitionRejected as refused:
        errors = [each for each in refused.findings if each.is_error]
        problems = [{"field": _place(each.node, each.field), "message": each.message} for each in errors]
        raise Conflict(f"{refused.message} Nothing was started.", node=errors[0].node, problems=problems) from refused


def _place(node: str, field: str) -> str:
    return ".".join(part for part in (node, field) if part) or "flow"
