"""How a flow runs, in tables. The rows are the truth; a queue message is only a hint.

Rows of a run point to their instance without a constraint in the database: each step inserts several of them, a
constraint would lock and look up the instance row for every one, and they are only ever written in a transaction that has
just updated that very row. Deleting goes through :func:`engine.commands.delete`.
"""

from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Cast, Right
from django.utils.translation import gettext_lazy as _
from uuid_utils.compat import uuid7

from engine.states import (
    AttemptResult,
    CompensationState,
    NoticeState,
    Outcome,
    Phase,
    ResolutionKind,
    ResolutionState,
    Status,
    TaskStatus,
    WaitKind,
)
from flows.fields import RecordedJSONField


def new_id() -> UUID:
    """A UUIDv7: in order of creation, so an index stays dense and a child's id is always above its parent's."""
    return uuid7()


class Instance(models.Model):
    """One run of one version.

    ``position`` is where the run stands (:mod:`engine.position`), a few hundred bytes however long the run is. The lease
    columns name who may move it: ``step_no`` is the fencing number, taken up by one in every transition. ``signal_count``
    counts what others have told the run, ``signals_seen`` what it has read; they differ while there is news.

    ``auto_discard`` marks a test run that is deleted once its end was read, which ``delivered_at`` tells.
    ``failed_node`` is the step at which the run failed or is held. It is a column of its own because it changes once:
    an index on ``node_id`` would cost every step an entry.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey("flows.Workspace", on_delete=models.PROTECT, related_name="+", db_index=False)
    flow = models.ForeignKey(
        "flows.Flow", on_delete=models.PROTECT, related_name="instances", verbose_name=_("flow"), db_index=False
    )
    version = models.ForeignKey("flows.FlowVersion", on_delete=models.PROTECT, related_name="instances", db_index=False)
    status = models.CharField(_("status"), max_length=12, choices=Status.choices, default=Status.PENDING)
    phase = models.CharField(_("phase"), max_length=12, choices=Phase.choices, default=Phase.FORWARD)
    input = RecordedJSONField(_("input"))
    trigger = RecordedJSONField(_("trigger"))
    position = RecordedJSONField(_("position"))
    output = RecordedJSONField(_("output"), null=True)
    error = RecordedJSONField(_("error"), null=True)
    reason = models.TextField(_("reason"), blank=True)
    not_run = RecordedJSONField(_("steps that never ran"), null=True)

    node_id = models.CharField(_("step"), max_length=200, blank=True)
    failed_node = models.CharField(_("failed at"), max_length=200, blank=True)
    wait_kind = models.CharField(_("waits for"), max_length=12, choices=WaitKind.choices, blank=True)
    wait_due = models.DateTimeField(_("until"), null=True)
    cancel_requested = models.BooleanField(_("asked to cancel"), default=False)

    lease_token = models.UUIDField(null=True)
    lease_owner = models.CharField(max_length=120, blank=True)
    lease_until = models.DateTimeField(null=True)
    step_no = models.PositiveIntegerField(default=0)
    event_count = models.PositiveIntegerField(default=0)
    signal_count = models.PositiveIntegerField(default=0)
    signals_seen = models.PositiveIntegerField(default=0)
    hinted_at = models.DateTimeField()

    root = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="descendants")
    parent = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="children", db_index=False)
    parent_visit = models.PositiveIntegerField(null=True)
    branch = models.PositiveIntegerField(null=True)
    branch_id = models.CharField(max_length=220, blank=True)
    join_order = models.PositiveIntegerField(null=True)

    is_test = models.BooleanField(_("test run"), default=False)
    test_config = RecordedJSONField(_("test configuration"), null=True)
    auto_discard = models.BooleanField(default=False)
    delivered_at = models.DateTimeField(null=True)
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("started by"),
        db_index=False,
    )
    start_key = models.CharField(max_length=200, null=True)  # noqa: DJ001 - null keeps the unique index small
    start_digest = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(_("created"))
    started_at = models.DateTimeField(_("started"), null=True)
    ended_at = models.DateTimeField(_("ended"), null=True)

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["workspace", "-id"], condition=Q(parent__isnull=True), name="instance_roots"),
            models.Index(fields=["flow", "-id"], name="instance_by_flow"),
            models.Index(fields=["version", "-id"], name="instance_by_version"),
            models.Index(fields=["status", "-id"], name="instance_by_status"),
            models.Index(
                fields=["started_by", "-id"], condition=Q(started_by__isnull=False), name="instance_by_starter"
            ),
            models.Index(fields=["failed_node", "-id"], condition=~Q(failed_node=""), name="instance_by_failed_node"),
            models.Index(fields=["-id"], condition=Q(is_test=True), name="instance_tests"),
            models.Index(Right(Cast("id", models.TextField()), 8), name="instance_by_end_of_id"),
            models.Index(
                fields=["hinted_at"],
                condition=Q(status__in=["pending", "running"]) | ~Q(signal_count=F("signals_seen")),
                name="instance_to_sweep",
            ),
            models.Index(fields=["ended_at"], condition=Q(auto_discard=True), name="instance_to_discard"),
            models.Index(fields=["lease_owner"], condition=Q(lease_token__isnull=False), name="instance_leased"),
            models.Index(
                fields=["parent", "parent_visit"], condition=Q(parent__isnull=False), name="instance_children"
            ),
        ]
        constraints = [models.UniqueConstraint(fields=["flow", "start_key"], name="instance_start_key_once")]
        permissions = [("operate_instance", _("Can cancel, resume and abandon runs"))]

    def __str__(self) -> str:
        return str(self.id)


class InstanceRow(models.Model):
    """What every row that belongs to a run has."""

    instance = models.ForeignKey(
        Instance, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="%(class)ss"
    )

    class Meta:
        abstract = True


class Visit(InstanceRow):
    """One entry of a node. ``seq`` numbers the run's visits, ``number`` those of this node, both from 1.

    ``completion`` is its place in the order in which visits ended. ``open_children`` counts the child runs the visit still
    waits for. ``entry`` is what was fixed when it was entered and is needed until it ends: a loop's items, a group's policy.
    The last step of a loop's iteration carries the iteration: ``loop_seq``, ``iteration``, and what of the body never ran in it.

    ``iterations`` are the iterations around it, outermost first, as ``SEQ:INDEX/...``; ``slot`` names them by what they are about
    (:func:`engine.machine.keys.slot`), where that matters, and ``idempotency_key`` is what was evaluated there. ``replaced`` is
    the round of the redo that replaced the visit. ``counted`` failures are those that a ``stop_after`` counts. ``resources`` name
    what it made.
    """

    seq = models.PositiveIntegerField()
    node_id = models.CharField(_("step"), max_length=200)
    kind = models.CharField(_("kind"), max_length=20)
    number = models.PositiveIntegerField(_("visit"))
    outcome = models.CharField(_("outcome"), max_length=10, choices=Outcome.choices, blank=True)
    output = RecordedJSONField(_("output"), null=True)
    resources = RecordedJSONField(_("resources"), null=True)
    error = RecordedJSONField(_("error"), null=True)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    completion = models.PositiveIntegerField(null=True)
    open_children = models.PositiveIntegerField(default=0)
    entry = RecordedJSONField(null=True)
    loop_seq = models.PositiveIntegerField(null=True)
    iteration = models.PositiveIntegerField(null=True)
    not_run = RecordedJSONField(_("steps that did not run in this iteration"), null=True)
    iterations = models.TextField(_("iterations"), blank=True)
    slot = models.TextField(blank=True)
    idempotency_key = models.TextField(_("idempotency key"), blank=True)
    replaced = models.PositiveIntegerField(_("replaced in round"), null=True)
    counted = models.BooleanField(_("counts as a failure"), default=False)
    started_at = models.DateTimeField(_("started"))
    ended_at = models.DateTimeField(_("ended"), null=True)

    class Meta:
        verbose_name = _("visit")
        verbose_name_plural = _("visits")
        ordering = ["instance", "seq"]
        constraints = [models.UniqueConstraint(fields=["instance", "seq"], name="visit_once")]
        indexes = [
            models.Index(
                fields=["instance", "loop_seq"], condition=Q(loop_seq__isnull=False), name="visit_of_iteration"
            ),
            models.Index(fields=["instance", "node_id", "slot"], condition=~Q(slot=""), name="visit_of_slot"),
        ]

    def __str__(self) -> str:
        return f"{self.node_id} #{self.number}"


class Attempt(InstanceRow):
    """One call of a visit's body, recorded before it is made: a start without an end tells of a lost worker."""

    visit_seq = models.PositiveIntegerField()
    number = models.PositiveIntegerField(_("attempt"))
    path = models.CharField(_("called"), max_length=400, blank=True)
    arguments = RecordedJSONField(_("arguments"), null=True)
    idempotency_key = models.TextField(_("idempotency key"), blank=True)
    deadline = models.DateTimeField(_("deadline"), null=True)
    result = models.CharField(_("result"), max_length=12, choices=AttemptResult.choices, blank=True)
    error = RecordedJSONField(_("error"), null=True)
    traceback = models.TextField(_("traceback"), blank=True)
    worker = models.CharField(_("worker"), max_length=120, blank=True)
    started_at = models.DateTimeField(_("started"))
    ended_at = models.DateTimeField(_("ended"), null=True)

    class Meta:
        verbose_name = _("attempt")
        verbose_name_plural = _("attempts")
        ordering = ["instance", "visit_seq", "number"]
        constraints = [models.UniqueConstraint(fields=["instance", "visit_seq", "number"], name="attempt_once")]

    def __str__(self) -> str:
        return f"{self.visit_seq}.{self.number}"


