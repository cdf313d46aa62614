# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command and holds it to limits on memory and CPU time.

    limits.py WEIGHTS MEGABYTES SECONDS COMMAND...

Its memory may be the size of the file WEIGHTS and MEGABYTES more. SECONDS are what
it may take on two cores. Tests share their machine, so that is measured as CPU time:
2 * SECONDS, however long the command had to wait.
"""
import os
import resource
import subprocess
import sys
import time

weights, megabytes, seconds = sys.argv[1:4]
start = time.monotonic()
subprocess.run(sys.argv[4:], check=True)
elapsed = time.monotonic() - start
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
cpu, cpu_limit = usage.ru_utime + usage.ru_stime, 2 * float(seconds)
memory = usage.ru_maxrss * 1024
memory_limit = os.path.getsize(weights) + int(megabytes) * 10**6
print(f"{elapsed:.1f} s, of CPU time {cpu:.1f} s (limit {cpu_limit:.0f} s), "
      f"{memory / 1e6:.0f} MB of memory (limit {memory_limit / 1e6:.0f} MB)")
sys.exit(memory > memory_limit or cpu > cpu_limit)
