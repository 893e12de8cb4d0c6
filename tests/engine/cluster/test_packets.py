"""Queues and flags between processes that no killed process can lock."""

import ctypes
import multiprocessing
import os
import queue
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from engine.cluster.packets import PACKET_LIMIT, Flag, PacketQueue, PacketTooLarge

NewQueue = Callable[..., PacketQueue]


def fork(target: Callable[..., object], *args: object) -> Any:
    process = multiprocessing.get_context("fork").Process(target=target, args=args, daemon=True)
    process.start()
    return process


@pytest.fixture
def new_queue() -> Iterator[NewQueue]:
    made: list[PacketQueue] = []

    def make(capacity: int | None = None) -> PacketQueue:
        made.append(PacketQueue(capacity=capacity))
        return made[-1]

    yield make
    for packets in made:
        packets.close()


def put_until_full(packets: PacketQueue) -> int:
    """Put small messages until the queue blocks for a quarter of a second; return how many it took."""

    def put_for_ever() -> None:
        while True:
            packets.put("message")

    writer = fork(put_for_ever)
    writer.join(0.25)
    writer.kill()
    writer.join()
    count = 0
    while not packets.empty():
        packets.get()
        count += 1
    return count


def test_messages_come_out_as_they_went_in(new_queue: NewQueue) -> None:
    packets = new_queue()
    for message in ("STOP", {"id": 1}, b"x" * 100_000):
        packets.put(message)
    assert [packets.get() for _ in range(3)] == ["STOP", {"id": 1}, b"x" * 100_000]


def test_an_empty_queue_says_so(new_queue: NewQueue) -> None:
    packets = new_queue()
    assert packets.empty() and packets.qsize() == 0
    with pytest.raises(queue.Empty):
        packets.get_nowait()


def test_a_bounded_queue_blocks_after_a_few_messages(new_queue: NewQueue) -> None:
    assert 3 <= put_until_full(new_queue(4608)) <= 12


def test_a_large_message_passes_a_bounded_queue_and_leaves_it_bounded(new_queue: NewQueue) -> None:
    packets = new_queue(4608)
    packets.put(b"x" * 100_000)
    assert len(packets.get()) == 100_000
    assert put_until_full(packets) <= 12


def test_a_message_over_the_limit_is_refused(new_queue: NewQueue) -> None:
    with pytest.raises(PacketTooLarge, match=str(PACKET_LIMIT)):
        new_queue().put(b"x" * PACKET_LIMIT)


def test_readers_killed_while_they_wait_keep_nobody_from_reading(new_queue: NewQueue) -> None:
    packets = new_queue()
    for _ in range(5):
        reader = fork(packets.get)
        time.sleep(0.02)
        os.kill(reader.pid, signal.SIGKILL)
        reader.join()
    packets.put("still here")
    assert packets.get_nowait() == "still here"


def test_a_message_goes_to_one_reader_only(new_queue: NewQueue) -> None:
    tasks, results = new_queue(), new_queue()
    readers = [fork(lambda: results.put(tasks.get())) for _ in range(3)]
    for number in range(3):
        tasks.put(number)
    assert sorted(results.get() for _ in readers) == [0, 1, 2]


def test_the_id_of_a_message_is_noted_as_it_is_taken(new_queue: NewQueue) -> None:
    packets, in_hand = new_queue(), ctypes.c_int64(0)
    packets.note_in(in_hand)
    packets.put({"ack_id": 2**40})
    packets.put("STOP")
    assert (packets.get(), in_hand.value) == ({"ack_id": 2**40}, 2**40)
    assert (packets.get(), in_hand.value) == ("STOP", 0)


def test_a_flag_set_in_one_process_is_seen_in_the_other() -> None:
    flag = Flag()
    assert not flag.is_set()
    assert not flag.wait(0.01)
    fork(flag.set).join()
    assert flag.wait(0) and flag.is_set()


def test_a_flag_ends_the_wait_for_it() -> None:
    flag = Flag()
    fork(lambda: time.sleep(0.1) or flag.set())  # type: ignore[func-returns-value]
    start = time.monotonic()
    assert flag.wait(5)
    assert time.monotonic() - start < 2
