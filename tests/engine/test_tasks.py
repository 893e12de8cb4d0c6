"""What a queue message asks a worker to do, with a connection that broke since the message before."""

import psycopg
import pytest
from django.db import connection

from engine import tasks
from engine.states import Status
from tests.engine.drawing import call
from tests.engine.world import World, called, row


@pytest.mark.django_db(transaction=True)
def test_a_run_is_taken_up_on_a_new_connection_when_the_old_one_broke(monkeypatch):
    if connection.vendor != "postgresql":
        pytest.skip("a file cannot hang up")
    world = World()
    monkeypatch.setattr(tasks, "ports", lambda: world.ports)
    run = world.start(call("a"))
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [connection.connection.info.backend_pid])
    tasks.drive(str(run))
    assert row(run).status == Status.COMPLETED
    assert called(world) == ["a"]
