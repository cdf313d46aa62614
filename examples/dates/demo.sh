#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# From the committed model to answers, as `./dev demo` runs it:
#
#   demo.sh BUILD_FOLDER [DATE...]

set -euo pipefail

build=$(realpath "${1:?usage: demo.sh BUILD_FOLDER [DATE...]}")
shift
cd "$(dirname "${BASH_SOURCE[0]}")/../.." # the repository
(($#)) || set -- "3rd of March, 2021" "Friday, 12 June 1987" "20371231"
out=$build/demo
mkdir -p "$out"

# Each step is printed before it runs.
step() {
  printf '$'
  printf ' %q' "$@"
  printf '\n'
  "$@"
}

step "$build/bin/heddlec" examples/dates/model -o "$out/dates.o"
step cc -O2 -Iruntime "-I$out" examples/dates/main.c "$out/dates.o" \
  "-L$build/lib" -lheddle_runtime -pthread -o "$out/dates"
step "$out/dates" "$out/dates.weights" "$@"
