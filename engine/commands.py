"""What people and programs may do to runs. Web requests call these; none of them runs a step.

Each is one transaction, safe to repeat, and refuses with an :class:`engine.errors.EngineError` that says why.
"""

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from jsonschema import Draft202012Validator

from engine import outcomes, search, wakeups
from engine.driver import settle
from engine.errors import Conflict, InvalidInput, NotFound
from engine.machine import position as positions
from engine.models import (
    Attempt,
    Binding,
    Compensation,
    Event,
    InboxTask,
    Instance,
    LiveText,
    Notice,
    Resolution,
    SearchTerm,
    Signal,
    Undo,
    Visit,
    Wakeup,
    new_id,
)
from engine.ports import Ports
from engine.states import TERMINAL, Phase, Status, WaitKind
from engine.testconfig import is_discarded, problems_of
from engine.transitions import lock_run, post
from flows.models import Flow, FlowVersion
from flows.publishing import drop_snapshot
from flows.values import NotKept, dumps, recorded

KEY_LASTS = timedelta(hours=24)
RESUMABLE = (WaitKind.EVENT, WaitKind.CHAT)
"""What :func:`resume` ends: a wait for what somebody outside has to say."""
KEPT_BY_RUN = (
    Visit, Attempt, Binding, Compensation, Event, InboxTask, LiveText, Notice, Resolution, SearchTerm, Signal, Undo, Wakeup,
)  # fmt: skip


def start(
    flow_id: int,
    version_id: int,
    *,
    input: Any,
    by: str | None = None,
    user: User | None = None,
    trigger: dict[str, Any] | None = None,
    key: str | None = None,
    is_test: bool = False,
    test_config: dict[str, Any] | None = None,
    ports: Ports,
) -> Instance:
    """Start a run of that version: write it, and the hint. The first worker that is free begins it.

    ``key`` makes the call safe to repeat for 24 hours: the same key and input answer the same run.
    Raises ``InvalidInput`` (every problem with its field) and ``Conflict`` (disabled flow, key used with another input).
    Test runs are started with :func:`engine.testruns.start_test`.
    """
    _check_json(input)
    check_test_config(test_config)
    digest = hashlib.sha256(dumps([is_test, test_config, input]).encode()).hexdigest()

    def once() -> Instance:
        version = _startable(flow_id, version_id)
        earlier = _earlier(version.flow, key, digest, ports)
        if earlier is not None:
            return earlier
        if not version.flow.enabled and not is_test:
            raise Conflict(f"{version.flow} is disabled. Enable it first; nothing was started.")
        check_input(version, input)
        instance = _new(version, input, by, user, trigger, key, digest, is_test, test_config, ports)
        search.index([instance])
        ports.queue.hint(instance.id)
        return instance

    try:
        with transaction.atomic():
            return once()
    except IntegrityError:  # somebody started with the same key meanwhile: now that run is found
        if key is None:
            raise
        with transaction.atomic():
            return once()


def _startable(flow_id: int, version_id: int) -> FlowVersion:
    versions = FlowVersion.objects.select_related("flow__workspace").defer("source", "graph")
    version = versions.filter(pk=version_id, flow_id=flow_id).first()
    if version is None:
        raise NotFound("There is no such version of this flow.")
    return version


def check_input(version: FlowVersion, value: Any) -> None:
    """Check a run's input: an object that can be recorded, and as the flow's ``input_schema`` wants it."""
    _check_json(value)
    schema = (version.definition or {}).get("input_schema")
    if schema is None:
        return
    errors = sorted(
        Draft202012Validator(schema).iter_errors(value), key=lambda each: list(map(str, each.absolute_path))
    )
    problems = [
        {"field": "/".join(["input", *map(str, each.absolute_path)]), "message": each.message} for each in errors
    ]
    if problems:
        raise InvalidInput(f"The input does not fit: {problems[0]['message']}.", problems=problems, field="input")


def check_test_config(config: Any) -> None:
    """Check how a test run is to behave; ``None`` is as good as nothing said."""
    problems = [] if config is None else problems_of(config)
    if problems:
        first = problems[0]
        raise InvalidInput(f"{first['field']}: {first['message']}", problems=problems, field=first["field"])


def _check_json(value: Any) -> None:
    if not isinstance(value, dict):
        raise InvalidInput("The input must be a JSON object.", field="input")
    try:
        recorded(value, most=settings.SULTANA_OUTPUT_LIMIT)
    except NotKept as problem:
        raise InvalidInput(f"The input {problem}", field="input") from problem


def _earlier(flow: Flow, key: str | None, digest: str, ports: Ports) -> Instance | None:
    """The run that was started with the same key, as long as the key is remembered."""
    if key is None:
        return None
    found = Instance.objects.filter(flow=flow, start_key=key).first()
    if found is None:
        return None
    if found.created_at < ports.clock.now() - KEY_LASTS:
        Instance.objects.filter(pk=found.pk, start_key=key).update(start_key=None)
        return None
    if found.start_digest != digest:
        raise Conflict("This key was used for another start of this flow. Use a new one.", field="Idempotency-Key")
    return found


def _new(
    version: FlowVersion,
    value: Any,
    by: str | None,
    user: User | None,
    trigger: dict[str, Any] | None,
    key: str | None,
    digest: str,
    is_test: bool,
    test_config: dict[str, Any] | None,
    ports: Ports,
) -> Instance:
    now = ports.clock.now()
    told = {"event_type": "manual", "fired_at": now.isoformat(), "actor": by, "repo_id": version.flow.workspace.slug}
    return Instance.objects.create(
        id=new_id(),
        workspace_id=version.flow.workspace_id,
        flow_id=version.flow_id,
        version=version,
        input=value,
        trigger={**told, **(trigger or {})},
        position={},
        is_test=is_test,
        test_config=test_config,
        auto_discard=is_test and is_discarded(test_config),
        started_by=user,
        start_key=key,
        start_digest=digest if key else "",
        created_at=now,
        hinted_at=now,
    )


