"""What must be true of every run that has come to its end, however it got there."""

from collections import Counter
from collections.abc import Iterator
from uuid import UUID

from django.db.models import Q

from engine.models import Attempt, Compensation, Event, InboxTask, Instance, Visit, Wakeup
from engine.states import TERMINAL, CompensationState, Outcome, Status, TaskStatus
from flows.graph import from_json
from tests.engine.properties.havoc import Havoc

FINAL = ("flow_completed", "flow_failed", "flow_cancelled")
UNDONE = {CompensationState.DONE, CompensationState.ABSENT, CompensationState.FAILED}


def check(root: Instance, world: Havoc) -> None:
    """Every invariant of a run and its child runs."""
    assert root.status in TERMINAL | {Status.HELD}, root.status
    tree = list(Instance.objects.filter(Q(pk=root.pk) | Q(root=root.pk)).order_by("id"))
    if root.status in TERMINAL:
        orphans = [each for each in tree if each.status not in TERMINAL]
        assert not orphans, f"child runs outlive their parent: {[(each.branch_id, each.status) for each in orphans]}"
    for run in tree:
        if run.status in TERMINAL:
            _nothing_is_open(run)
            _each_visit_has_one_outcome(run)
            _its_events_tell_one_story(run)
            _what_succeeded_is_registered(run)
    _no_attempt_is_made_twice(world)
    _undone_newest_first(tree, world)


def _nothing_is_open(run: Instance) -> None:
    assert not InboxTask.objects.filter(instance=run, status=TaskStatus.PENDING).exists(), "a task is open"
    assert not Wakeup.objects.filter(instance=run).exists(), "a wake-up is open"
    assert run.lease_token is None, "somebody still holds it"


def _each_visit_has_one_outcome(run: Instance) -> None:
    visits = list(Visit.objects.filter(instance=run).order_by("seq"))
    assert [each.seq for each in visits] == list(range(1, len(visits) + 1))
    open_ones = [each.node_id for each in visits if not each.outcome]
    if run.status == Status.CANCELLED:
        open_ones = []  # what a cancellation met on its way keeps no outcome: it was neither done nor failed
    assert not open_ones, f"visits without an outcome: {open_ones}"
    completions = [each.completion for each in visits if each.completion is not None]
    assert len(completions) == len(set(completions)), "two visits ended at the same place"
    unended = Attempt.objects.filter(instance=run, result="").values_list("visit_seq", "number")
    assert not list(unended), f"attempts without an end: {list(unended)}"


def _its_events_tell_one_story(run: Instance) -> None:
    events = list(Event.objects.filter(instance=run).order_by("number").values_list("number", "type"))
    assert [number for number, _ in events] == list(range(1, run.event_count + 1)), "events have gaps"
    ends = [kind for _, kind in events if kind in FINAL]
    assert len(ends) == 1 and events[-1][1] in FINAL, f"it ended {ends}, and the last event is {events[-1][1]}"


def _what_succeeded_is_registered(run: Instance) -> None:
    """One compensation for each succeeded visit that declares one, and none for any other."""
    declaring = {node.id for node in from_json(run.version.graph).nodes if node.settings.get("compensation_ref")}
    stands = Visit.objects.filter(instance=run, outcome=Outcome.SUCCEEDED, replaced=None)
    succeeded = stands.filter(node_id__in=declaring)
    registered = Compensation.objects.filter(instance=run, child=None)
    assert Counter(registered.values_list("visit_seq", flat=True)) == Counter(succeeded.values_list("seq", flat=True))
    order = {each.seq: each.completion or 0 for each in succeeded}
    by_position = [order[seq] for seq in registered.order_by("position").values_list("visit_seq", flat=True)]
    assert by_position == sorted(by_position), "registered in another order than they succeeded"


def _no_attempt_is_made_twice(world: Havoc) -> None:
    made = Counter((call.kind, call.instance_id, call.visit_seq, call.attempt) for call in world.made)
    twice = [key for key, count in made.items() if count > 1]
    assert not twice, f"recorded calls were made again: {twice}"


def _undone_newest_first(tree: list[Instance], world: Havoc) -> None:
    """Who rolls back runs everything that is registered, newest first; who does not runs nothing."""
    first_tries = [call.arguments.get("made") for call in world.made if call.kind == "compensation"]
    seen = list(dict.fromkeys(first_tries))
    for run in tree:
        plan = list(_plan(run.pk))
        states = {row.state for row in plan}
        if run.status == Status.ROLLED_BACK:
            assert states <= UNDONE, f"it rolled back and left {states}"
            expected = [row.input["made"] for row in plan]
            places = [seen.index(made) for made in expected]
            assert places == sorted(places), (
                f"undone in the order {[seen[each] for each in sorted(places)]}, not {expected}"
            )
        elif run.status in TERMINAL and run.parent_id is None:
            assert states <= {CompensationState.REGISTERED}, f"it ended {run.status} and undid something: {states}"


def _plan(run_id: UUID) -> Iterator[Compensation]:
    """A run's compensations, newest first, a child's own in the child's place."""
    for row in Compensation.objects.filter(instance=run_id).order_by("-position"):
        if row.child is None:
            yield row
        else:
            yield from _plan(row.child)
