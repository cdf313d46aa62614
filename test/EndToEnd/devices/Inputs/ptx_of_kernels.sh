#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ptx_of_kernels.sh TESTS CHIP: compiles EndToEnd/kernels for CHIP of CUDA, lets ptxas
# assemble what comes out, and says what is refused.

set -euo pipefail
tests=$1 chip=$2 kernels=0
for file in "$tests"/EndToEnd/kernels/*.mlir; do
  name=$(basename "$file")
  mkdir "$name" && cd "$name"
  weights=()
  if grep -q random_weights "$file"; then
    /usr/bin/python3 "$tests/EndToEnd/Inputs/random_weights.py" "$file" weights >log
    weights=(--weights=weights)
  fi
  if heddlec "$file" "${weights[@]}" --quiet --target="cuda:$chip" --emit=device \
    -o all.ptx 2>log; then
    bash "$tests/CodeGen/Inputs/assemble.sh" all.ptx "$chip"
    kernels=$((kernels + $(grep -c '^\.visible \.entry' all.ptx)))
  else
    sed -n "s/^.*: error:/$name: error:/p" log
  fi
  cd ..
done
echo "$kernels kernels are assembled"
