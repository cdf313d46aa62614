# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares every value on the way through examples/sort with those of its origin.

usage: sort.py GOLDENS.json MODEL.so
"""
import base64
import json
import pathlib
import subprocess
import sys

import numpy

goldens = {
    name: numpy.frombuffer(base64.b64decode(tensor["data"]), "<f4").reshape(tensor["shape"])
    for name, tensor in json.loads(pathlib.Path(sys.argv[1]).read_text()).items()
    if name != "config"
}
ids = goldens.pop("idx").astype("<i4")
numpy.save("ids.npy", ids)
# Parts of others.
positions = goldens.pop("pos_emb")
heads = [goldens.pop(name) for name in "qkv"]
# The same by another name.
assert (goldens.pop("mlpResid") == goldens["block0"]).all()
command = ["heddle-run", "run", sys.argv[2], "--entry=steps", "--input=ids=ids.npy"]
command += [f"--size={name}={size}" for name, size in zip(("batch", "length"), ids.shape)]
subprocess.run(command + [f"--output={name}={name}.npy" for name in goldens], check=True)
found = {name: numpy.load(name + ".npy") for name in goldens}


def compare(name, value, golden):
    # What a mask drops is -inf in both.
    dropped = numpy.isinf(golden)
    assert (dropped == numpy.isinf(value)).all(), name
    error = numpy.abs(numpy.where(dropped, 0, value) - numpy.where(dropped, 0, golden)).max()
    print(f"{name}: {'within 1e-5' if error <= 1e-5 else f'off by {error:.2g}'}")


for name, golden in goldens.items():
    compare(name, found[name], golden)
compare("pos_emb", found["x"] - found["tok_emb"], numpy.broadcast_to(positions, (3, 11, 48)))
for name, golden, part in zip("qkv", heads, numpy.split(found["qkv"], 3, axis=2)):
    compare(name, part.reshape(3, 11, 3, 16).transpose(0, 2, 1, 3), golden)
