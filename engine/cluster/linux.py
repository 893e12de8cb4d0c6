"""The two system calls of Linux that the cluster needs and Python does not offer."""

import ctypes
import signal
import sys

IS_LINUX = sys.platform == "linux"

_PR_SET_PDEATHSIG = 1  # <sys/prctl.h>


def die_with_parent(sig: int = signal.SIGKILL) -> None:
    """Have the kernel send ``sig`` to this process when the thread that started it ends; elsewhere: do nothing.

    Call it in the child, after the fork. The setting survives ``exec``.
    """
    if IS_LINUX:
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(sig), 0, 0, 0)
