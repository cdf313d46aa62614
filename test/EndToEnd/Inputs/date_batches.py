# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Answers all dates of a file in one batch, greedily, with what follows shorter dates filled with any ids, and
checks that nothing there is attended to.

    date_batches.py translator|aligner MODEL.so HELDOUT.txt
"""
import pathlib
import sys

import numpy

from judge.running import run

CHARACTERS = "\n ',-./" + "0123456789" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + "abcdefghijklmnopqrstuvwxyz"
BEGIN, END, FIRST, IDS = 1, 2, 3, 3 + len(CHARACTERS)
LENGTH = 11  # of an answer and its end

kind, model, path = sys.argv[1:]
pairs = [line.split("\t") for line in pathlib.Path(path).read_text().splitlines()]
lengths = numpy.array([len(written) for written, _ in pairs], "<i4")
source = numpy.random.default_rng(1).integers(0, IDS, (len(pairs), max(lengths))).astype("<i4")
for row, (written, _) in zip(source, pairs):
    row[: len(written)] = [CHARACTERS.index(character) + FIRST for character in written]


def call(entry, inputs, outputs):
    for name, array in inputs.items():
        numpy.save(f"{name}.npy", array)
    run("heddle-run", "run", model, f"--entry={entry}", *(f"--input={name}={name}.npy" for name in inputs),
        *(f"--output={name}={name}.npy" for name in outputs))  # fmt: skip
    return [numpy.load(f"{name}.npy") for name in outputs]


def translate():
    """Ids [dates, LENGTH], and weights [dates, LENGTH, source]."""
    (memory,) = call("encode", {"ids": source, "lengths": lengths}, ["memory"])
    ids = numpy.full((len(pairs), 1), BEGIN, "<i4")
    for _ in range(LENGTH):
        inputs = {"ids": ids, "memory": memory, "lengths": lengths}
        logits, attended = call("next", inputs, ["logits", "attended"])
        ids = numpy.concatenate((ids, logits.argmax(1)[:, None].astype("<i4")), 1)
    return ids[:, 1:], attended


def align():
    memory, keys, state = call("encode", {"ids": source, "lengths": lengths}, ["memory", "keys", "state"])
    ids, rows = [numpy.full(len(pairs), BEGIN, "<i4")], []
    for _ in range(LENGTH):
        inputs = {"ids": ids[-1], "state": state, "memory": memory, "keys": keys, "lengths": lengths}
        logits, state, attended = call("next", inputs, ["logits", "next_state", "attended"])
        ids.append(logits.argmax(1).astype("<i4"))
        rows.append(attended[:, 0, 0])
    return numpy.stack(ids[1:], 1), numpy.stack(rows, 1)


answers, weights = {"translator": translate, "aligner": align}[kind]()
texts = ["".join(CHARACTERS[i - FIRST] if i >= FIRST else "" for i in row) for row in answers]
right = sum(text == iso and row[-1] == END for text, row, (_, iso) in zip(texts, answers, pairs))
print(f"{right} of {len(pairs)} right")
padding = numpy.arange(source.shape[1]) >= lengths[:, None]
print("padding is attended to:", weights[numpy.broadcast_to(padding[:, None], weights.shape)].any())
print("weights sum up to 1:", bool((abs(weights.sum(-1) - 1) < 1e-5).all()))
