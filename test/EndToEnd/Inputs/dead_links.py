# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks for files that links of the documents in a folder name, and that are not there."""

import pathlib
import re
import sys

links = dead = 0
for document in sorted(pathlib.Path(sys.argv[1]).rglob("*.md")):
    for link in re.findall(r"\]\(([^)#\s%]+)[#)]", document.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        links += 1
        if not (document.parent / link).exists():
            dead += 1
            print(f"{document}: {link}")
print(f"{links} links, {dead} dead")
