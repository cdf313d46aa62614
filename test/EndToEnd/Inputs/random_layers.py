# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles seeded random models of layers and compares whole calls with Python's answers.

    random_layers.py FIRST_SEED COUNT

What random_modules.py has not: attention, masks, caches that go from call to call, rotary
embeddings and other positions, recurrent cells, experts, dropout, the two entry points of a
decoder, and weights of all types from a checkpoint.
Folders seedN, which stay where something differs, hold what is needed to repeat it.
"""
import ast
import os
import random
import shutil
import struct
import subprocess
import sys

from layer_chains import Chain
from layer_chains.module import round_to

TARGETS = ("native", "x86-64-v3")
CHANNELS = (1, 3, 4, 7, 8, 12, 16, 20, 32, 33, 40, 48, 60, 64, 80, 96)
LENGTHS = (1, 2, 5, 11, 12, 13, 17, 24, 31, 33, 40)


class Call:
    """Sizes and integers of one call; `cache` goes from call to call."""

    def __init__(self, generator, entry, lengths, starts, capacity, cache):
        self.entry, self.lengths, self.starts = entry, lengths, starts
        self.batch, self.length = len(lengths), max(lengths)
        self.capacity, self.cache = capacity, cache
        self.generator = generator

    def random_ids(self, count):
        return [self.generator.randrange(count) for _ in range(self.batch * self.length)]

    def random_rows(self, channels):
        return [
            [round_to("f32", self.generator.gauss(0, 1)) for _ in range(channels)]
            for _ in range(self.batch * self.length)
        ]


def write_npy(path, descr, shape, values):
    header = repr({"descr": descr, "fortran_order": False, "shape": tuple(shape)})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    element = {"<i4": "i", "<f4": "f"}[descr]
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode() + struct.pack(f"<{len(values)}{element}", *values))


def read_npy(path):
    with open(path, "rb") as file:
        content = file.read()
    begin = 10 + struct.unpack("<H", content[8:10])[0]
    assert ast.literal_eval(content[10:begin].decode())["descr"] == "<f4"
    return struct.unpack(f"<{(len(content) - begin) // 4}f", content[begin:])


def run(*command):
    """Runs `command`; its messages are the error."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: {done.stderr or done.returncode}")


def build(generator):
    """A module of up to nine layers on values that are chosen at random."""
    module = Chain(generator, generator.choice(CHANNELS))
    for _ in range(generator.randint(1, 9)):
        x = module.values[-1]
        if generator.random() < 0.5:
            x = generator.choice(module.values)
        module.add_random(x)
    module.choose_results()
    return module


def compare(module, values, call):
    for index, result in enumerate(module.results):
        got = read_npy(f"r{index}.npy")
        want = values[result.name]
        channels = result.channels
        # Tokens past their sequence's length hold anything.
        rows = [
            row
            for row in range(len(want))
            if not result.has_tokens or row % call.length < call.lengths[row // call.length]
        ]
        # f32 against double: no sum has more than 500 terms, no chain more than some
        # thirty ops, of which only a norm of nearly nothing enlarges errors.
        largest = max(abs(value) for row in rows for value in want[row])
        tolerance = 2e-3 * max(largest, 1e-6)
        for row in rows:
            for channel in range(channels):
                difference = abs(got[row * channels + channel] - want[row][channel])
                assert difference <= tolerance, (
                    f"{call.entry}: result {index}, row {row}, channel {channel}: found "
                    f"{got[row * channels + channel]}, expected {want[row][channel]}"
                )


def run_call(module, call, is_first):
    values = module.make_inputs(call)
    command = ["heddle-run", "run", "m.so", f"--entry={call.entry}"]
    for name, descr, shape, data in module.describe_inputs(call, values):
        write_npy(f"{name}.npy", descr, shape, data)
        command.append(f"--input={name}={name}.npy")
    if module.cache:
        command += [f"--size=capacity={call.capacity}", "--cache-out=cache"]
        if not is_first:
            command.append("--cache-in=cache")
    command += [f"--output=r{i}=r{i}.npy" for i in range(len(module.results))]
    run(*command)
    for name, compute in module.program:
        values[name] = compute(values, call)
    compare(module, values, call)


def check(seed):
    generator = random.Random(seed)
    module = build(generator)
    with open("m.mlir", "w", encoding="utf-8") as file:
        file.write(module.text())
    module.write_weights("weights")
    target = f"--target-cpu={TARGETS[seed % len(TARGETS)]}"
    run("heddlec", "m.mlir", "--weights=weights", "--verify", target, "--emit=shared", "-o", "m.so")

    longest = generator.choice(LENGTHS)
    lengths = [generator.randint(1, longest) for _ in range(generator.choice([1, 1, 2, 3]))]
    capacity = longest + generator.choice([1, 3, 32, 33])
    # Without a cache, what comes before is anything.
    starts = [0 if module.cache else generator.choice([0, 1, 7]) for _ in lengths]
    cache = {}
    first, second = ("prefill", "decode") if module.is_decoder else ("f", "f")
    run_call(module, Call(generator, first, lengths, starts, capacity, cache), True)
    starts = [start + length for start, length in zip(starts, lengths)]
    ones = [1] * len(lengths)
    run_call(module, Call(generator, second, ones, starts, capacity, cache), False)


def main():
    first, count = int(sys.argv[1]), int(sys.argv[2])
    start = os.getcwd()
    failed = 0
    for seed in range(first, first + count):
        folder = os.path.join(start, f"seed{seed}")
        os.makedirs(folder, exist_ok=True)
        os.chdir(folder)
        try:
            check(seed)
        except AssertionError as error:
            failed += 1
            print(f"seed {seed}: {error}")
        else:
            shutil.rmtree(folder)
        os.chdir(start)
    print(f"{count} random models, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
