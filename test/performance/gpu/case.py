# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a case is, and how one runs on a device."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

F32 = 4  # bytes
Arrays = dict[str, np.ndarray]
#: What the calls of a case take, in order: [(entry point, its arrays)]. The last one is timed.
Calls = list[tuple[str, Arrays]]


@dataclass
class Work:
    """What a call cannot do without, whoever computes it."""

    bytes: int
    operations: int = 0  # of f32; a multiply-add is two


@dataclass
class Case:
    name: str
    shape: str
    artifact: str  # the file in the folder, without its ending
    source: str | dict  # MLIR, or the config of a model
    calls: Callable[[np.random.Generator], Calls]
    result: tuple[str, tuple[int, ...]]
    #: (calls, rows, weights) -> those rows of the result, in float64.
    reference: Callable[[Calls, np.ndarray, Callable[[str], np.ndarray]], np.ndarray]
    work: Work
    #: Largest difference, relative to the root mean square of the reference.
    tolerance: float = 1e-5
    target: str = ""  # a key of targets.TARGETS
    cache: dict[str, int] = field(default_factory=dict)
    peer: tuple = ()  # a function of peers.py and its arguments
    #: What is compared in place of `calls`, where a reference of those would take minutes.
    checked: Callable[[np.random.Generator], Calls] | None = None


def pattern(text: str) -> re.Pattern:
    """A regular expression of the command line."""
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from None


def normal(random, *shape):
    return random.standard_normal(shape, dtype=np.float32)


def function(arguments, result, body, entry="run"):
    """MLIR of a function: {name: type}, the type of the result %y."""
    given = ", ".join(f'%{name}: tensor<{type}> {{heddle.name = "{name}"}}'
                      for name, type in arguments.items())
    return (f'func.func @{entry}({given}) -> (tensor<{result}> {{heddle.name = "y"}}) {{\n'
            f"{body}\n  return %y : tensor<{result}>\n}}\n")


def poison(memory) -> None:
    """Makes all of a device's memory NaN, and so whatever is computed of what nobody wrote."""
    ones = np.full(memory.size, 0xFF, np.uint8)
    memory.device.move("upload", memory.address, ones.ctypes.data, memory.size)


class Running:
    """A case whose arrays and cache are on the device, ready to be called."""

    def __init__(self, case: Case, model, calls: Calls):
        cache = {"cache": model.cache(**case.cache)} if case.cache else {}
        for made in cache.values():
            poison(made._memory)
        for entry, arrays in calls[:-1]:
            getattr(model, entry)(**arrays, **cache)
        name, shape = case.result
        self.result = model.array(np.zeros(shape, np.float32))
        entry, arrays = calls[-1]
        given = {key: model.array(value) for key, value in arrays.items()}
        self.call = getattr(model, entry).prepare(**given, **cache, **{name: self.result})
        self.model = model

    def read(self, times: int) -> np.ndarray:
        """The result of so many calls. What nobody writes is seen, in the workspace, too."""
        poison(self.result._memory)
        poison(self.call.workspace)
        for _ in range(times):
            self.call()
        self.model.wait()
        return self.result.read()
