"""One try to deliver one notice: claim it, send it, say what came of it."""

import logging
import time
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import InterfaceError, OperationalError, connection, transaction

from engine.cluster.deadline import DeadlinePassed, deadline
from engine.failpoints import reach
from engine.history import add_event
from engine.models import Notice
from engine.notices import mailing, posting
from engine.notices.result import Tried, refused, unknown
from engine.ports import Ports
from engine.states import NoticeState
from engine.transitions import claim_notice, lock_run, put_notice_off, settle_notice
from flows.models import NotificationKind, NotificationTarget

log = logging.getLogger("sultana.notices")

SEND_SECONDS: Final = 60.0
AGAIN_AFTER: Final = tuple(timedelta(minutes=each) for each in (0.5, 2, 10, 60, 240))
"""How long after each try that certainly failed comes the next; then it is given up."""
RECORD_PAUSES: Final = (0.3, 1.0, 3.0, 10.0)
"""Seconds between tries to record what came of it while the database does not answer."""
NOBODY: Final = Tried(NoticeState.NOBODY)
_SENDERS: Final = {NotificationKind.EMAIL: mailing.send, NotificationKind.WEBHOOK: posting.send}


def deliver(notice_id: UUID, ports: Ports) -> None:
    """Tell whoever the notice names, if it is due and nobody else does; safe to be asked for any number of times."""
    notice = claim_notice(notice_id, now=ports.clock.now())
    if notice is None:
        return
    reach("telling")
    tried = _try(notice)
    reach("told")
    for pause in (*RECORD_PAUSES, None):
        try:
            conclude(notice, tried, ports)
            return
        except (OperationalError, InterfaceError):
            if pause is None or connection.in_atomic_block:
                raise
            connection.close()
            time.sleep(pause)


def conclude(notice: Notice, tried: Tried, ports: Ports) -> None:
    """Record what came of it, in the notice and in the run's history; nothing happens where the notice is no longer being sent.

    The run's row is locked first, as everybody does who touches both.
    """
    if tried.state is None:
        if notice.attempts <= len(AGAIN_AFTER):
            _put_off(notice, tried, ports)
            return
        tried = refused(tried.problem)
    assert tried.state is not None
    with transaction.atomic():
        lock_run(notice.instance_id)
        if settle_notice(notice, tried.state, problem=tried.problem) and tried.state != NoticeState.NOBODY:
            kind = "notified" if tried.state == NoticeState.SENT else "notify_failed"
            told = {"target": notice.target, "decision": notice.decision, "attempts": notice.attempts}
            failed = {"message": tried.problem, "unknown": tried.state == NoticeState.UNKNOWN} if tried.problem else {}
            add_event(
                notice.instance_id,
                kind,
                node_id=notice.node_id,
                visit_seq=None,
                at=ports.clock.now(),
                data={**told, **failed},
            )
    if tried.problem:
        log.warning("%s was not told of run %s: %s", notice.target, notice.instance_id, tried.problem)


def _put_off(notice: Notice, tried: Tried, ports: Ports) -> None:
    until = ports.clock.now() + AGAIN_AFTER[notice.attempts - 1]
    with transaction.atomic():
        if put_notice_off(notice, until=until, problem=tried.problem):
            ports.queue.notice(notice.pk, at=until)
    log.info("%s is told of run %s later: %s", notice.target, notice.instance_id, tried.problem)


def _try(notice: Notice) -> Tried:
    target = NotificationTarget.objects.filter(name=notice.target).first()
    if target is None or not target.enabled:
        why = "nobody has set it up" if target is None else "it is switched off"
        log.warning("run %s tells %r, but %s: nobody is told", notice.instance_id, notice.target[:100], why)
        return NOBODY
    try:
        with deadline(SEND_SECONDS):
            return _SENDERS[NotificationKind(target.kind)](target, notice)
    except DeadlinePassed:
        connection.close()  # it may have been interrupted in the middle of a query for a secret
        return unknown(f"It took longer than {SEND_SECONDS:g} seconds.")
    except Exception as error:
        log.exception("%s could not be told of run %s", notice.target, notice.instance_id)
        return unknown(f"It could not be sent: {type(error).__name__}")
