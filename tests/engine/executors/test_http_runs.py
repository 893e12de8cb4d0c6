"""HTTP functions in whole runs, before a real server: what is in doubt is seen as such, and settled without acting twice."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from email.utils import format_datetime
from random import Random

import pytest

from engine import commands
from engine.executors.dispatch import Dispatcher
from engine.executors.http import HttpExecutor
from engine.executors.library import LibraryExecutor
from engine.models import Attempt, Event, Instance
from engine.resolutions import resume_failed
from tests.engine.drawing import call
from tests.engine.executors import http_server
from tests.engine.executors.conftest import http_function
from tests.engine.executors.http_server import drops, floods, gives, hangs, raw, works
from tests.engine.world import World, row

pytestmark = pytest.mark.django_db(transaction=True)
WRITE, READ = {"effect": "write"}, {"effect": "read"}
AT_ONCE = {"max_retries": 1000, "base_delay_ms": 0, "max_delay_ms": 0}
TRIES = 1000


@pytest.fixture
def server(settings):
    settings.SULTANA_HTTP_ALLOWED_HOSTS = ["127.0.0.1"]
    with http_server.running() as found:
        yield found


@pytest.fixture
def world():
    """Its calls go where a worker's would."""
    found = World()
    clock = found.clock
    executor = Dispatcher(functions=LibraryExecutor(clock), http=HttpExecutor(clock), agents=found.functions)
    found.ports = replace(found.ports, executor=executor)
    return found


def act(server, *answers, manifest=WRITE, **fields):
    """Make ``/lib/act`` a function that the server answers like this."""
    server.answers[:] = answers
    return {"act": http_function(f"{server.url}/act", "/lib/act", manifest=manifest, **fields).manifest}


def run(world, *nodes, manifests):
    return ended(world, world.start(*nodes, manifests=manifests))


def ended(world, started):
    """The run when it waits for no time any more."""
    world.settle()
    while row(started).status == "waiting":
        world.later(hours=1)
    return row(started)


# --- in doubt ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("then", "code"),
    [
        (drops, "connection_lost"),
        (raw("\0garbage\r\n\r\n"), "connection_lost"),
        (raw("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf"), "connection_lost"),
        (hangs(), "timeout"),
        (floods("a" * 1000), "invalid_output"),
        (gives(None, 500), "http_500"),
    ],
)
def test_what_nobody_can_know_holds_the_run(world, server, settings, then, code):
    settings.SULTANA_OUTPUT_LIMIT = 10_000
    manifests = act(server, works(then), timeout_seconds=0.3, unknown_statuses=["5xx"])
    held = run(world, call("act"), manifests=manifests)
    assert (held.status, server.effects["it"], len(server.requests)) == ("held", 1, 1)
    told = Event.objects.get(instance=held, type="flow_held")
    assert (told.data["reason"], told.data["code"]) == ("unknown_outcome", code)
    assert Attempt.objects.get(instance=held).result == "unknown"


def test_a_person_settles_it_and_nothing_is_sent_again(world, server):
    held = run(world, call("act"), manifests=act(server, works(drops)))
    resume_failed(held.pk, ack="applied", by="/users/ana", ports=world.ports)
    world.settle()
    assert (row(held.pk).status, server.effects["it"], len(server.requests)) == ("completed", 1, 1)


def test_a_function_that_only_looks_is_asked_again(world, server):
    manifests = act(server, drops, hangs(), gives("found"), method="GET", manifest=READ, timeout_seconds=0.3)
    found = run(world, call("act", retry=AT_ONCE), manifests=manifests)
    assert (found.status, len(server.requests)) == ("completed", 3)


def test_no_connection_is_tried_again_for_nothing_was_sent(world, server):
    manifests = act(server)
    server.server_close()
    failed = run(world, call("act", retry={**AT_ONCE, "max_retries": 2}), manifests=manifests)
    results = Attempt.objects.filter(instance=failed).values_list("result", "error")
    assert (failed.status, [(result, error["code"]) for result, error in results]) == (
        "failed",
        [("failed", "connection_failed")] * 3,
    )


