# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the evaluators with numbers of transformers, which realdata/hf-tiny holds.

    self_check.py HF-TINY"""
import json
import pathlib
import sys

import numpy as np

import encoders
from tensors import Checkpoint


def off(found, right):
    """The largest error, relative to the largest number."""
    right = np.asarray(right)
    return np.abs(found - right).max() / np.abs(right).max()


def text_encoder(config, tensors, golden):
    hidden = encoders.outputs_of(config, tensors, golden["tokens"])["hidden"]
    mean = hidden.mean(axis=0)
    mean /= np.linalg.norm(mean)
    tail = golden["hf_tail_of_mean_normalized"]
    yield "hidden", off(hidden, golden["hidden"])
    yield "mean", off(mean, golden["mean_normalized"])
    yield "hf tail of mean", off(mean[-len(tail):], tail)


GOLDENS = {"bert": text_encoder, "distilbert": text_encoder}


def main():
    for name, check in GOLDENS.items():
        folder = pathlib.Path(sys.argv[1]) / name
        config, golden = (json.loads((folder / file).read_text())
                          for file in ("config.json", "expected.json"))
        errors = check(config, Checkpoint(folder), golden)
        print(name + ":", ", ".join(f"{what} off by {error:.2g}" for what, error in errors))


main()
