#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# gpu.sh prepare [--target=cuda:sm_90] [FOLDER]: where heddlec is, compiles all cases into
#   a folder (build/gpu) of at most 64 MiB that needs nothing else of this project.
# gpu.sh run [FOLDER]: on the GPU's machine, with a driver and PyTorch, checks every case
#   against a float64 reference, times it beside PyTorch, and prints one table.
# gpu.sh: both, on a machine that has all of these.
#
# --help behind `prepare` and `run` lists their options. $PYTHON is Python's command.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=${PYTHON:-python3}
export PYTHONDONTWRITEBYTECODE=1

case ${1-} in
prepare)
  shift
  exec "$python" "$here/gpu/prepare.py" "$@"
  ;;
run)
  shift
  folder=$here # a prepared folder has this script, too
  [[ -f $folder/about.json ]] || folder=$here/../../build/gpu
  options=()
  for argument; do
    if [[ -d $argument ]]; then folder=$argument; else options+=("$argument"); fi
  done
  program=$folder/gpu/run.py
  [[ -f $program ]] || program=$here/gpu/run.py # which says what is wrong
  exec "$python" "$program" "$folder" ${options[@]+"${options[@]}"}
  ;;
"")
  "$0" prepare
  exec "$0" run
  ;;
*)
  sed -n '5,11s/^# //p' "$0" >&2
  exit 1
  ;;
esac
