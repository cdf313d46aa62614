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
# `gpu.sh prepare --help` and `gpu.sh run --help` list the options.

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
  # In a prepared folder this script is its first file.
  [[ -f $here/about.json ]] && default=$here || default=$here/../../build/gpu
  folder=""
  for argument; do [[ $argument == -* ]] || folder=$argument; done
  [[ $folder ]] || set -- "$@" "$default"
  exec "$python" "${folder:-$default}/gpu/run.py" "$@"
  ;;
"")
  "$0" prepare
  exec "$0" run
  ;;
*)
  sed -n 's/^# \{0,1\}//p' "$0" | sed -n '4,11p' >&2
  exit 2
  ;;
esac
