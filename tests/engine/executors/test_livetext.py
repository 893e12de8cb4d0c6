"""What a model says is shown while it says it, and leaves nothing behind."""

from datetime import UTC, datetime, timedelta

import pytest

from engine import commands, livetext
from engine.livetext import LEFT_BEHIND, MOST, LiveWriter, forget_left_behind
from engine.models import LiveText, new_id
from engine.outcomes import Failed, Succeeded
from engine.ports import AGENT, Call
from tests.engine.executors.model_server import says
from tests.engine.world import World
from tests.factories import InstanceFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(livetext, "EVERY", 0.0)


class Clock:
    def now(self):
        return datetime(2030, 1, 7, 9, tzinfo=UTC)


def writer(instance_id):
    call = Call(AGENT, "/agents/it", {}, instance_id, "it", 1, 3, 2, "key", Clock().now())
    return LiveWriter(call, Clock())


def test_a_text_grows_in_one_row_and_goes_with_the_call() -> None:
    run = InstanceFactory()
    live = writer(run.pk)
    live.say("Good ")
    live.say("morning")
    row = LiveText.objects.get()
    assert (row.instance, row.root, row.node_id, row.place, row.text) == (run, run.pk, "it", "3.2.0", "Good morning")
    live.end_part()
    live.say("Again")
    row.refresh_from_db()
    assert (row.place, row.text) == ("3.2.1", "Again")
    live.end()
    assert not LiveText.objects.exists()


def test_it_is_written_a_few_times_a_second_and_only_so_much_of_it(monkeypatch) -> None:
    live = writer(InstanceFactory().pk)
    live.say("x" * (MOST + 5))
    assert len(LiveText.objects.get().text) == MOST
    monkeypatch.setattr(livetext, "EVERY", 60.0)
    live.end_part()
    live.say("later")
    assert LiveText.objects.get().text.startswith("x")


def test_nothing_is_shown_of_a_run_that_is_gone() -> None:
    live = writer(new_id())
    live.say("Hello")
    live.end()
    assert not LiveText.objects.exists()


def test_a_child_run_is_shown_under_its_root() -> None:
    root = InstanceFactory()
    writer(InstanceFactory(parent=root, version=root.version).pk).say("Hello")
    assert LiveText.objects.get().root == root.pk


def test_what_a_dead_worker_left_behind_is_forgotten_after_an_hour() -> None:
    world = World()
    writer(InstanceFactory().pk).say("Hello")
    LiveText.objects.update(at=world.clock.now())
    assert forget_left_behind(world.ports) == 0
    world.clock.moment += LEFT_BEHIND + timedelta(seconds=1)
    assert forget_left_behind(world.ports) == 1


def test_it_goes_with_its_run() -> None:
    run = InstanceFactory(status="completed")
    writer(run.pk).say("Hello")
    commands.delete(run.pk)
    assert not LiveText.objects.exists()


def test_an_agents_answer_is_shown_as_it_streams_in(ask, model, monkeypatch) -> None:
    shown = []
    monkeypatch.setattr(livetext, "tell_watchers", lambda root: shown.append(LiveText.objects.get().text))
    model(says("Good ", "morning", "."))
    assert isinstance(ask(instance=InstanceFactory().pk), Succeeded)
    assert shown == ["Good ", "Good morning", "Good morning."]
    assert not LiveText.objects.exists()


def test_an_answer_that_breaks_off_leaves_nothing(ask, model) -> None:
    model(says("Good ", "mor", finish=None))
    assert isinstance(ask(instance=InstanceFactory().pk), Failed)
    assert not LiveText.objects.exists()
