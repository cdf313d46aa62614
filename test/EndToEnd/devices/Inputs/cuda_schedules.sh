#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cuda_schedules.sh TESTS CHIP MODULE...: compiles modules for OpenCL as kernels are configured for
# CHIP of CUDA, checks that their schedules are CUDA's, and compares results with the reference.

set -euo pipefail
# PoCL keeps what the threads of a block compute on the stack of one thread, in KiB.
ulimit -s 65536
tests=$1 chip=$2
for file in "${@:3}"; do
  name=$(basename "$file" .mlir)
  weights=()
  if grep -q random_weights "$file"; then
    /usr/bin/python3 "$tests/EndToEnd/Inputs/random_weights.py" "$file" "$name.checkpoint" >/dev/null
    weights=(--weights="$name.checkpoint")
  fi
  compile() { heddlec "$file" "${weights[@]}" --quiet --prefix=f "$@"; }
  compile --target="cuda:$chip" --emit=kernels -o "$name.kernels"
  sed -nE 's/^ *heddle.kernel (@[^(]+)\(.*heddle.configuration = (#heddle\.[a-z_]+<[^>]*>).*/heddle.configure \1 \2/p' \
    "$name.kernels" >"$name.configuration"
  configured=()
  if [ -s "$name.configuration" ]; then
    configured=(--schedule="$name.configuration")
  fi
  compile --target="cuda:$chip" --emit=schedule -o "$name.cuda"
  compile --target=opencl "${configured[@]}" --emit=schedule -o "$name.opencl"
  diff "$name.cuda" "$name.opencl"
  compile --target=opencl "${configured[@]}" --verify -o "$name.o" >"$name.verified"
  echo "$name: $(grep -c 'as a whole' "$name.verified") functions"
done
