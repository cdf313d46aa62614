# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of a run, and its entry in gpu-results.md."""

import datetime

from targets import verdict

HEADINGS = ("case", "shape", "error", "time", "rate", "PyTorch", "compiled", "target")


def duration(seconds: float) -> str:
    if not seconds:
        return "-"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} us"


def rate(case, measured) -> str:
    """Of what binds: bytes where there are no peaks to tell."""
    work = case.work
    is_compute = (work.operations * measured.bandwidth > work.bytes * measured.peak
                  if measured.peak else work.operations > 16 * work.bytes)
    if is_compute:
        return f"{work.operations / measured.seconds / 1e12:.3g} TFLOP/s"
    return f"{work.bytes / measured.seconds / 1e9:.3g} GB/s"


def cells(case, outcome) -> tuple[str, ...]:
    measured = outcome.measured
    if not measured.seconds:
        return case.name, case.shape, "failed", "-", "-", "-", "-", "NO: the case has failed"
    return (case.name, case.shape, f"{outcome.error:.0e}", duration(measured.seconds),
            rate(case, measured), duration(measured.eager), duration(measured.compiled),
            "NO: the result is wrong" if outcome.failure else verdict(case, measured))


def table(rows) -> str:
    lines = [HEADINGS, *(cells(*row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    lines.insert(1, tuple("-" * width for width in widths))
    return "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths))
                     + " |" for line in lines)


def peaks(rows) -> str:
    """The best of the processes that measured them."""
    bandwidth = max(outcome.measured.bandwidth for _, outcome in rows)
    peak = max(outcome.measured.peak for _, outcome in rows)
    if not bandwidth:
        return "no peaks and no peers; times by the host's clock"
    return f"copy {bandwidth / 1e9:.4g} GB/s, cuBLAS f32 {peak / 1e12:.3g} TFLOP/s"


def report(about: dict, seed: int, rows, remarks: list[str]) -> str:
    device = next((outcome.device for _, outcome in rows if outcome.device), "no device")
    lines = [f"{device}, {about['target']}, heddle {about['revision']}, seed {seed}",
             peaks(rows), "", table(rows), *remarks]
    return "\n".join(lines)


def record(text: str, prediction: str) -> str:
    today = datetime.date.today().isoformat()
    return (f"## {today}\n\n{text}\n\n- Prediction: {prediction or 'none was given'}\n"
            "- Outcome of the change: \n\n")
