# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times the cases of a prepared folder."""

import argparse
import json
import pathlib
import secrets
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import heddle  # noqa: E402: the copy in the folder

import report  # noqa: E402
from case import Running  # noqa: E402
from cases import CASES  # noqa: E402
from check import check  # noqa: E402
from clock import HostClock  # noqa: E402
from targets import Measured  # noqa: E402
from weights import Weights  # noqa: E402


class Folder:
    """The prepared artifacts, loaded with random weights."""

    def __init__(self, path: pathlib.Path, seed: int, stream: int):
        self.path, self.seed, self.stream = path, seed, stream
        self.about = json.loads((path / "about.json").read_text())
        self._name, self._loaded = "", None

    def has(self, size: str, case) -> bool:
        return f"{size}/{case.artifact}" in self.about["artifacts"]

    def load(self, size: str, case):
        """The model and its weights; the one before is not kept, unless it is the same."""
        name = f"{size}/{case.artifact}"
        if name != self._name:
            self._loaded = None
            self._name, self._loaded = name, self._open(name)
        return self._loaded

    def _open(self, name: str):
        weights = Weights(self.about["artifacts"][name], self.seed)
        packed = self.path / f"{name}.weights"
        if not packed.exists():
            weights.fill(packed)
        model = heddle.load(self.path / f"{name}.so", threads=1, prefix="model",
                            stream=self.stream)
        return model, weights


def find_clock(is_cuda: bool):
    if not is_cuda:
        return HostClock()
    import peers  # PyTorch, which only this needs
    return peers.Gpu()


def main() -> int:
    parser = argparse.ArgumentParser(prog="gpu.sh run", description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--small", action="store_true", help="time the shapes of checks")
    parser.add_argument("--only", default="", help="cases whose artifact's name holds this")
    parser.add_argument("--seed", type=int, help="of inputs and weights (default: a fresh one)")
    parser.add_argument("--prediction", default="", help="what you expect of this run, for the record")
    given = parser.parse_args()
    seed = secrets.randbits(31) if given.seed is None else given.seed
    about = json.loads((given.folder / "about.json").read_text())
    clock = find_clock(about["target"].startswith("cuda"))
    folder = Folder(given.folder.resolve(), seed, clock.stream)
    for old in folder.path.glob("*/*.weights"):  # of another seed
        old.unlink()
    sizes = ["small"] if given.small else ["small", "large"]
    random = np.random.Generator(np.random.SFC64(seed))
    rows, failures = [], 0
    for make in CASES:
        for size in sizes:
            case = make(size == "small")
            if given.only not in case.artifact or not folder.has(size, case):
                continue
            model, weights = folder.load(size, case)
            error, failure = check(case, model, random, weights)
            if failure:
                failures += 1
                print(f"WRONG: {case.name} {case.shape}: {failure}", flush=True)
            if size != sizes[-1]:
                continue
            running = Running(case, model, case.calls(random))
            seconds = clock.seconds(running.call, model.wait)
            device = clock.device_name or model.device
            del running
            eager, compiled = clock.peers(case)
            rows.append((case, error, not failure, Measured(seconds, eager, compiled,
                                                            clock.bandwidth, clock.peak)))
    text = report.report(about, device, seed, clock, rows)
    print(text)
    (folder.path / "results.md").write_text(report.record(text, given.prediction))
    if failures:
        print(f"{failures} results are wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
