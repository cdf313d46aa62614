# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiny random folders of each family, compiled and compared with evaluators in NumPy: texts of
different lengths in one batch.

    random_folders.py SOME        so many variants, drawn
    random_folders.py NAME...     all variants of these model types or architectures
    random_folders.py all"""
import json
import random
import sys

import numpy as np

import decoder_folders
import encoder_decoder_folders
import encoder_folders
import sentence_folders
from tensors import Tensors

# Each has VARIANTS, a plain config and changes of each name; config_of(name, changes); and
# compare(folder's name, config, tensors, shards, draw), which says what is wrong. What loads the
# model may be another function than folders.load_folder.
KINDS = (decoder_folders, encoder_folders, sentence_folders, encoder_decoder_folders)


def check(number, kind, name, changes, seed):
    draw = random.Random(f"{seed} {name} {changes}")
    dtype, shards = draw.choice(("F32", "F16", "BF16")), draw.choice((1, 1, 3))
    try:
        if changes and kind.changes_nothing(name, changes, seed, dtype):
            return "changes nothing"
        return kind.compare(f"m{number}", kind.config_of(name, changes), Tensors(seed, dtype),
                            shards, draw)
    except RuntimeError as error:
        return str(error)


def main():
    seed = np.random.SeedSequence().entropy
    variants = [(kind, name, changes) for kind in KINDS
                for name, (_, more) in kind.VARIANTS.items() for changes in ({}, *more)]
    if sys.argv[1].isdigit():
        chosen = random.Random(seed).sample(variants, int(sys.argv[1]))
    else:
        chosen = [v for v in variants if v[1] in sys.argv[1:] or sys.argv[1] == "all"]
    failures = 0
    for number, (kind, name, changes) in enumerate(chosen):
        error = check(number, kind, name, changes, seed)
        if error:
            failures += 1
            print(f"{name} {json.dumps(changes)}, seed {seed}: {error}")
    print(f"{len(chosen)} folders, {failures} failed")
    sys.exit(failures > 0)


main()
