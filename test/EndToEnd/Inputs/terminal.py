"""terminal.py COMMAND...: runs COMMAND with a terminal as its standard error and prints
what that showed, each state of the line as a line of its own."""

import os
import pty
import subprocess
import sys

reader, terminal = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stderr=terminal)
os.close(terminal)
shown = b""
while True:
    try:
        data = os.read(reader, 4096)
    except OSError:  # how Linux says that nobody has the terminal open any more
        break
    if not data:
        break
    shown += data
for line in shown.decode().split("\r"):
    print(line.replace("\033[K", "<clear>"))
sys.exit(process.wait())