# --- refused -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("as_date", [False, True])
def test_a_busy_server_is_asked_again_when_it_says(world, server, as_date):
    date = format_datetime(world.clock.now() + timedelta(seconds=3600), usegmt=True)
    manifests = act(server, gives(None, 429, Retry_After=date if as_date else "3600"), works(gives(1)))
    started = world.start(call("act", retry=AT_ONCE), manifests=manifests)
    world.settle()
    world.later(seconds=3500)
    assert (row(started).status, len(server.requests)) == ("waiting", 1)
    world.later(seconds=100)
    assert (row(started).status, server.effects["it"]) == ("completed", 1)


def test_work_that_was_done_before_a_500_is_done_once_under_its_key(world, server):
    """The server acts once for each key, as those that take one do."""

    def once(then):
        def answer(handler):
            key = handler.headers["Idempotency-Key"]
            if not handler.server.effects[key]:
                handler.server.work(key)
            then(handler)

        return answer

    keyed = {"effect": "write", "idempotent": True, "idempotency_param": "ref"}
    answers = [once(gives(None, 500)), once(drops), once(gives("done"))]
    manifests = act(server, *answers, manifest=keyed, idempotency_header="Idempotency-Key")
    found = run(world, call("act", retry=AT_ONCE, idempotency_key="order-7"), manifests=manifests)
    assert (found.status, len(server.requests), dict(server.effects)) == ("completed", 3, {"order-7": 1})


# --- found out about ---------------------------------------------------------------------------------------------


class Moody:
    """Serves ``/act`` and ``/find``, each time in another mood. Whoever looks sees all that was done for what was asked before:
    a caller that gave up early is not told of a state that its own request has yet to change."""

    def __init__(self, seed):
        self.random = Random(seed)
        self.moods = {"before": 0, "after": 0, "500": 0, "late": 0, "well": 0, "blind": 0}
        self.acted: Counter[str] = Counter()
        self.told: Counter[str] = Counter()

    def __call__(self, handler):
        name = handler.path.rpartition("/")[2]
        (self.look if "/find/" in handler.path else self.act)(handler, name)

    def mood(self, *weights):
        [found] = self.random.choices([*self.moods], weights)
        self.moods[found] += 1
        return found

    def act(self, handler, name):
        mood = self.mood(22, 30, 15, 3, 30, 0)
        if mood != "before":
            handler.server.work(name)
        self.acted[name] += 1
        if mood == "500":
            handler.give({"message": "Oops"}, 500)
        elif mood == "late":
            hangs()(handler)
        elif mood == "well":
            handler.give({"id": name})

    def look(self, handler, name):
        for _ in range(400):  # what was asked for before this may still be on its way
            if self.acted[name] > self.told[name]:
                break
            handler.server.gone.wait(0.005)
        if self.mood(0, 0, 0, 0, 90, 10) == "well":
            self.told[name] += 1
            handler.give({"found": handler.server.effects[name] > 0})


@pytest.mark.parametrize("seed", [20_261_201])
def test_what_is_found_out_about_happens_exactly_once(world, server, seed):
    moody = Moody(seed)
    place = "/{{ arguments.name }}"
    manifest = {"effect": "write", "retry": AT_ONCE}
    function = http_function(
        f"{server.url}/act{place}", "/lib/act", manifest=manifest, unknown_statuses=["5xx"], timeout_seconds=0.1
    )
    probe = http_function(
        f"{server.url}/find{place}", "/lib/find", method="GET", manifest={"effect": "read", "retry": AT_ONCE}
    )
    server.answers[:] = [moody]
    named = {"name": "{{ input.name }}"}
    reconcile = {"steps": [call("find", arguments=named)], "outcome": "steps.find.body.found == true"}
    node = call("act", arguments=named, on_unknown="reconcile", reconcile=reconcile)
    version = world.version(node, manifests={"act": function.manifest, "find": probe.manifest})
    for number in range(TRIES):
        started = commands.start(version.flow_id, version.pk, input={"name": f"n{number}"}, ports=world.ports)
        ended(world, started.pk)
    assert set(Instance.objects.values_list("status", flat=True)) == {"completed"}
    assert dict(server.effects) == {f"n{number}": 1 for number in range(TRIES)}
    assert all(moody.moods.values()), moody.moods
