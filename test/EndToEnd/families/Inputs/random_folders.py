# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiny random folders of each family, compiled and compared with decoders.py: two texts of different
lengths in one batch, at once and token by token.

    random_folders.py SOME        so many variants, drawn
    random_folders.py FAMILY...   all variants of these, or of all: "all" """
import json
import pathlib
import random
import subprocess
import sys

import numpy as np

import decoders
import heddle
from tensors import Tensors
from variants import VARIANTS

# Sums of f32, of about as many terms as there are channels, in each of a few layers, relative to
# the largest logit.
TOLERANCE = 1e-5
LENGTHS = (9, 5)


def config_of(family, changes):
    plain = VARIANTS[family][0]
    return {"architectures": [decoders.FAMILIES[family][0]], "model_type": family, **plain, **changes}


def calls_of(model, texts):
    """The logits of the last token of each text, after all of them at once, and token by token of
    what follows the first two."""
    lengths = np.array([len(t) for t in texts], np.int32)
    ids = np.zeros((len(texts), lengths.max()), np.int32)
    for row, text in zip(ids, texts):
        row[:len(text)] = text
    cache = model.cache(batch=len(texts), capacity=int(lengths.max()))
    zeros = np.zeros_like(lengths)
    yield lengths - 1, model.prefill(ids=ids, starts=zeros, lengths=lengths, cache=cache)
    cache = model.cache(batch=len(texts), capacity=int(lengths.max()))
    model.prefill(ids=ids[:, :2], starts=zeros, lengths=zeros + 2, cache=cache)
    for position in range(2, lengths.min()):
        yield zeros + position, model.decode(ids=ids[:, position:position + 1],
                                             starts=zeros + position, lengths=zeros + 1,
                                             cache=cache)


def check(number, family, changes, seed):
    draw = random.Random(f"{seed} {family} {changes}")
    dtype, shards = draw.choice(("F32", "F16", "BF16")), draw.choice((1, 1, 3))
    config = config_of(family, changes)
    tensors = Tensors(seed, dtype)
    texts = [[draw.randrange(config["vocab_size"]) for _ in range(n)] for n in LENGTHS]
    expected = [decoders.logits_of(config, tensors, text) for text in texts]
    # What is honoured matters.
    if changes:
        plain = decoders.logits_of(config_of(family, {}), Tensors(seed, dtype), texts[0])
        if np.abs(plain - expected[0]).max() < 1e-3 * np.abs(plain).max():
            return f"{changes} change nothing"
    folder = pathlib.Path(f"m{number}")
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    tensors.write(folder, shards)
    command = ["heddlec", str(folder), "--quiet", "--emit=shared", "-o", f"m{number}.so"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return done.stderr
    for positions, found in calls_of(heddle.load(f"./m{number}.so"), texts):
        for text, (logits, position) in enumerate(zip(found, positions)):
            right = expected[text][position]
            error = np.abs(logits - right).max() / np.abs(right).max()
            if not error <= TOLERANCE:
                return f"text {text}: position {position}: off by {error:.2g} of the largest logit"
    return None


def main():
    seed = np.random.SeedSequence().entropy
    all_variants = [(family, changes) for family, (_, more) in VARIANTS.items()
                    for changes in ({}, *more)]
    if sys.argv[1].isdigit():
        chosen = random.Random(seed).sample(all_variants, int(sys.argv[1]))
    else:
        chosen = [v for v in all_variants if v[0] in sys.argv[1:] or sys.argv[1] == "all"]
    assert VARIANTS.keys() == decoders.FAMILIES.keys()
    failures = 0
    for number, (family, changes) in enumerate(chosen):
        error = check(number, family, changes, seed)
        if error:
            failures += 1
            print(f"{family} {json.dumps(changes)}, seed {seed}: {error}")
    print(f"{len(chosen)} folders, {failures} failed")
    sys.exit(failures > 0)


main()
