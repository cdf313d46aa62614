# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles all cases into a folder that a GPU's machine can run without heddlec."""

import argparse
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import layout
import weights
from cases import CASES

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[2]
sys.path.insert(0, str(PROJECT / "test"))
import random_model  # noqa: E402: the shapes of a checkpoint

LIMIT = 64 << 20


def write_source(case, folder: pathlib.Path) -> pathlib.Path:
    """MLIR, or a checkpoint of zeros, which takes no room."""
    if isinstance(case.source, str):
        path = folder / f"{case.artifact}.mlir"
        path.write_text(case.source)
        return path
    (folder / "config.json").write_text(json.dumps(case.source))
    header, end = {}, 0
    for name, shape in random_model.shapes(case.source, case.source["num_hidden_layers"]):
        begin, end = end, end + 2 * math.prod(shape)
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path = folder / "model.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text)
    os.truncate(path, 8 + len(text) + end)
    return folder


def compile_case(case, folder: pathlib.Path, command: list[str]) -> list[dict]:
    """Leaves ARTIFACT.so and ARTIFACT.weights.gz; returns where the weights are."""
    with tempfile.TemporaryDirectory(prefix="heddle-gpu-") as temporary:
        source = write_source(case, pathlib.Path(temporary))
        kernels = subprocess.run([*command, source, "--emit=kernels", "-o", "-"], check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
        library = folder / f"{case.artifact}.so"
        subprocess.run([*command, source, "--emit=shared", "--prefix=model", "-o", library],
                       check=True)
    described = layout.packed_weights(kernels)
    library.with_suffix(".h").unlink()
    packed = library.with_suffix(".weights")
    _, size = weights.data_range(packed)
    if size != described[-1]["end"]:
        raise ValueError(f"{packed} has {size} bytes of weights, expected {described[-1]['end']}")
    weights.compress(packed)
    return described


def revision() -> str:
    result = subprocess.run(["git", "-C", PROJECT, "describe", "--always", "--dirty"],
                            capture_output=True, text=True)
    return result.stdout.strip() or "unknown"


def main() -> None:
    parser = argparse.ArgumentParser(prog="gpu.sh prepare", description=__doc__)
    parser.add_argument("folder", nargs="?", default=PROJECT / "build" / "gpu", type=pathlib.Path)
    parser.add_argument("--target", default="cuda:sm_90")
    parser.add_argument("--small", action="store_true", help="only the shapes of checks")
    parser.add_argument("--only", type=re.compile, default="", metavar="REGEX",
                        help="cases whose artifact's name has a match")
    parser.add_argument("--heddlec", default=PROJECT / "build" / "bin" / "heddlec")
    given = parser.parse_args()
    if given.folder.exists() and not (given.folder / "about.json").exists():
        sys.exit(f"{given.folder} exists, and is none that gpu.sh has prepared")
    shutil.rmtree(given.folder, ignore_errors=True)
    if not pathlib.Path(given.heddlec).exists():
        subprocess.run([PROJECT / "dev", "build"], check=True)
    command = [given.heddlec, "--quiet", "--target-cpu=x86-64-v3", f"--target={given.target}"]
    given.folder.mkdir(parents=True)
    artifacts = {}
    about = {"revision": revision(), "target": given.target, "artifacts": artifacts}
    described = given.folder / "about.json"
    described.write_text(json.dumps(about))  # so that it is ours, if this ends before its time
    for size in ("small",) if given.small else ("small", "large"):
        folder = given.folder / size
        folder.mkdir()
        for make in CASES:
            case = make(size == "small")
            name = f"{size}/{case.artifact}"
            if given.only.search(case.artifact) and name not in artifacts:
                artifacts[name] = compile_case(case, folder, command)
    described.write_text(json.dumps(about, indent=1) + "\n")
    shutil.copy(HERE.parent / "gpu.sh", given.folder)
    for source, name in ((HERE, "gpu"), (PROJECT / "runtime/python/heddle", "heddle")):
        shutil.copytree(source, given.folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    held = sum(file.stat().st_size for file in given.folder.rglob("*") if file.is_file())
    if held > LIMIT:
        sys.exit(f"{given.folder} has {held} bytes, expected at most {LIMIT}")
    print(f"{given.folder}: {len(artifacts)} artifacts for {given.target}, "
          f"{held / (1 << 20):.1f} MiB")


if __name__ == "__main__":
    main()
