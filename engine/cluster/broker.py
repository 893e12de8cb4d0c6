"""The queue in the database: django-q2's ORM broker with one claim, no polling delay and no way to die."""

import ctypes
import logging
import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import Error as DatabaseError
from django.db import connections
from django.utils import timezone
from django_q.brokers.orm import ORM
from django_q.conf import Conf
from django_q.models import OrmQ
from django_q.signing import SignedPackage

from engine.cluster.waiting import Waiter, make_waiter

log = logging.getLogger(__name__)

MAX_WAIT = 0.5  # seconds: how late a stop or a jump of the clock is noticed
DEAD = "dead"  # the key of rows that no worker could read
PAYLOAD_LIMIT = 100_000  # characters; a hint has about 400
ACKNOWLEDGE_TRIES = 20  # about half a minute

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Message = tuple[int, str]  # id of the row, signed task

_ENQUEUE = "INSERT INTO django_q_ormq (key, payload, lock) VALUES (%s, %s, %s) RETURNING id"
_ENQUEUE_AND_NOTIFY = f"WITH message AS ({_ENQUEUE}) SELECT id, pg_notify(%s, '') FROM message"
_NEXT = "SELECT lock FROM django_q_ormq WHERE key = %s AND lock IS NOT NULL ORDER BY lock LIMIT 1"
_DELETE = "DELETE FROM django_q_ormq WHERE id = %s"
_CLAIM = """
    UPDATE django_q_ormq SET lock = %s WHERE id IN (
        SELECT id FROM django_q_ormq WHERE key = %s AND lock <= %s ORDER BY lock, id LIMIT %s {skip_locked}
    ) RETURNING id, payload
"""
_CLAIM_AND_NEXT = f"""
    WITH claimed AS ({_CLAIM.format(skip_locked="FOR UPDATE SKIP LOCKED")})
    SELECT id, payload, NULL FROM claimed
    UNION ALL SELECT NULL, NULL, (
        SELECT lock FROM django_q_ormq WHERE key = %s AND lock > %s ORDER BY lock LIMIT 1
    )
"""


