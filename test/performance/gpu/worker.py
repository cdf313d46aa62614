# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases run in a process of their own, and the next one in another where one has failed: after
an error CUDA does nothing more for a process, and a kernel may hang."""

from __future__ import annotations

import json
import math
import multiprocessing
import pathlib
import sys
import zlib
from dataclasses import dataclass, field

import numpy as np

from case import Running
from cases import CASES
from check import check
from clock import HostClock
from targets import Measured
from weights import Weights


@dataclass
class Outcome:
    """What a process says of a case."""

    failure: str = ""
    note: str = ""  # of a peer that has failed
    error: float = math.inf
    device: str = ""
    measured: Measured = field(default_factory=Measured)


class Worker:
    def __init__(self, folder: pathlib.Path, seed: int, launches_alone: bool):
        self._given = folder, seed, launches_alone
        self._process = None

    def ask(self, task: tuple | None, limit: float) -> Outcome:
        """`task` is what run() below takes of a case, or None to see that there is a device."""
        if not self._process:
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=serve, args=(theirs, *self._given))
            self._process.start()
            theirs.close()
        try:
            self._pipe.send(task)
            if not self._pipe.poll(limit):
                outcome = Outcome(f"takes more than {limit} s")
            else:
                outcome = self._pipe.recv()
        except (EOFError, OSError):
            self._process.join()
            outcome = Outcome(f"the process has ended with {self._process.exitcode}")
        if outcome.note or (outcome.failure and math.isinf(outcome.error)):
            self.stop()
        return outcome

    def stop(self) -> None:
        if self._process:
            self._process.kill()
            self._process.join()
            self._process = None


def serve(pipe, path: pathlib.Path, seed: int, launches_alone: bool) -> None:
    folder, clock = None, None
    while True:
        try:
            task = pipe.recv()
        except EOFError:  # nobody asks any more
            return
        try:
            if not folder:
                clock = find_clock(path)
                folder = Folder(path, seed, clock.stream, launches_alone)
            outcome = run(folder, clock, *task) if task else Outcome(error=0.0)
        except (Exception, SystemExit) as error:  # of a driver, of PyTorch, of a full disk
            outcome = Outcome(f"{type(error).__name__}: {error}")
        pipe.send(outcome)


def find_clock(path: pathlib.Path):
    if not json.loads((path / "about.json").read_text())["target"].startswith("cuda"):
        return HostClock()
    import peers  # which needs PyTorch
    return peers.Gpu()


class Folder:
    """The prepared artifacts, loaded with random weights."""

    def __init__(self, path: pathlib.Path, seed: int, stream: int, launches_alone: bool):
        self.path, self.seed = path, seed
        self._options = {"stream": stream, "launches_alone": launches_alone}
        self._described = json.loads((path / "about.json").read_text())["artifacts"]
        self._name, self._loaded = "", None
        sys.path.insert(0, str(path))
        import heddle
        self._load = heddle.load

    def load(self, name: str):
        """The model and its weights; the one before is not kept, unless it is the same."""
        if name != self._name:
            self._loaded = None
            weights = Weights(self._described[name], self.seed)
            packed = self.path / f"{name}.weights"
            weights.fill(packed)
            model = self._load(self.path / f"{name}.so", threads=1, prefix="model",
                               **self._options)
            packed.unlink()  # the device has a copy
            self._name, self._loaded = name, (weights, model)
        return self._loaded


def run(folder: Folder, clock, index: int, size: str, is_timed: bool) -> Outcome:
    case = CASES[index](size == "small")
    weights, model = folder.load(f"{size}/{case.artifact}")
    name = f"{case.name} {case.shape}".encode()
    random = np.random.Generator(np.random.SFC64([folder.seed, zlib.crc32(name)]))
    error, failure = check(case, model, random, weights)
    outcome = Outcome(failure, "", error, clock.device_name or model.device)
    if is_timed:
        running = Running(case, model, case.calls(random))
        seconds = clock.seconds(running.call, model.wait)
        del running  # what it has on the device
        eager, compiled, outcome.note = clock.peers(case)
        outcome.measured = Measured(seconds, eager, compiled, clock.bandwidth, clock.peak)
    return outcome
