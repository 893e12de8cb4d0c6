"""What the processes of a cluster share without a lock, so that a killed one can hold none.

``multiprocessing.Queue`` and ``Event`` keep their state under semaphores; a process that is killed while it holds
one stops all others for ever. Here each operation is one system call: it has happened or it has not.
"""

import ctypes
import errno
import os
import pickle
import queue
import select
import socket
import struct
from typing import Any

PACKET_LIMIT = 200_000  # bytes; below the kernel's default limit for one packet
_ID = struct.Struct("=q")  # an id as it stands in front of a packet and in shared memory


class PacketTooLarge(ValueError):
    """The message is over PACKET_LIMIT once pickled, or over what this kernel lets through."""


class PacketQueue:
    """A queue between processes over one socket pair: one pickled message is one packet, read whole by one reader.

    ``capacity``: bytes of socket buffer, which bounds the messages in flight (4608, the kernel's least: some 4 to 8
    small ones); a full queue blocks the writer. Stands in for ``django_q.queues.Queue``.

    In front of each packet stands the id of the message, a task's ``ack_id``, else 0. A reader that is watched has
    the kernel write it into shared memory as it hands the packet over: there is no moment at which the message is
    out of the queue and nobody knows who has it.
    """

    def __init__(self, *, capacity: int | None = None) -> None:
        self._reader, self._writer = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._capacity = capacity
        self._buffer = bytearray(PACKET_LIMIT)
        self._in_hand: Any = bytearray(_ID.size)
        if capacity is not None:
            self._set_send_buffer(capacity)

    def put(self, message: object) -> None:
        """Append; blocks while the queue is full. Raises PacketTooLarge, or what pickle raises."""
        packet = _ID.pack(_message_id(message)) + pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        if len(packet) > PACKET_LIMIT:
            raise PacketTooLarge(f"message of {len(packet)} bytes, the limit is {PACKET_LIMIT}")
        try:
            self._writer.send(packet)
        except OSError as error:
            if error.errno != errno.EMSGSIZE:
                raise
            self._put_oversize(packet)

    def note_in(self, in_hand: ctypes.c_int64) -> None:
        """From now on write the id of each message that this process takes into ``in_hand``, shared memory."""
        self._in_hand = in_hand

    def get(self) -> Any:
        """Take the oldest message; blocks while there is none."""
        return self._receive(0)

    def get_nowait(self) -> Any:
        """Take the oldest message; raises queue.Empty when there is none."""
        try:
            return self._receive(socket.MSG_DONTWAIT)
        except BlockingIOError:
            raise queue.Empty from None

    def empty(self) -> bool:
        return not _is_readable(self._reader.fileno())

    def qsize(self) -> int:
        """0 or 1: whether there is a message; how many, the kernel does not say."""
        return 0 if self.empty() else 1

    def fileno(self) -> int:
        """Readable when there is a message."""
        return self._reader.fileno()

    def close(self) -> None:
        self._reader.close()
        self._writer.close()

    def join_thread(self) -> None:
        """Nothing to do: a message is with the kernel when put() returns."""

    def _receive(self, flags: int) -> Any:
        size, *_ = self._reader.recvmsg_into([self._in_hand, self._buffer], 0, flags)
        return pickle.loads(memoryview(self._buffer)[: size - _ID.size])

    def _put_oversize(self, packet: bytes) -> None:
        """Let one message through that is larger than the whole buffer, then bound the queue again."""
        try:
            self._set_send_buffer(2 * len(packet))
            self._writer.send(packet)
        except OSError as error:
            if error.errno != errno.EMSGSIZE:
                raise
            raise PacketTooLarge(f"message of {len(packet)} bytes: this kernel's limit is lower") from None
        finally:
            if self._capacity is not None:
                self._set_send_buffer(self._capacity)

    def _set_send_buffer(self, size: int) -> None:
        self._writer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)


class Flag:
    """A signal that is given once, to all processes; stands in for ``multiprocessing.Event``."""

    def __init__(self) -> None:
        self._descriptor = os.eventfd(0)

    def set(self) -> None:
        os.eventfd_write(self._descriptor, 1)

    def is_set(self) -> bool:
        return _is_readable(self._descriptor)

    def wait(self, seconds: float | None = None) -> bool:
        """Return whether it is set, at the latest after ``seconds``."""
        return _is_readable(self._descriptor, seconds)

    def fileno(self) -> int:
        """Readable once the flag is set."""
        return self._descriptor


def _message_id(message: object) -> int:
    return int(message.get("ack_id", 0)) if isinstance(message, dict) else 0


def _is_readable(descriptor: int, seconds: float | None = 0) -> bool:
    poll = select.poll()  # select() refuses descriptors over 1023
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(None if seconds is None else seconds * 1000))
