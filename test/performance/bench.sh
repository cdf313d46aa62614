#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# bench.sh BUILD_FOLDER [--threads N] [CONFIG.json...]: compiles the benchmark
# kernels, and models with seeded random bf16 weights in the shapes of the configs
# (by default SmolLM2-135M and Llama-3.2-1B where their configs are at hand), and
# measures them beside the machine's own peaks. `./dev bench` calls it.

set -euo pipefail
build=$(cd "$1" && pwd)
shift
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

threads=0 # one for each CPU
configs=()
while (($#)); do
  case $1 in
  --threads) threads=$2; shift ;;
  *) configs+=("$1") ;;
  esac
  shift
done
if ((${#configs[@]} == 0)); then
  for name in SmolLM2-135M Llama_3_2_1B_Instruct; do
    config=../shared/realdata/hf-configs/$name.json
    [[ -f $config ]] && configs+=("$config")
  done
fi

out=$build/performance
mkdir -p "$out"
for source in test/performance/kernels/*.mlir; do
  name=$(basename "$source" .mlir)
  "$build/bin/heddlec" "$source" --emit=shared --prefix="$name" -o "$out/$name.so"
done
models=()
for config in "${configs[@]}"; do
  name=$(basename "$config" .json | tr -c '[:alnum:]\n' _)
  [[ -f $out/$name/model.safetensors ]] ||
    /usr/bin/python3 test/random_model.py "$config" "$out/$name"
  echo "compiling $name"
  /usr/bin/env time -f '  %e s, %M KiB at most' \
    "$build/bin/heddlec" "$out/$name" --emit=shared -o "$out/$name.so"
  models+=("$name")
done
g++ -std=c++17 -O3 -march=native -I. test/performance/bench.cpp \
  test/performance/Machine.cpp "$build/lib/libheddle_runtime.a" -ldl -pthread \
  -o "$out/bench"
"$out/bench" "$threads" "$out" "${models[@]}"
