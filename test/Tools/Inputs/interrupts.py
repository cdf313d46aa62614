# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interrupts heddlec at many times of a run, and looks for what it leaves.

    interrupts.py MODEL COUNT
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

MODEL, COUNT = sys.argv[1], int(sys.argv[2])
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
PLACE = pathlib.Path("interrupted").resolve()
FORGETFUL = pathlib.Path(__file__).resolve().parent / "forgetful_compiler.sh"


def prepare():
    shutil.rmtree(PLACE, ignore_errors=True)
    for name in ("out", "tmp"):
        (PLACE / name).mkdir(parents=True)


def start(**variables):
    """heddlec, with a stage that needs a linker and one that forks."""
    prepare()
    return subprocess.Popen(
        ["heddlec", MODEL, "--emit=exe", "--verify", "-o", PLACE / "out" / "k"],
        env={
            **os.environ,
            "TMPDIR": str(PLACE / "tmp"),
            "HEDDLE_CACHE": str(PLACE / "cache"),
            **variables,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        # Whoever runs the tests in the background ignores some of them.
        preexec_fn=lambda: [signal.signal(s, signal.SIG_DFL) for s in SIGNALS],
    )


def left_files():
    """But those that the cache of kernels has to have."""
    found = (p for folder in PLACE.iterdir() for p in folder.rglob("*"))
    cached = re.compile(r"llvmcache(-[0-9a-f]{64}|\.timestamp)")
    return sorted(str(p.relative_to(PLACE)) for p in found if not cached.fullmatch(p.name))


def stage():
    """Told by the kinds of files that there are."""
    return frozenset(name.rsplit(".", 1)[-1] for name in left_files())


def left_processes(session):
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(stat.parent.name)
    return found


def main():
    began = time.monotonic()
    process = start()
    assert process.wait() == 0
    whole = time.monotonic() - began
    assert left_files() == ["out/k", "out/k.h", "out/k.weights"], left_files()

    faults = ended = 0
    hit = set()
    for i in range(COUNT + 2):
        process = start(**({"CC": str(FORGETFUL)} if i > COUNT else {}))
        if i < COUNT:
            time.sleep(whole * (i + 0.5) / COUNT)
        else:  # while cc links, which has such a file
            kind = "res" if i == COUNT else "forgotten"
            while process.poll() is None and kind not in stage():
                time.sleep(0.001)
        hit.add(stage())
        number = SIGNALS[i % len(SIGNALS)]
        process.send_signal(number)
        if i % 2:
            process.send_signal(number)  # as those do who do not want to wait
        status = process.wait()
        # Whoever is faster than the signal has all of its files.
        ended += status == -number
        expected = [] if status == -number else ["out/k", "out/k.h", "out/k.weights"]
        time.sleep(0.02)
        found, processes = left_files(), left_processes(process.pid)
        if status not in (0, -number) or found != expected or processes:
            faults += 1
            print(f"interrupt {i}: {number.name}, status {status}:", found, processes)
    assert ended >= COUNT * 0.3, ended
    own = [files for files in hit if "forgotten" not in files]
    assert len(own) >= 3 and any("res" in files for files in own), hit
    assert process.returncode != 0
    print(f"{COUNT} interrupts and two of the linker, {faults} left something")


main()
