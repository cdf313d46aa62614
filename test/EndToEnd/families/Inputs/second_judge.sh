#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# second_judge.sh PEERS: fetches llama.cpp's library with npm into the current folder, in the
# version that PEERS/setup.sh measures, and runs second_judge.py.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=@node-llama-cpp/linux-x64
package=$(grep -o "$name@[0-9.]*" "$1/setup.sh")

timeout 300 npm install --prefix "$PWD" --ignore-scripts --no-audit --no-fund "$package" \
  --fetch-retries=1 >npm.log 2>&1 </dev/null || {
  tail -5 npm.log
  exit 1
}
/usr/bin/python3 "$here/second_judge.py" "node_modules/$name/bins/linux-x64"
