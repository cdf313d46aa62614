# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folders of a config and tensors, compiled and loaded."""
import json
import pathlib
import subprocess

import numpy as np

import heddle

# Sums of f32, of about as many terms as there are channels, in each of a few layers, relative to
# the largest number.
TOLERANCE = 1e-5


class Folder:
    """`name` in the working directory, of tensors that evaluators have asked for."""

    def __init__(self, name, config, tensors, shards=1):
        self.path = pathlib.Path(name)
        self.path.mkdir()
        (self.path / "config.json").write_text(json.dumps(config))
        tensors.write(self.path, shards)

    def load(self):
        """The model; raises RuntimeError with what the compiler says."""
        library = f"./{self.path}.so"
        command = ["heddlec", str(self.path), "--quiet", "--emit=shared", "-o", library]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return heddle.load(library)


def load_folder(name, config, tensors, shards):
    return Folder(name, config, tensors, shards).load()


def padded(texts, draw, limit):
    """[texts, longest], with any ids below `limit` behind those of shorter ones."""
    lengths = np.array([len(text) for text in texts], np.int32)
    ids = np.array([[draw.randrange(limit) for _ in range(lengths.max())] for _ in texts], np.int32)
    for row, text in zip(ids, texts):
        row[:len(text)] = text
    return ids, lengths


def off(found, right):
    """The largest error, relative to the largest number."""
    if np.shape(found) != np.shape(right):
        return np.inf
    return np.abs(found - right).max() / np.abs(right).max()


def is_same(found, plain):
    """Whether two models give about the same."""
    if isinstance(found, dict):
        return found.keys() == plain.keys() and all(is_same(found[k], plain[k]) for k in plain)
    return off(found, plain) < 1e-3
