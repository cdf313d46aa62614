"""Calls the functions of open_numbers.mlir; prints how often each has doubled its argument."""

import subprocess

import numpy as np


def doublings(entry, results, **inputs):
    command = ["heddle-run", "run", "numbers.so", "--entry=" + entry]
    np.save("x.npy", np.ones(2, np.float32))
    for name, value in inputs.items():
        np.save(name + ".npy", value)
    command += [f"--input={name}={name}.npy" for name in ["x", *inputs]]
    command += [f"--output={name}={name}.npy" for name in results]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return [f"{name} {int(np.log2(np.load(name + '.npy')[0]))}" for name in results]


def integers(*numbers):
    return np.array(numbers, np.int32)


for n, d, s, f in [(7, 2, 1, 3.9), (7, 0, 31, np.nan), (-(2**31), -1, 32, 1e30), (1, 1, 40, -1e30)]:
    counts = doublings(
        "counted", ["quotient", "shift", "cast"], k=integers(n, d, s), f=np.float32(f)
    )
    print(f"{n} / {d}, {n} << {s}, {f}:", *counts)
for step in [1, 2, 0, -1]:
    print(f"step {step}:", *doublings("stepped", ["below", "above"], k=integers(step)))