class Binding(InstanceRow):
    """What templates may read of a node: its latest ended visit. One row a node, however often it was visited."""

    node_id = models.CharField(max_length=200)
    visits = models.PositiveIntegerField()
    seq = models.PositiveIntegerField()
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    completion = models.PositiveIntegerField()
    recent = RecordedJSONField(default=list)

    class Meta:
        verbose_name = _("binding")
        verbose_name_plural = _("bindings")
        constraints = [models.UniqueConstraint(fields=["instance", "node_id"], name="binding_once")]

    def __str__(self) -> str:
        return self.node_id


class Compensation(InstanceRow):
    """What undoes a succeeded visit, registered with it and never recomputed. ``child`` stands for a whole child run.

    ``position`` is its place in the order of completion: the newest is undone first. ``earlier_attempts`` are those of rounds
    before: one that failed may be tried once more, with all its retries.
    """

    visit_seq = models.PositiveIntegerField()
    node_id = models.CharField(_("step"), max_length=200)
    position = models.PositiveIntegerField()
    child = models.UUIDField(_("child run"), null=True)
    path = models.CharField(_("function"), max_length=400, blank=True)
    input = RecordedJSONField(_("input"), null=True)
    input_error = RecordedJSONField(_("error in the input's mapping"), null=True)
    missing_ok = models.BooleanField(_("missing is fine"), default=False)
    always = models.BooleanField(_("before a resume, too"), default=False)
    state = models.CharField(
        _("state"), max_length=12, choices=CompensationState.choices, default=CompensationState.REGISTERED
    )
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    earlier_attempts = models.PositiveIntegerField(default=0)
    result = RecordedJSONField(_("result"), null=True)
    error = RecordedJSONField(_("error"), null=True)
    started_at = models.DateTimeField(_("started"), null=True)
    ended_at = models.DateTimeField(_("ended"), null=True)
    deadline = models.DateTimeField(_("deadline"), null=True)

    class Meta:
        verbose_name = _("compensation")
        verbose_name_plural = _("compensations")
        ordering = ["instance", "-position"]
        constraints = [models.UniqueConstraint(fields=["instance", "position"], name="compensation_once")]

    def __str__(self) -> str:
        return f"{self.node_id}: {self.path or self.child}"


