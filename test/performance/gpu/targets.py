# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the kernels should reach, and whether they do."""

from dataclasses import dataclass

from case import Case


@dataclass
class Measured:
    """Seconds of a case and of its peers, 0 where there is none; the peaks of the same run."""

    seconds: float
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
    """85% of the bandwidth or 50% of the peak, whichever takes longer."""
    by_bytes, by_work = of_bandwidth(case, measured), of_peak(case, measured)
    if by_work / 0.5 > by_bytes / 0.85:
        return "of the f32 peak", by_work, 0.5
    return "of bandwidth", by_bytes, 0.85


#: case, measured -> of what, the share of it, the share that is wanted.
TARGETS = {
    "gemm": lambda case, measured: ("of cuBLAS", of_eager(case, measured), 0.6),
    "roof": roof,
    "decode": lambda case, measured: ("of bandwidth", of_bandwidth(case, measured), 0.7),
    "eager": lambda case, measured: ("of PyTorch eager", of_eager(case, measured), 1.0),
}


def verdict(case: Case, measured: Measured) -> str:
    """The last column: the target, what was reached, and whether that is enough."""
    if not case.target:
        return ""
    what, share, wanted = TARGETS[case.target](case, measured)
    if not share:  # no peer, no peaks
        return "not known here"
    return f"{'yes' if share >= wanted else 'NO'}: {share:.0%} {what}, wanted {wanted:.0%}"
