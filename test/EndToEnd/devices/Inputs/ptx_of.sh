#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ptx_of.sh TESTS CHIP MODULE...: compiles modules for CHIP of CUDA, and lets ptxas assemble what
# comes out where there is one. Fails, once all are tried, where one does. Functions of f64 that
# no device has are a clear error, and such modules are not counted.

set -euo pipefail
tests=$1 chip=$2 kernels=0 modules=0 failed=0
functions='a?(sin|cos|tan)h?|exp|exp2|expm1|log|log2|log10|log1p|erf|erfc|cbrt|pow|atan2|fmod'
for file in "${@:3}"; do
  name=$(basename "$file")
  modules=$((modules + 1))
  mkdir "$name.d"
  weights=()
  if grep -q '^heddle.weight @.* from "' "$file"; then
    /usr/bin/python3 "$tests/EndToEnd/Inputs/random_weights.py" "$file" "$name.d/weights" >/dev/null
    weights=(--weights="$name.d/weights")
  fi
  if ! heddlec "$file" "${weights[@]}" --quiet --target="cuda:$chip" --emit=device \
    -o "$name.d/all.ptx" 2>log; then
    if grep -qE "error: cannot be compiled: it calls ($functions), which a device does not have" \
      log; then
      echo "$name: refused"
      modules=$((modules - 1))
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
echo "$kernels kernels of $modules modules, $failed failed"
exit $((failed > 0))
