#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# fuzz.sh BUILD_FOLDER [--results FOLDER] [--seconds N] [TARGET...]
# Runs libFuzzer's targets one after the other, all of them by default. What they learn
# stays in BUILD_FOLDER/corpus, and what fails in BUILD_FOLDER/crashes. Each leaves its
# exit status, fuzz-TARGET.status, in the folder of results.

set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
readonly all_targets=(config gguf module npy onnx recording safetensors schedule tokenizer weights)
readonly longest_run=30 # seconds for one input
readonly memory_limit=4096 # MiB

folder=$1
shift
seconds=60
results=""
targets=()
while (($#)); do
  case $1 in
  --seconds) seconds=${2-} && shift ;;
  --seconds=*) seconds=${1#--seconds=} ;;
  --results) results=${2-} && shift ;;
  *) targets+=("$1") ;;
  esac
  shift || true
done
[[ $seconds =~ ^[1-9][0-9]*$ ]] || {
  echo "dev: fuzz: --seconds is '$seconds', expected a positive number" >&2
  exit 1
}
((${#targets[@]})) || targets=("${all_targets[@]}")
for target in "${targets[@]}"; do
  [[ " ${all_targets[*]} " == *" $target "* ]] || {
    echo "dev: fuzz: unknown target '$target'; there are ${all_targets[*]}" >&2
    exit 1
  }
done

dictionary() {
  case $1 in
  config | safetensors | tokenizer) echo "$here/json.dict" ;;
  module | schedule) echo "$here/mlir.dict" ;;
  esac
}

# LLVM and MLIR, which are not instrumented, do not mark their memory.
export ASAN_OPTIONS=allow_user_poisoning=0:detect_stack_use_after_return=0
export UBSAN_OPTIONS=print_stacktrace=1

# Debian's, which has NumPy.
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$here/seeds.py" "$folder/seeds"
mkdir -p "$folder/crashes"
failed=0
for target in "${targets[@]}"; do
  corpus=$folder/corpus/$target
  log=$folder/fuzz-$target.log
  mkdir -p "$corpus"
  options=(-max_total_time="$seconds" -timeout="$longest_run"
    -rss_limit_mb="$memory_limit" -print_final_stats=1
    -artifact_prefix="$folder/crashes/$target-")
  file=$(dictionary "$target")
  [[ -z $file ]] || options+=(-dict="$file")
  status=0
  "$folder/bin/fuzz-$target" "${options[@]}" "$corpus" "$folder/seeds/$target" \
    >"$log" 2>&1 || status=$?
  [[ -z $results ]] || echo "$status" >"$results/fuzz-$target.status"
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  if ((status == 0)); then
    echo "fuzz-$target: ${runs:-0} executions in $seconds s, nothing found"
  else
    failed=1
    echo "fuzz-$target: stopped after ${runs:-?} executions; $log says:"
    awk '/ERROR|runtime error|Assertion|ALARM/ { on = 1 } /^$/ { on = 0 }
         /Test unit written to/ || (on && ++lines <= 30)' "$log"
  fi
done
exit "$failed"
