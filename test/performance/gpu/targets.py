# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the kernels should reach, and whether they do."""

from dataclasses import dataclass

from case import Case


@dataclass
class Measured:
    """Seconds of a case and of its peers, 0 where there is none; the peaks of the same run."""

    seconds: float = 0.0
    eager: float = 0.0
    compiled: float = 0.0
    bandwidth: float = 0.0
    peak: float = 0.0


def of_bandwidth(case: Case, measured: Measured) -> float:
    return case.work.bytes / measured.seconds / measured.bandwidth if measured.bandwidth else 0.0


def of_peak(case: Case, measured: Measured) -> float:
    return case.work.operations / measured.seconds / measured.peak if measured.peak else 0.0


def of_eager(case: Case, measured: Measured) -> float:
    return measured.eager / measured.seconds


def roof(case: Case, measured: Measured) -> tuple[str, float, float]:
    """Of the bandwidth or of the peak, whichever makes it take longer."""
    by_bytes, by_work = of_bandwidth(case, measured), of_peak(case, measured)
    if by_work / 0.5 > by_bytes / 0.85:
        return "the f32 peak", by_work, 0.5
    return "bandwidth", by_bytes, 0.85


#: What is wanted, and (case, measured) -> of what, the share of it, the share that is wanted.
TARGETS = {
    "gemm": ("60% of cuBLAS",
             lambda case, measured: ("cuBLAS", of_eager(case, measured), 0.6)),
    "roof": ("85% of bandwidth or 50% of the f32 peak", roof),
    "decode": ("70% of bandwidth",
               lambda case, measured: ("bandwidth", of_bandwidth(case, measured), 0.7)),
    "eager": ("100% of PyTorch's speed",
              lambda case, measured: ("PyTorch's speed", of_eager(case, measured), 1.0)),
}


def verdict(case: Case, measured: Measured) -> str:
    """The last column: the target, whether it is reached, and what is."""
    if not case.target:
        what, share, _ = roof(case, measured)
        return f"none: {share:.0%} of {what}" if share else "none"
    text, judge = TARGETS[case.target]
    what, share, wanted = judge(case, measured)
    if not share:  # no peers, no peaks
        return text
    return f"{wanted:.0%} of {what}: {'yes' if share >= wanted else 'NO'}, {share:.0%}"
