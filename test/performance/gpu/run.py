# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times the cases of a prepared folder."""

import argparse
import json
import pathlib
import secrets
import sys

import report
from case import pattern
from cases import CASES
from worker import Worker

LIMIT = 300  # seconds of a case: a kernel may hang


def run_cases(worker: Worker, about: dict, given):
    """The rows of the table, what else is to be said, and whether all results are right."""
    if failure := worker.ask(None, LIMIT).failure:
        sys.exit(f"gpu.sh: {failure}")
    sizes = ["small"] if given.small else ["small", "large"]
    rows, failures, notes = [], [], []
    for index, make in enumerate(CASES):
        for size in sizes:
            case = make(size == "small")
            if (not given.only.search(case.artifact)
                    or f"{size}/{case.artifact}" not in about["artifacts"]):
                continue
            outcome = worker.ask((index, size, size == sizes[-1]), LIMIT)
            # At once: the run may be cut.
            print(outcome.failure or "right", *report.cells(case, outcome), sep=" | ",
                  file=sys.stderr, flush=True)
            if outcome.failure:
                failures.append(f"FAILED: {case.name} {case.shape}: {outcome.failure}")
            if outcome.note:
                notes.append(f"{case.name}: {outcome.note}")
            if size == sizes[-1]:
                rows.append((case, outcome))
    return rows, failures + notes, not failures


def natural(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 on")
    return int(text)


def read_about(folder: pathlib.Path) -> dict:
    try:
        about = json.loads((folder / "about.json").read_text())
        if about["target"] and about["artifacts"] and (folder / "heddle").is_dir():
            return about
    except (OSError, ValueError, KeyError, TypeError):
        pass
    sys.exit(f"gpu.sh: {folder} is no whole prepared folder; gpu.sh prepare makes one")


def main() -> int:
    parser = argparse.ArgumentParser(prog="gpu.sh run", description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--small", action="store_true", help="time the shapes of checks")
    parser.add_argument("--only", type=pattern, default=pattern(""), metavar="REGEX",
                        help="cases whose artifact's name has a match")
    parser.add_argument("--seed", type=natural, help="of inputs and weights (default: a fresh one)")
    parser.add_argument("--launches-alone", action="store_true",
                        help="each kernel by itself, to see what graphs of them bring")
    parser.add_argument("--prediction", default="", help="what is expected, for the record")
    given = parser.parse_args()
    folder = given.folder.resolve()
    about = read_about(folder)
    seed = secrets.randbits(31) if given.seed is None else given.seed

    worker = Worker(folder, seed, given.launches_alone)
    try:
        rows, remarks, is_right = run_cases(worker, about, given)
    finally:
        worker.stop()
    if not rows:
        sys.exit(f"{folder} has no case that was asked for")
    if given.launches_alone:
        remarks = ["kernels were launched one by one", *remarks]
    text = report.report(about, seed, rows, remarks)
    print(text)
    with open(folder / "results.md", "a") as results:
        results.write(report.record(text, given.prediction))
    print(f"recorded in {results.name}, for test/performance/gpu-results.md", file=sys.stderr)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
