#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ptx_of.sh TESTS CHIP MODULE...: compiles modules for CHIP of CUDA, and lets ptxas assemble what
# comes out where there is one. Fails, once all are tried, where one does. Functions of f64 that
# no device has are a clear error.

set -euo pipefail
tests=$1 chip=$2 kernels=0 failed=0
for file in "${@:3}"; do
  name=$(basename "$file")
  mkdir "$name.d"
  weights=()
  if grep -q '^heddle.weight @.* from "' "$file"; then
    /usr/bin/python3 "$tests/EndToEnd/Inputs/random_weights.py" "$file" "$name.d/weights" >/dev/null
    weights=(--weights="$name.d/weights")
  fi
  if ! heddlec "$file" "${weights[@]}" --quiet --target="cuda:$chip" --emit=device \
    -o "$name.d/all.ptx" 2>log; then
    if grep -q 'error: cannot be compiled: it calls [a-z0-9]*, which a device does not have' log &&
      grep -q f64 "$file"; then
      echo "$name: refused"
      continue
    fi
    echo "$name: error:"
    cat log
    failed=$((failed + 1))
    continue
  fi
  if command -v ptxas >/dev/null; then
    (cd "$name.d" && bash "$tests/CodeGen/Inputs/assemble.sh" all.ptx "$chip")
  fi
  kernels=$((kernels + $(grep -c '^\.visible \.entry' "$name.d/all.ptx" || true)))
done
echo "$kernels kernels of $(($# - 2)) modules, $failed failed"
exit $((failed > 0))
