#!/bin/sh
# A C compiler that leaves a temporary file, and does not end when it is asked to.
trap '' TERM INT HUP QUIT
: >"$TMPDIR/a.forgotten"
sleep 60
