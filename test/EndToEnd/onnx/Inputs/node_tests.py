# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ONNX's own operator tests in a folder: node_tests.py FOLDER [NAME...]

Prints a line for each operator: how many of its cases pass, are refused as an operator that
is not translated, and fail; then each of the latter two. Tolerances are those of ONNX's runner.
"""

import collections
import concurrent.futures
import os
import re
import subprocess
import sys

folder, *only = sys.argv[1:]
cases = [name for name in sorted(os.listdir(folder)) if name.startswith("test_")]
cases = [name for name in cases if not only or any(part in name for part in only)]


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    return "" if result.returncode == 0 else (result.stderr.strip().splitlines() or ["no message"])[-1]


def run_case(name):
    path = os.path.join(folder, name)
    error = run("heddlec", "--quiet", path + "/model.onnx", "--emit=shared", "-o", name + ".so")
    refused = re.search(r"expected an operator that is translated, found ([^;]+);", error)
    if not error:
        for data in sorted(each for each in os.listdir(path) if each.startswith("test_data_set_")):
            error = error or run("heddle-run", "run", name + ".so", "--test-data=" + os.path.join(path, data))
    return name, refused and refused.group(1), error


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    results = list(pool.map(run_case, cases))
groups = collections.defaultdict(collections.Counter)
for name, refused, error in results:
    group = re.sub(r"_(\d|causal|default|all|axis|example|mean|bcast|large|negative).*", "", name[5:])
    groups[group]["refused" if refused else "failed" if error else "passed"] += 1
for group, counts in sorted(groups.items()):
    print(f"{group}: {counts['passed']} passed, {counts['refused']} refused, {counts['failed']} failed")
for name, refused, error in results:
    if refused:
        print(f"refused {name}: {refused}")
    elif error:
        print(f"failed {name}: {error}")
total = sum(groups.values(), collections.Counter())
print(f"all: {total['passed']} passed, {total['refused']} refused, {total['failed']} failed")