class Resolution(InstanceRow):
    """What somebody decided of a failure of a run: who, when, what and why; and what came of it.

    ``failure`` is the number of that failure in the run. ``refusal`` says as ``{code, message}`` why it could not be carried out,
    for a caller who no longer waits.
    """

    failure = models.PositiveIntegerField(_("failure"))
    kind = models.CharField(_("decision"), max_length=10, choices=ResolutionKind.choices)
    ack = models.CharField(_("took effect"), max_length=20, blank=True)
    result = RecordedJSONField(_("result"), null=True)
    note = models.TextField(_("note"), blank=True)
    by = models.CharField(_("decided by"), max_length=300, blank=True)
    at = models.DateTimeField(_("decided"))
    state = models.CharField(_("state"), max_length=10, choices=ResolutionState.choices, default=ResolutionState.ASKED)
    refusal = RecordedJSONField(_("why it was refused"), null=True)

    class Meta:
        verbose_name = _("decision about a failure")
        verbose_name_plural = _("decisions about failures")
        ordering = ["instance", "id"]
        indexes = [models.Index(fields=["instance", "failure"], name="resolution_of_failure")]

    def __str__(self) -> str:
        return f"{self.failure} {self.kind}"


class Undo(InstanceRow):
    """One call that takes a succeeded visit back before a redo, with arguments that were evaluated when the redo was decided.

    ``place`` is its turn among all undos of the run. ``owner`` is the run of the visit: what a child did, its parent undoes.
    """

    place = models.PositiveIntegerField()
    round = models.PositiveIntegerField(_("round"))
    owner = models.UUIDField(_("run of the step"))
    visit_seq = models.PositiveIntegerField()
    node_id = models.CharField(_("step"), max_length=200)
    path = models.CharField(_("function"), max_length=400)
    arguments = RecordedJSONField(_("arguments"), null=True)
    missing_ok = models.BooleanField(_("missing is fine"), default=False)
    state = models.CharField(
        _("state"), max_length=12, choices=CompensationState.choices, default=CompensationState.REGISTERED
    )
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    result = RecordedJSONField(_("result"), null=True)
    error = RecordedJSONField(_("error"), null=True)
    started_at = models.DateTimeField(_("started"), null=True)
    ended_at = models.DateTimeField(_("ended"), null=True)
    deadline = models.DateTimeField(_("deadline"), null=True)

    class Meta:
        verbose_name = _("undo")
        verbose_name_plural = _("undos")
        ordering = ["instance", "place"]
        constraints = [models.UniqueConstraint(fields=["instance", "place"], name="undo_once")]

    def __str__(self) -> str:
        return f"{self.node_id}: {self.path}"


