# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does what a document says: blocks with a file's name become files, blocks of sh are run.

    run_document.py DOCUMENT
"""

import pathlib
import re
import subprocess
import sys

text = pathlib.Path(sys.argv[1]).read_text()
for head, body in re.findall(r"^```([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
    language, _, name = head.partition(" ")
    if name:
        pathlib.Path(name).write_text(body)
    else:
        assert language == "sh", head
        subprocess.run(["bash", "-euo", "pipefail", "-c", body], check=True)
