# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does what a document says: blocks with a file's name become files, blocks of sh are run.

    run_document.py DOCUMENT

Its python3 is the one that runs this.
"""

import os
import pathlib
import re
import subprocess
import sys

path = pathlib.Path("bin").resolve()
path.mkdir()
(path / "python3").symlink_to(sys.executable)
os.environ["PATH"] = f"{path}:{os.environ['PATH']}"

text = pathlib.Path(sys.argv[1]).read_text()
for head, body in re.findall(r"^```([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
    language, _, name = head.partition(" ")
    if name:
        pathlib.Path(name).write_text(body)
    else:
        assert language == "sh", head
        subprocess.run(["bash", "-euo", "pipefail", "-c", body], check=True)