class Notice(InstanceRow):
    """Somebody to be told of what a scope decided, written with the decision (:class:`engine.machine.turn.Notice`).

    ``due_at`` is when it is to be sent, or was last promised to a worker; ``claimed_at`` when one began to send it. ``problem``
    says why it was not sent.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    target = models.TextField(_("target"))
    decision = models.CharField(_("decision"), max_length=10)
    scope = models.CharField(_("scope"), max_length=200, blank=True)
    node_id = models.CharField(_("step"), max_length=200)
    step = models.TextField(_("title of the step"))
    why = models.TextField(_("what failed"), blank=True)
    at = models.DateTimeField(_("decided"))
    state = models.CharField(_("state"), max_length=10, choices=NoticeState.choices, default=NoticeState.OPEN)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    due_at = models.DateTimeField(_("due"))
    claimed_at = models.DateTimeField(null=True)
    problem = models.TextField(_("problem"), blank=True)

    class Meta:
        verbose_name = _("notice")
        verbose_name_plural = _("notices")
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["instance"], name="notice_of_instance"),
            models.Index(fields=["due_at"], condition=Q(state__in=["open", "sending"]), name="notice_to_send"),
        ]

    def __str__(self) -> str:
        return f"{self.target}: {self.decision}"


class Wakeup(InstanceRow):
    """The durable record that makes a wait end at a time."""

    visit_seq = models.PositiveIntegerField()
    attempt = models.PositiveIntegerField(default=0)
    kind = models.CharField(max_length=12)
    due_at = models.DateTimeField()

    class Meta:
        verbose_name = _("wake-up")
        verbose_name_plural = _("wake-ups")
        indexes = [
            models.Index(fields=["due_at", "id"], name="wakeup_due"),
            models.Index(fields=["instance"], name="wakeup_of_instance"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.due_at:%Y-%m-%d %H:%M:%S}"


class Signal(InstanceRow):
    """What somebody other than the lease's holder has to tell a run; read in order and exactly once."""

    kind = models.CharField(max_length=20)
    payload = RecordedJSONField(default=dict)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("signal")
        verbose_name_plural = _("signals")
        ordering = ["id"]
        indexes = [models.Index(fields=["instance", "id"], name="signal_of_instance")]

    def __str__(self) -> str:
        return self.kind


class Event(InstanceRow):
    """One line of a run's history; ``number`` is gapless per run and in the order of commits."""

    number = models.PositiveIntegerField()
    type = models.CharField(_("event"), max_length=30)
    node_id = models.CharField(_("step"), max_length=200, blank=True)
    visit_seq = models.PositiveIntegerField(null=True)
    at = models.DateTimeField(_("time"))
    data = RecordedJSONField(_("data"))

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        ordering = ["instance", "number"]
        constraints = [models.UniqueConstraint(fields=["instance", "number"], name="event_once")]

    def __str__(self) -> str:
        return f"{self.number} {self.type}"


