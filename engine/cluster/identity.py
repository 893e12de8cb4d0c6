"""Who we are: the names under which leases and heartbeats are written.

A node is one start of a cluster, not a machine: a restarted cluster has a new name, so that the leases of its
former life are recognised as those of a dead one.
"""

import os
import secrets
import socket

_node: str | None = None


def new_node_name() -> str:
    """A name no other start of a cluster has: host and 8 random hex digits, 64 characters at most."""
    return f"{socket.gethostname()[:55]}-{secrets.token_hex(4)}"


def set_node_name(name: str) -> None:
    """Name this node. Call it before the cluster forks: its processes inherit the name."""
    global _node
    _node = name


def node_name() -> str:
    """The name of this node; a process that belongs to no cluster gets one of its own at the first call."""
    if _node is None:
        set_node_name(new_node_name())
    assert _node is not None
    return _node


def worker_name(pid: int | None = None) -> str:
    """The name of a process of this node, by default of the calling one: ``node:pid``, 80 characters at most."""
    return f"{node_name()}:{os.getpid() if pid is None else pid}"
