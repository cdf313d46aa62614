# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command, sends it a signal once FOLDER has a file, and prints what it said.

    crash.py SIGNAL FOLDER COMMAND...
"""

import os
import signal
import subprocess
import sys
import time

name, folder, *command = sys.argv[1:]
number = signal.Signals[name]
process = subprocess.Popen(
    command,
    stderr=subprocess.PIPE,
    text=True,
    # Whoever runs the tests in the background ignores some of them.
    preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
)
while process.poll() is None and not os.listdir(folder):
    time.sleep(0.001)
process.send_signal(number)
print(process.stderr.read(), end="")
print("status", process.wait(), "left", os.listdir(folder))
