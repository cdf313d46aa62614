# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command, sends it SIGSEGV once FOLDER has a file, and prints what it said.

    crash.py FOLDER COMMAND...
"""

import os
import signal
import subprocess
import sys
import time

folder, *command = sys.argv[1:]
process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
while process.poll() is None and not os.listdir(folder):
    time.sleep(0.001)
process.send_signal(signal.SIGSEGV)
print(process.stderr.read(), end="")
print("status", process.wait(), "left", os.listdir(folder))
