# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a model with random configurations of its kernels, and verifies what comes of it.

    random_configurations.py MODEL.mlir COUNT SEED OPTION...

Writes random.mlir. Configurations that the compiler refuses at their line are left out.
"""
import random
import re
import subprocess
import sys

model, count, seed, *options = sys.argv[1:]
rng = random.Random(int(seed))


def heddlec(*arguments):
    return subprocess.run(
        ["heddlec", "--quiet", model, *options, *arguments], capture_output=True, text=True
    )


def draw(kind):
    vector = rng.choice([1, 2, 4, 8, 16, 32])
    if kind == "row_tiles":
        task, strip = rng.choice([1, 10, 100, 100000]), vector * rng.choice([1, 3, 16])
        return f"#heddle.row_tiles<task = {task}, strip = {strip}, vector = {vector}>"
    if kind == "block_rows":
        threads, lanes = rng.choice([1, 2, 8, 32, 256, 1024]), rng.choice([1, 2, 8, 16])
        return f"#heddle.block_rows<threads = {threads}, lanes = {lanes}>"
    if kind == "block_product":
        return draw_block_product()
    rows, columns = rng.choice([1, 2, 3, 5, 7, 13]), vector * rng.choice([1, 2, 3, 5])
    depth, block = rng.choice([1, 3, 16, 40, 100]), rng.choice([1, 2, 7, 100])
    return (
        f"#heddle.product_tiles<rows = {rows}, columns = {columns}, vector = {vector}, "
        f"depth = {depth}, block = {block}, task = {rng.choice([1, 2, 3, 50])}>"
    )


def draw_block_product():
    thread_rows, thread_columns = rng.choice([1, 2, 4, 8]), rng.choice([1, 2, 4, 8])
    vector = rng.choice([v for v in (1, 2, 4, 8) if v <= thread_columns])
    threads = rng.choice([16, 64, 128])
    threads_of_rows = rng.choice([1, 4, 16])
    depth = rng.choice([1, 4, 16])
    return (
        f"#heddle.block_product<rows = {thread_rows * threads_of_rows}, "
        f"columns = {thread_columns * threads // threads_of_rows}, depth = {depth}, "
        f"thread_rows = {thread_rows}, thread_columns = {thread_columns}, vector = {vector}, "
        f"sum = {depth * rng.choice([1, 8, 64])}, panel = {vector * rng.choice([1, 4, 16])}>"
    )


own = re.findall(
    r"heddle\.kernel (@\w+)\(.*heddle\.configuration = #heddle\.(\w+)",
    heddlec("--emit=kernels").stdout,
)
for _ in range(int(count)):
    lines = [f"heddle.configure {name} {draw(kind)}\n" for name, kind in own]
    while True:
        with open("random.mlir", "w") as file:
            file.writelines(lines)
        run = heddlec("--schedule=random.mlir", "--verify", "-o", "random.o")
        refused = re.match(r"random\.mlir:(\d+):\d+: error: ", run.stderr)
        if not refused:
            break
        del lines[int(refused[1]) - 1]
    if run.returncode:
        sys.exit(f"{run.stderr}\nwith\n{''.join(lines)}")
    print(f"verified {len(lines)} configurations")
