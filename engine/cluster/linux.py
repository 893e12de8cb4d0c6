"""The two requests to the Linux kernel that the cluster needs and Python does not offer."""

import ctypes
import os
import signal
import sys

IS_LINUX = sys.platform == "linux"

# <sys/prctl.h>
_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15


def die_with_parent(parent: int, sig: int = signal.SIGKILL) -> None:
    """Have the kernel send ``sig`` to this process when the thread that started it ends.

    ``parent`` is the process id of the one who forked: it may be gone before the kernel is told, then ``sig`` is
    sent here. Call it in the child; the setting survives ``exec``. Elsewhere than on Linux it does nothing.
    """
    if IS_LINUX:
        _prctl(_PR_SET_PDEATHSIG, int(sig))
        if os.getppid() != parent:
            os.kill(os.getpid(), sig)


def name_process(name: str) -> None:
    """Show this process as ``name`` (15 bytes at most) in ``ps -e`` and ``top``."""
    if IS_LINUX:
        _prctl(_PR_SET_NAME, name.encode())


def _prctl(request: int, argument: int | bytes) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(request, argument, 0, 0, 0)
