# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""package_depends.py PACKAGE.deb FOLDER: do the package's dependencies name the packages of all
libraries that its programs and libraries, which are in FOLDER, load?"""

import pathlib
import re
import subprocess
import sys


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


package, folder = sys.argv[1:]
depends = run("dpkg-deb", "--field", package, "Depends")
named = {re.match(r"[a-z0-9.+-]+", part.strip())[0] for part in re.split(r"[,|]", depends)}
loading = missing = 0
for file in sorted(pathlib.Path(folder).rglob("*")):
    if file.is_symlink() or not file.is_file() or file.read_bytes()[:4] != b"\x7fELF":
        continue
    needed = re.findall(r"NEEDED +(\S+)", run("objdump", "-p", str(file)))
    loading += bool(needed)
    paths = dict(re.findall(r"^\s*(\S+) => (/\S+)", run("ldd", str(file)), re.MULTILINE))
    for library in needed:
        if library.startswith("ld-linux"):
            continue  # libc6 has it, which is there
        path = pathlib.Path(paths[library]).resolve()
        if path.is_relative_to(pathlib.Path(folder).resolve()):
            continue
        # By their names, as Debian knows paths from before /lib became a link.
        owners = {line.partition(":")[0] for line in run("dpkg", "-S", f"*/{path.name}").split("\n")}
        if not owners & named:
            missing += 1
            print(f"{file.name} needs {library} of {owners}, not among {sorted(named)}")
print(f"{loading} files load libraries, {missing} of packages that are not named")
