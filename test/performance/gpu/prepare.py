# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles all cases into a folder that a GPU's machine can run without heddlec."""

import argparse
import json
import math
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

import layout
import weights
from case import pattern
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
    for name, shape in random_model.shapes(case.source):
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


def prepare(given, command: list, made: pathlib.Path) -> int:
    """The number of artifacts in that new folder."""
    artifacts = {}
    for size in ("small",) if given.small else ("small", "large"):
        folder = made / size
        folder.mkdir(parents=True)
        for make in CASES:
            case = make(size == "small")
            name = f"{size}/{case.artifact}"
            if given.only.search(case.artifact) and name not in artifacts:
                artifacts[name] = compile_case(case, folder, command)
    about = {"revision": revision(), "target": given.target, "artifacts": artifacts}
    (made / "about.json").write_text(json.dumps(about, indent=1) + "\n")
    shutil.copy(HERE.parent / "gpu.sh", made)
    for source, name in ((HERE, "gpu"), (PROJECT / "runtime/python/heddle", "heddle")):
        shutil.copytree(source, made / name, ignore=shutil.ignore_patterns("__pycache__"))
    return len(artifacts)


def main() -> None:
    parser = argparse.ArgumentParser(prog="gpu.sh prepare", description=__doc__)
    parser.add_argument("folder", nargs="?", default=PROJECT / "build" / "gpu", type=pathlib.Path)
    parser.add_argument("--target", default="cuda:sm_90")
    parser.add_argument("--small", action="store_true", help="only the shapes of checks")
    parser.add_argument("--only", type=pattern, default=pattern(""), metavar="REGEX",
                        help="cases whose artifact's name has a match")
    parser.add_argument("--heddlec", type=pathlib.Path, help="(default: that of build, made "
                        "where there is none)")
    given = parser.parse_args()
    if given.folder.exists() and not (given.folder / "about.json").exists():
        sys.exit(f"{given.folder} exists, and is none that gpu.sh has prepared")
    heddlec = given.heddlec or PROJECT / "build" / "bin" / "heddlec"
    if not given.heddlec and not heddlec.exists():
        subprocess.run([PROJECT / "dev", "build"], check=True)
    command = [heddlec, "--quiet", "--target-cpu=x86-64-v3", f"--target={given.target}"]
    # The folder before stays until there is another one.
    with tempfile.TemporaryDirectory(prefix="heddle-gpu-") as temporary:
        made = pathlib.Path(temporary) / "made"
        try:
            count = prepare(given, command, made)
        except OSError as error:
            sys.exit(f"gpu.sh: {error}")
        except subprocess.CalledProcessError as error:
            sys.exit(f"gpu.sh: status {error.returncode} of {' '.join(map(str, error.cmd))}")
        if not count:
            sys.exit(f"gpu.sh: --only: no case is '{given.only.pattern}'")
        held = sum(file.stat().st_size for file in made.rglob("*") if file.is_file())
        if held > LIMIT:
            sys.exit(f"gpu.sh: {held} bytes, expected at most {LIMIT}")
        shutil.rmtree(given.folder, ignore_errors=True)
        try:
            shutil.copytree(made, given.folder)
        except OSError as error:
            sys.exit(f"gpu.sh: {error}")
    print(f"{given.folder}: {count} artifacts for {given.target}, {held / (1 << 20):.1f} MiB")


if __name__ == "__main__":
    main()
