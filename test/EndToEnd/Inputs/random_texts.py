# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what each generator of random modules makes of some seeds.

    random_texts.py FIRST_SEED COUNT FOLDER
"""
import pathlib
import sys

from drawn_ops import GENERATORS

first, count, folder = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
folder.mkdir()
print(f"seeds {first} to {first + count - 1}")
for name, make in GENERATORS.items():
    for seed in range(first, first + count):
        for number, text in enumerate(make(seed)):
            (folder / f"{name}_{seed}_{number}.mlir").write_text(text)