@dataclass(frozen=True, slots=True)
class CancelOutcome:
    """Where a run stands after a wish to cancel; ``requested`` while a call is still out that must be awaited."""

    status: str
    requested: bool


def cancel(instance_id: UUID, *, by: str | None = None, roll_back: bool = False, ports: Ports) -> CancelOutcome:
    """Ask a run to end: nothing new starts, open waits and tasks are cancelled, child runs first.

    Where nobody moves the run it is carried out here and now. Raises ``NotFound``, ``Conflict`` (ended, rolling back).
    """
    with transaction.atomic():
        instance = _get(instance_id)
        _check_cancellable(instance)
        post(instance_id, "cancel", {"by": by or "", "roll_back": roll_back}, ports)
        Instance.objects.filter(pk=instance_id).update(cancel_requested=True)
    settle(instance_id, ports)
    status = _get(instance_id).status
    return CancelOutcome(status, requested=status not in TERMINAL)


def _check_cancellable(instance: Instance) -> None:
    if instance.status in TERMINAL:
        raise Conflict(f"This run has already ended ({instance.get_status_display()}).")
    if instance.phase == Phase.ROLLING_BACK:
        raise Conflict("This run is being rolled back. It cannot be cancelled half undone; wait for its end.")
    if instance.phase == Phase.UNWINDING:
        raise Conflict("This run is being made ready to go on. Cancel it when it does.")
    if instance.root is not None and instance.root.status == Status.HELD:
        raise Conflict(f"This run is a part of the run {instance.root_id}, which is held: decide about that one.")


def resume(instance_id: UUID, *, data: Any = None, step: str | None = None, by: str | None = None, ports: Ports) -> int:
    """Tell a run that the event it waits for has come, or what the user of its chat says; answers the signal's id.

    Nothing is run here. A chat's data are ``{message}``. Raises ``NotFound``, ``Conflict`` (it waits for neither) and
    ``InvalidInput`` (data that is no JSON, a chat without a message).
    """
    try:
        recorded(data, most=settings.SULTANA_OUTPUT_LIMIT)
    except NotKept as problem:
        raise InvalidInput(f"The data {problem}", field="resume_data") from problem
    with transaction.atomic():
        instance = _get(instance_id)
        leaf = positions.from_json(instance.position).leaf
        waits = instance.status == Status.WAITING and leaf is not None and leaf.rests in RESUMABLE
        if not waits or leaf is None or (step is not None and instance.node_id != step):
            raise Conflict("This run does not wait for an event or a message; nothing was changed.", node=step)
        if leaf.rests == WaitKind.CHAT:
            _check_message(data)
        if Signal.objects.filter(instance=instance_id, kind__in=["arrived", "wake", "cancel"]).exists():
            raise Conflict("What this run waits for has already come or is over; nothing was changed.", node=step)
        return post(instance_id, "arrived", {"seq": leaf.seq, "data": data, "by": by}, ports)


def _check_message(data: Any) -> None:
    message = data.get("message") if isinstance(data, dict) else None
    if not isinstance(message, str) or not message.strip():
        raise InvalidInput('A chat is told {"message": "..."}, and the message is no blank text.', field="message")


def retry_now(instance_id: UUID, *, by: str, ports: Ports) -> None:
    """Begin the attempt that a run waits for without further waiting; who wanted it stands in its events.

    Nothing is run here. Raises ``NotFound``, ``Conflict`` (it waits for no attempt, or somebody was faster).
    """
    with transaction.atomic():
        _get(instance_id)
        if not wakeups.retry_now(instance_id, ports, by=by):
            raise Conflict("This run does not wait for its next try; nothing was changed.")


def deliver_result(instance_id: UUID, *, visit_seq: int, attempt: int, result: outcomes.Result, ports: Ports) -> int:
    """Give a run the answer to a call that it rests on. Late or doubled answers change nothing."""
    payload = {"seq": visit_seq, "attempt": attempt, "result": outcomes.to_json(result)}
    with transaction.atomic():
        return post(instance_id, "result", payload, ports)


def delete(instance_id: UUID) -> None:
    """Delete a run that has ended, with its child runs and all their rows, and the snapshot of a draft that no other run needs.

    Raises ``NotFound``, ``Conflict``.
    """
    with transaction.atomic():
        instance = _get(instance_id)
        if instance.parent_id is not None:
            raise Conflict("This run belongs to another one. Delete that one.")
        if instance.status not in TERMINAL:
            raise Conflict("This run has not ended. Cancel it first.")
        family = [instance_id, *Instance.objects.filter(root=instance_id).values_list("id", flat=True)]
        for model in KEPT_BY_RUN:
            rows = model._default_manager.filter(instance__in=family)
            rows._raw_delete(rows.db)
        Instance.objects.filter(root=instance_id).update(parent=None)
        Instance.objects.filter(id__in=family).order_by("-id").delete()
        drop_snapshot(instance.flow_id, instance.version_id)


def _get(instance_id: UUID) -> Instance:
    """The run as it is now; in a transaction, locked against others who would tell it something."""
    instance = (
        lock_run(instance_id) if connection.in_atomic_block else Instance.objects.filter(pk=instance_id)
    ).first()
    if instance is None:
        raise NotFound("There is no such run.")
    return instance
