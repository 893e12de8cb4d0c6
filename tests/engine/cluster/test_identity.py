"""Names under which leases and heartbeats are written."""

import multiprocessing
import os
import socket

import pytest

from engine.cluster import identity


@pytest.fixture(autouse=True)
def unnamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "_node", None)


def test_a_node_keeps_its_name() -> None:
    assert identity.node_name() == identity.node_name()
    assert identity.node_name().startswith(socket.gethostname()[:55])


def test_no_two_starts_have_the_same_name() -> None:
    assert identity.new_node_name() != identity.new_node_name()


def test_a_worker_is_named_after_its_node_and_process() -> None:
    identity.set_node_name("host-1")
    assert identity.worker_name() == f"host-1:{os.getpid()}"
    assert identity.worker_name(7) == "host-1:7"


def test_forked_processes_share_the_name_of_the_node() -> None:
    identity.set_node_name("host-2")
    context = multiprocessing.get_context("fork")
    names = context.SimpleQueue()
    worker = context.Process(target=lambda: names.put(identity.worker_name()))
    worker.start()
    worker.join()
    assert names.get() == f"host-2:{worker.pid}"


def test_names_fit_the_columns_for_any_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "h" * 200)
    assert len(identity.worker_name(4_194_304)) <= 80