class FlowBroker(ORM):  # type: ignore[misc]  # django-q2 has no types
    """A message is a row of django_q_ormq; ``lock`` is the time before which nobody may take it.

    ``using``: the alias of the database, by default that of the cluster. ``claim_in_hand``: shared memory in which
    the pusher notes each claim before it makes it, as the ``lock`` it is about to write (microseconds since 1970).
    Should it be killed before it has handed the messages on, they can be found by that.
    """

    claim_in_hand: ctypes.c_int64 | None = None

    def __init__(self, list_key: str | None = None, *, using: str | None = None) -> None:
        super().__init__(list_key)
        self.using: str = using or Conf.ORM
        self._waiter: Waiter | None = None
        self._nothing_until: float | None = None
        self._failures = 0

    @staticmethod
    def get_connection(list_key: str | None = None) -> None:
        """Not used: making a broker shall not open a connection that a fork would then share."""

    @property
    def channel(self) -> str:
        """The channel on which PostgreSQL tells of new messages."""
        return f"{self.list_key}_queue"

    # --- the side of whoever sends -------------------------------------------------------------------------------

    def enqueue(self, task: str, *, due_at: datetime | None = None) -> int:
        """Insert a signed task in the caller's transaction, to be taken from ``due_at`` (now) on; return its id.

        One statement on both databases; on PostgreSQL it also wakes the cluster, at the commit.
        """
        connection = connections[self.using]
        row = [self.list_key, task, _stored(connection, due_at or timezone.now())]
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute(_ENQUEUE_AND_NOTIFY, [*row, self.channel])
            else:
                cursor.execute(_ENQUEUE, row)
            return int(cursor.fetchone()[0])

    def has_ready(self) -> bool:
        """Whether a message is due that no cluster has taken; one look at the index."""
        return self._seconds_until_due() <= 0

    def oldest_ready(self) -> datetime | None:
        """Since when the message that waits longest has been due; None when none is due."""
        due = self._rows().filter(key=self.list_key, lock__lte=timezone.now()).order_by("lock", "id")
        found: datetime | None = due.values_list("lock", flat=True).first()
        return found

    # --- the side of the cluster ---------------------------------------------------------------------------------

    def dequeue(self) -> list[Message] | None:
        """Claim what is due, or wait for the next due row, at most MAX_WAIT; None when nothing was claimed.

        Never raises: django-q2's pusher would sleep for 10 s and end. Trouble is logged and answered by a pause and
        a new connection.
        """
        try:
            messages = self._claim_or_wait()
        except Exception as error:
            self._recover(error)
            return None
        self._failures = 0
        return messages

    def acknowledge(self, task_id: int) -> None:
        """Delete a message that is done; never raises, that would end the monitor.

        A row that cannot be deleted in all those tries comes again after ``retry`` seconds: harmless, only late.
        """
        for attempt in range(1, ACKNOWLEDGE_TRIES + 1):
            try:
                with connections[self.using].cursor() as cursor:  # a queryset's delete() would open a transaction
                    cursor.execute(_DELETE, [task_id])
                return
            except DatabaseError as error:
                log.warning("message %s could not be acknowledged (try %s): %s", task_id, attempt, error)
                _close_quietly(self.using)
                time.sleep(_pause(attempt))

    def delete(self, task_id: int) -> None:
        self.acknowledge(task_id)

    def release(self, ids: Iterable[int]) -> None:
        """Make messages due again at once, because nobody works on them any more."""
        self._rows().filter(pk__in=list(ids)).update(lock=timezone.now())

    def release_claim(self, claim: int) -> None:
        """Make the messages of one claim due again at once; those handed on already come a second time."""
        self._rows().filter(key=self.list_key, lock=_EPOCH + timedelta(microseconds=claim)).update(lock=timezone.now())

    def close(self) -> None:
        """Give back the connection on which this broker waits."""
        if self._waiter is not None:
            self._waiter.close()
            self._waiter = None

    def queue_size(self) -> int:
        return int(self._rows().filter(key=self.list_key, lock__lte=timezone.now()).count())

    def lock_size(self) -> int:
        return int(self._rows().filter(key=self.list_key, lock__gt=timezone.now()).count())

    def purge_queue(self) -> Any:
        return self._rows().filter(key=self.list_key).delete()

    def _rows(self) -> Any:
        return OrmQ.objects.using(self.using)

    def _claim_or_wait(self) -> list[Message] | None:
        """Take what is due, or else wait. Whoever has taken all there was knows until when nothing comes by itself, and waits
        the next time without another look: what is sent meanwhile ends the wait."""
        if self._waiter is None:
            self._waiter = make_waiter(self.channel, using=self.using)
        if self._nothing_until is None:
            self._waiter.arm()
            messages, seconds = self._take()
            self._nothing_until = time.monotonic() + seconds if seconds > 0 else None
            if messages or self._nothing_until is None:
                return messages
        self._waiter.wait(max(0.0, self._nothing_until - time.monotonic()))
        self._nothing_until = None
        return None

    def _take(self) -> tuple[list[Message], float]:
        """Messages that were due, and for how many seconds no other will be (at most MAX_WAIT), 0 when that is not known.

        On PostgreSQL one statement. On SQLite a look comes first, because a claim of nothing would lock the database.
        """
        connection = connections[self.using]
        if connection.vendor == "postgresql":
            return self._claim_and_next(connection)
        seconds = self._seconds_until_due()
        return ([], seconds) if seconds > 0 else (self._claim(connection), 0.0)

    def _seconds_until_due(self) -> float:
        """At most MAX_WAIT; zero or less when a message is due. Asked all day long: the ORM takes ten times as long."""
        with connections[self.using].cursor() as cursor:
            cursor.execute(_NEXT, [self.list_key])
            row = cursor.fetchone()
        return MAX_WAIT if row is None else min((_loaded(row[0]) - timezone.now()).total_seconds(), MAX_WAIT)

    def _claim_and_next(self, connection: Any) -> tuple[list[Message], float]:
        now = timezone.now()
        with connection.cursor() as cursor:
            cursor.execute(_CLAIM_AND_NEXT, [*self._claim_values(connection, now), self.list_key, now])
            rows = cursor.fetchall()
        claimed = [(row_id, payload) for row_id, payload, _ in rows if row_id is not None]
        [next_due] = [due for row_id, _, due in rows if row_id is None]
        seconds = MAX_WAIT if next_due is None else min((next_due - now).total_seconds(), MAX_WAIT)
        return self._readable(claimed), 0.0 if len(claimed) == Conf.BULK else seconds

    def _claim(self, connection: Any) -> list[Message]:
        with connection.cursor() as cursor:
            cursor.execute(_CLAIM.format(skip_locked=""), self._claim_values(connection, timezone.now()))
            return self._readable(cursor.fetchall())

    def _claim_values(self, connection: Any, now: datetime) -> list[Any]:
        """Parameters of a claim of up to ``bulk`` due messages, noted as the claim in hand."""
        taken_until = now + timedelta(seconds=Conf.RETRY)
        if self.claim_in_hand is not None:
            self.claim_in_hand.value = (taken_until - _EPOCH) // timedelta(microseconds=1)
        return [_stored(connection, taken_until), self.list_key, _stored(connection, now), Conf.BULK]

    def _readable(self, rows: list[Message]) -> list[Message]:
        """The claimed messages in their order; rows that do not load are put aside."""
        return [row for row in sorted(rows) if not self._park_if_unreadable(*row)]

    def _park_if_unreadable(self, row_id: int, payload: str) -> bool:
        """A task that cannot be loaded would end the pusher each time it is claimed, so it leaves the queue."""
        problem = _problem_of(payload)
        if problem is None:
            return False
        log.error('message %s does not load and is put aside under the key "%s": %s', row_id, DEAD, problem)
        self._rows().filter(pk=row_id).update(key=DEAD)
        return True

    def _recover(self, error: Exception) -> None:
        self._failures += 1
        log.warning("the queue cannot be read (try %s): %s", self._failures, error)
        self.close()
        self._nothing_until = None
        _close_quietly(self.using)
        time.sleep(_pause(self._failures))


def _problem_of(payload: str) -> str | None:
    """Why django-q2 could not carry out this payload; None when it could."""
    if len(payload) > PAYLOAD_LIMIT:
        return f"{len(payload)} characters, the limit is {PAYLOAD_LIMIT}"
    try:
        task = SignedPackage.loads(payload)
    except Exception as error:  # unpickling runs the constructors of whatever was pickled
        return repr(error)
    missing = {"id", "name", "func", "args", "kwargs"} - set(task) if isinstance(task, dict) else {"everything"}
    return f"it lacks {', '.join(sorted(missing))}" if missing else None


def _stored(connection: Any, moment: datetime) -> Any:
    """A moment the way this database's column holds it."""
    return connection.ops.adapt_datetimefield_value(moment)


def _loaded(moment: datetime) -> datetime:
    """The reverse of _stored(): SQLite keeps no time zone, it is UTC."""
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _pause(failures: int) -> float:
    """Seconds to wait after the n-th failure in a row: 0.2 to 2."""
    return min(0.1 * 2.0 ** min(failures, 10), 2.0)


def _close_quietly(using: str) -> None:
    try:
        connections[using].close()
    except Exception as error:
        log.debug("closing a broken connection: %s", error)
