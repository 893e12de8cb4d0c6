"""What the tables say afterwards. Every function answers what is wrong, in words; an empty list is the proof."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from uuid import UUID

from django.db.models import F
from django.utils import timezone
from django_q.models import OrmQ

from engine.models import Attempt, Compensation, Event, InboxTask, Instance, Signal, Visit, Wakeup
from engine.states import AttemptResult, CompensationState, Status, TaskStatus
from tests.chaos.effects.models import Effect

Problems = list[str]


def problems(doomed: Mapping[UUID, bool], killed: Mapping[int, float]) -> Problems:
    """Everything that is wrong with these runs (``doomed``: which had to be rolled back) after those kills."""
    effects = list(Effect.objects.order_by("began"))
    return [
        *wrong_ends(doomed),
        *ran_again(effects),
        *at_once(effects, killed),
        *broken_histories(),
        *leftovers(),
        *wrong_children(),
        *wrongly_undone(doomed, effects),
    ]


def wrong_ends(doomed: Mapping[UUID, bool]) -> Problems:
    """Every run ends as its input wants it to."""
    found = dict(Instance.objects.values_list("id", "status"))
    expected = {True: Status.ROLLED_BACK, False: Status.COMPLETED}
    wrong = [(run, found[run]) for run, is_doomed in doomed.items() if found[run] != expected[is_doomed]]
    return [f"run {run} ended {status}" for run, status in wrong]


def ran_again(effects: Sequence[Effect]) -> Problems:
    """No try runs twice, and none at all once a success is recorded."""
    tries = [(effect.key, effect.attempt) for effect in effects]
    twice = [f"{key} try {attempt} ran {count} times" for (key, attempt), count in Counter(tries).items() if count > 1]
    latest: dict[str, int] = {}
    for key, attempt in tries:
        latest[key] = max(attempt, latest.get(key, 0))
    late = [
        f"{key} ran again after its try {attempt} had succeeded"
        for key, attempt in _recorded_successes()
        if latest.get(key, 0) != attempt
    ]
    return twice + late


def _recorded_successes() -> list[tuple[str, int]]:
    """Idempotency key and number of each call whose success was recorded."""
    steps = Attempt.objects.filter(result=AttemptResult.SUCCEEDED).exclude(path="")
    undone = Compensation.objects.filter(state=CompensationState.DONE, child=None)
    return [
        *((f"{run}:{seq}", number) for run, seq, number in steps.values_list("instance", "visit_seq", "number")),
        *((f"{run}:{seq}:undo", tries) for run, seq, tries in undone.values_list("instance", "visit_seq", "attempts")),
    ]


def at_once(effects: Sequence[Effect], killed: Mapping[int, float]) -> Problems:
    """No two calls of one run overlap; one that was cut off lasted until its process was killed."""
    found: Problems = []
    cut_off = [effect for effect in effects if effect.ended is None]
    found += [f"{effect} has no end, yet nobody killed its worker" for effect in cut_off if effect.pid not in killed]
    of_run: dict[UUID, list[Effect]] = defaultdict(list)
    for effect in effects:
        of_run[effect.run].append(effect)
    for calls in of_run.values():
        for earlier, later in pairwise(calls):
            end = killed.get(earlier.pid, earlier.began) if earlier.ended is None else earlier.ended
            if later.began < end:
                found.append(f"{later} began while {earlier} was running")
    return found


def broken_histories() -> Problems:
    """Events are numbered without a gap, in the order of time, and each try has one beginning and one end."""
    found: Problems = []
    counts = dict(Instance.objects.values_list("id", "event_count"))
    lines = Event.objects.order_by("instance", "number").values_list(
        "instance", "number", "at", "type", "visit_seq", "data"
    )
    for run, group in groupby(lines, key=lambda line: line[0]):
        history = list(group)
        if [line[1] for line in history] != list(range(1, counts[run] + 1)):
            found.append(f"the events of {run} have gaps")
        if any(later[2] < earlier[2] for earlier, later in pairwise(history)):
            found.append(f"the events of {run} are not in the order of time")
        begun = [(line[4], line[5]["attempt"]) for line in history if line[3] == "step_started"]
        ended = Counter(line[4] for line in history if line[3] in ("step_completed", "step_failed"))
        if len(set(begun)) != len(begun) or Counter(seq for seq, _ in begun) != ended:
            found.append(f"the tries of {run} do not each begin and end once")
    return found


def leftovers() -> Problems:
    """Nothing is left that could still happen to a run that has ended."""
    left = {
        "wake-ups": Wakeup.objects.all(),
        "signals": Signal.objects.all(),
        "open tasks": InboxTask.objects.filter(status=TaskStatus.PENDING),
        "leases": Instance.objects.filter(lease_token__isnull=False),
        "runs that have not ended": Instance.objects.filter(ended_at=None),
        "runs with news": Instance.objects.exclude(signal_count=F("signals_seen")),
        "tries without an end": Attempt.objects.filter(result=""),
        "visits without an outcome": Visit.objects.filter(outcome=""),
        "visits that wait for a child": Visit.objects.filter(open_children__gt=0),
        "messages that nobody took": OrmQ.objects.filter(lock__lte=timezone.now()),
    }
    counts = {what: rows.count() for what, rows in left.items()}
    return [f"{count} {what} are left" for what, count in counts.items() if count]


def wrong_children() -> Problems:
    """Each call of the other flow made one child run, and no child came about otherwise."""
    asked = Counter(f"{run}:{seq}" for run, seq in Visit.objects.filter(kind="sub_flow").values_list("instance", "seq"))
    children = Instance.objects.filter(parent__isnull=False).values_list("parent", "parent_visit")
    born = Counter(f"{run}:{seq}" for run, seq in children)
    return [f"visit {visit} has {born[visit]} child runs" for visit in asked | born if asked[visit] != born[visit]]


def wrongly_undone(doomed: Mapping[UUID, bool], effects: Sequence[Effect]) -> Problems:
    """A rolled-back run undid exactly what had succeeded in it and in its child run, newest first; the others undid nothing."""
    root_of = {run: root or run for run, root in Instance.objects.values_list("id", "root")}
    successes = set(_recorded_successes())
    done: dict[UUID, list[str]] = defaultdict(list)
    undone: dict[UUID, list[str]] = defaultdict(list)
    for effect in effects:
        keys = (undone if effect.key.endswith(":undo") else done)[root_of[effect.run]]
        if effect.key not in keys and (effect.key, effect.attempt) in successes:
            keys.append(effect.key)
    expected = {run: [f"{key}:undo" for key in reversed(done[run])] if doomed[run] else [] for run in doomed}
    found = [f"{run} undid {undone[run]}, not {expected[run]}" for run in doomed if undone[run] != expected[run]]
    states = Compensation.objects.values_list("instance", "position", "state")
    final = {True: CompensationState.DONE, False: CompensationState.REGISTERED}
    return found + [
        f"compensation {position} of {run} is {state}"
        for run, position, state in states
        if state != final[doomed[root_of[run]]]
    ]
