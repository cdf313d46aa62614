# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of one command at the same time, and one that is interrupted.

    runs.py together COMMAND...    all of two runs succeed
    runs.py interrupted COMMAND... SIGINT ends it once a file .incomplete is there
"""

import pathlib
import signal
import subprocess
import sys
import time

what, *command = sys.argv[1:]
if what == "together":
    for run in [subprocess.Popen(command) for _ in range(2)]:
        if run.wait() != 0:
            sys.exit(f"a run ended with status {run.returncode}")
else:
    run = subprocess.Popen(
        command,
        stderr=subprocess.DEVNULL,
        # Whoever runs the tests in the background ignores it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while run.poll() is None and not list(pathlib.Path().glob("*.incomplete")):
        time.sleep(0.001)
    run.send_signal(signal.SIGINT)
    if run.wait() == 0:
        sys.exit("it was not interrupted")