class LiveText(models.Model):
    """What the agent of a run is saying right now (:mod:`engine.livetext`). ``place`` names visit, attempt and part of it."""

    instance = models.OneToOneField(
        Instance, primary_key=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    root = models.UUIDField(db_index=True)
    node_id = models.CharField(max_length=200)
    place = models.CharField(max_length=40)
    text = models.TextField()
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("live text")
        verbose_name_plural = _("live texts")

    def __str__(self) -> str:
        return self.place


class SearchTerm(InstanceRow):
    """A short plain value of a run's input, by which the run is found (:mod:`engine.search`)."""

    pk = models.CompositePrimaryKey("instance_id", "term")
    term = models.CharField(max_length=80)

    class Meta:
        verbose_name = _("search term")
        verbose_name_plural = _("search terms")
        indexes = [
            models.Index(
                fields=["term", "instance"], opclasses=["varchar_pattern_ops", "uuid_ops"], name="term_by_beginning"
            )
        ]

    def __str__(self) -> str:
        return self.term


class InboxTask(InstanceRow):
    """A wait for a person: what is asked, of whom, by when, and what was answered."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey("flows.Workspace", on_delete=models.PROTECT, related_name="+")
    visit_seq = models.PositiveIntegerField()
    node_id = models.CharField(_("step"), max_length=200)
    path = models.CharField(_("path"), max_length=600)
    task_type = models.CharField(_("kind of task"), max_length=64)
    title = models.CharField(_("title"), max_length=500)
    description = models.TextField(_("description"), blank=True)
    assignee = models.CharField(_("assignee"), max_length=300)
    status = models.CharField(_("status"), max_length=10, choices=TaskStatus.choices, default=TaskStatus.PENDING)
    priority = models.PositiveSmallIntegerField(_("priority"), default=3)
    options = RecordedJSONField(_("options"), null=True)
    input_schema = RecordedJSONField(_("form"), null=True)
    data = RecordedJSONField(_("facts"), null=True)
    due_in_seconds = models.FloatField(_("time to answer in seconds"), null=True)
    due_at = models.DateTimeField(_("due"), null=True)
    is_test = models.BooleanField(_("test run"), default=False)
    response = RecordedJSONField(_("answer"), null=True)
    completed_by = models.CharField(_("answered by"), max_length=300, blank=True)
    escalated_from = models.CharField(_("handed over by"), max_length=300, blank=True)
    escalation_reason = models.TextField(_("why handed over"), blank=True)
    escalated_at = models.DateTimeField(_("handed over"), null=True)
    assignment_group = models.CharField(_("group"), max_length=300, blank=True)
    cancellation_reason = models.CharField(_("why cancelled"), max_length=40, blank=True)
    responded_at = models.DateTimeField(_("answered"), null=True)
    created_at = models.DateTimeField(_("created"))

    class Meta:
        verbose_name = _("inbox task")
        verbose_name_plural = _("inbox tasks")
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["assignee", "status"], name="task_by_assignee"),
            models.Index(fields=["instance", "visit_seq"], name="task_of_visit"),
            models.Index(fields=["path"], name="task_by_path"),
        ]

    def __str__(self) -> str:
        return self.title


class Errand(models.Model):
    """What workers do for somebody in the background, a portion at a time (:mod:`engine.errands`).

    ``function`` is the dotted name of what does a portion, ``owner`` whose errand, ``state`` how far it is, any JSON object.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    function = models.CharField(_("function"), max_length=200)
    owner = models.CharField(_("asked for by"), max_length=150)
    state = RecordedJSONField(_("how far it is"), default=dict)
    number = models.PositiveIntegerField(_("notes"), default=0)
    begun_at = models.DateTimeField(_("begun"))
    noted_at = models.DateTimeField(_("last change"))
    is_over = models.BooleanField(_("over"), default=False)

    class Meta:
        verbose_name = _("errand")
        verbose_name_plural = _("errands")
        ordering = ["-id"]
        indexes = [models.Index(fields=["is_over", "noted_at"], name="errand_by_change")]

    def __str__(self) -> str:
        return f"{self.function} ({self.owner})"


class WorkerNode(models.Model):
    """A cluster of workers that says every two seconds that it lives."""

    name = models.CharField(_("name"), max_length=120, primary_key=True)
    beat_at = models.DateTimeField(_("last sign of life"))

    class Meta:
        verbose_name = _("worker node")
        verbose_name_plural = _("worker nodes")

    def __str__(self) -> str:
        return self.name
