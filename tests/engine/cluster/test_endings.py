"""How a cluster ends: asked to, or because one of those above the workers was killed."""

from collections.abc import Callable

import pytest
from django.utils import timezone
from django_q.models import OrmQ

from tests.engine.cluster import notes
from tests.engine.cluster.conftest import RunningCluster, eventually, is_alive, on_a_real_database, send

pytestmark = [pytest.mark.chaos, on_a_real_database]

StartCluster = Callable[..., RunningCluster]


def ready() -> int:
    return int(OrmQ.objects.filter(lock__lte=timezone.now()).count())


def test_an_idle_cluster_stops_soon(start_cluster: StartCluster) -> None:
    assert start_cluster().stop(within=5) == 0


def test_a_body_that_runs_is_finished_before_the_cluster_stops(start_cluster: StartCluster) -> None:
    cluster = start_cluster()
    send("work", "a", 700)
    eventually(lambda: notes.read("began"))
    assert cluster.stop() == 0
    assert notes.details("ran") == ["a"]
    assert not OrmQ.objects.exists()


def test_messages_that_nobody_began_go_back_to_the_queue(start_cluster: StartCluster) -> None:
    cluster = start_cluster(workers=1)
    send("work_until_asked_to_stop", "a")
    for label in "bcdef":
        send("note", label)
    eventually(lambda: notes.read("began") and ready() < 4)
    cluster.stop()
    assert notes.details("ran") == ["a"]
    assert ready() == 5


def test_a_long_body_can_see_that_its_cluster_is_stopping(start_cluster: StartCluster) -> None:
    cluster = start_cluster()
    send("work_until_asked_to_stop", "a")
    eventually(lambda: notes.read("began"))
    cluster.stop(within=5)
    assert notes.details("ran") == ["a"]


def test_a_worker_that_is_killed_while_the_cluster_stops_does_not_keep_it(start_cluster: StartCluster) -> None:
    cluster = start_cluster()
    send("work", "a", 30_000)
    eventually(lambda: notes.read("began"))
    busy = cluster.busy()
    cluster.root.terminate()
    eventually(
        lambda: not cluster.of("pusher")
    )  # it is stopping: before that, another worker would take the message up
    busy.kill()
    assert cluster.wait(30) == 0
    assert notes.read("died")
    assert ready() == 1


@pytest.mark.parametrize(("victim", "code"), [("sentinel", 3), ("parent", -9)])
def test_a_cluster_without_its_head_ends_as_a_whole(start_cluster: StartCluster, victim: str, code: int) -> None:
    cluster = start_cluster()
    members = cluster.all()
    send("work", "a", 30_000)
    eventually(lambda: notes.read("began"))
    (cluster.root if victim == "parent" else cluster.of("sentinel")[0]).kill()
    assert cluster.wait(30) == code
    eventually(lambda: not any(is_alive(member) for member in members), within=5)


def test_signals_to_a_single_process_of_the_cluster_change_nothing(start_cluster: StartCluster) -> None:
    cluster = start_cluster()
    send("work", "a", 500)
    eventually(lambda: notes.read("began"))
    for process in cluster.root.children(recursive=True):
        process.terminate()
    eventually(lambda: notes.details("ran") == ["a"])
    assert not notes.read("died")
    assert cluster.stop() == 0


def test_two_clusters_share_the_work_and_double_none_of_it(start_cluster: StartCluster) -> None:
    first, second = start_cluster(), start_cluster()
    for number in range(100):
        send("work", str(number), 5)
    eventually(lambda: len(notes.read("ran")) >= 100)
    eventually(lambda: not OrmQ.objects.exists())
    assert sorted(notes.details("ran"), key=int) == [str(number) for number in range(100)]
    workers = {note.pid for note in notes.read("ran")}
    assert workers & {process.pid for process in first.of("worker")}
    assert workers & {process.pid for process in second.of("worker")}


def test_elsewhere_than_on_linux_the_stock_cluster_works_and_says_so(start_cluster: StartCluster) -> None:
    cluster = start_cluster(is_linux=False)
    send("note", "a")
    eventually(lambda: notes.details("ran") == ["a"])
    eventually(lambda: len(notes.read("beat")) == 2)
    assert cluster.logged("this is not Linux")
    assert cluster.stop() == 0
