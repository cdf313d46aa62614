# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command whose outputs are in the folder `out` with little memory.

    little_memory.py FIRST LAST STEP COMMAND...

The limits of its address space are FIRST, FIRST + STEP, ... LAST megabytes. Of each it
either succeeds or says "out of memory" in one line of standard error, and leaves no file.
"""

import os
import pathlib
import resource
import shutil
import subprocess
import sys

first, last, step = map(int, sys.argv[1:4])
command = sys.argv[4:]
short = faults = 0
for limit in range(first, last + 1, step):
    for folder in ("out", "tmp"):
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)

    def restrict(size=limit << 20):
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    done = subprocess.run(
        command,
        env={**os.environ, "TMPDIR": os.path.abspath("tmp")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=restrict,
    )
    left = sorted(str(p) for folder in ("out", "tmp") for p in pathlib.Path(folder).rglob("*"))
    lines = done.stderr.splitlines()
    is_said = len(lines) == 1 and "error: out of memory" in lines[0] and not left
    short += done.returncode == 1 and is_said
    if done.returncode != 0 and not (done.returncode == 1 and is_said):
        faults += 1
        print(f"{limit} MB: status {done.returncode}, left {left}:", *lines, sep="\n  ")
print(f"{'none' if short == 0 else 'some'} had too little, {faults} said it otherwise")
