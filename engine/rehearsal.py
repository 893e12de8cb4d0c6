"""People in test runs: what they were said to answer in advance is answered as soon as they are asked.

The configuration's ``mock_tasks`` (:mod:`engine.testconfig`) say what. The answers go through the inbox like a person's.
"""

import logging
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import Q

from engine import inbox, wakeups
from engine.errors import EngineError
from engine.models import InboxTask, Instance
from engine.ports import Ports
from engine.states import Status, TaskStatus, WaitKind
from engine.testconfig import reply_of

log = logging.getLogger("sultana.engine")


def answer(instance_id: UUID, ports: Ports) -> bool:
    """Answer the task that a test run rests on, if that was scripted; ``False`` when it waits for a person.

    Safe to repeat: a task is answered once, whoever does it. An answer that the inbox refuses leaves the task to a person.
    """
    run = Instance.objects.filter(pk=instance_id, status=Status.WAITING, wait_kind=WaitKind.HUMAN_TASK).first()
    open_tasks = InboxTask.objects.filter(instance=instance_id, status=TaskStatus.PENDING).order_by("id")
    first = open_tasks.first()
    if run is None or first is None or not run.is_test:
        return False
    reply = reply_of(run.test_config, first.node_id, _asked_before(run, first.node_id))
    if reply is None or reply.get("behavior") == "wait":
        return False
    if reply.get("behavior") == "expire":
        return wakeups.expire(instance_id, ports)
    return sum(_give(task, reply, ports) for task in open_tasks) > 0


def _give(task: InboxTask, reply: Mapping[str, Any], ports: Ports) -> bool:
    """Answer for whoever is asked. Once a group's policy is met, the others' tasks are closed: that is no trouble."""
    if not InboxTask.objects.filter(pk=task.pk, status=TaskStatus.PENDING).exists():
        return False
    try:
        inbox.complete(task.pk, by=task.assignee, response=reply.get("response", {}), is_admin=True, ports=ports)
    except EngineError as refused:
        log.info("the scripted answer to %s was refused: %s", task.pk, refused.message)
        return False
    return True


def _asked_before(run: Instance, node_id: str) -> int:
    """How often the step has asked before in this run and those around it: what is recorded, so that it survives a worker."""
    root = run.root_id or run.pk
    family = Instance.objects.filter(Q(pk=root) | Q(root=root)).values("pk")
    asked = InboxTask.objects.filter(instance__in=family, node_id=node_id)
    return asked.values("instance", "visit_seq").distinct().count() - 1
