"""Become a program whose process group ends with the process that started it, however that one ends.

Run as a script with Python's own modules only: `launcher.py DESCRIPTOR PROGRAM ARGUMENTS`. The descriptor is
a pipe that only the parent can write to. When the parent's end closes, the system kills the group; it keeps
this order for the program that takes this process's place. Linux only: others cannot choose the signal.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import sys

NOT_STARTED = 127  # exit status, as a shell has it


def main() -> None:
    """Set up the pipe, and become the program."""
    lifeline, command = int(sys.argv[1]), sys.argv[2:]
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([lifeline], [], [], 0)[0]:  # the parent ended before the order was given
        return
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        sys.exit(NOT_STARTED)


if __name__ == "__main__":
    main()
