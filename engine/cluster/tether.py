"""``python -m engine.cluster.tether PARENT COMMAND...`` becomes COMMAND, tied to the life of PARENT.

When PARENT (a process id) ends, however it ends, the kernel sends SIGTERM to COMMAND. A program of its own because
code between fork and exec is not safe in a process with threads, and the supervisor has them.
"""

import os
import signal
import sys

from engine.cluster.linux import die_with_parent


def main(parent: str, *command: str) -> None:
    die_with_parent(int(parent), signal.SIGTERM)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
