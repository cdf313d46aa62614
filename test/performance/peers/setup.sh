#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# setup.sh FOLDER MODEL...: fetches peers into FOLDER/peers and writes what they need
# for the models FOLDER/MODEL, a Hugging Face folder, to which FOLDER/MODEL_TYPE.so was
# compiled. Prints, one to a line, `--peer`, NAME and COMMAND for each peer that there
# is; says on standard error which there is not.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1 peers=$1/peers
shift
packages=(onnxruntime-node@1.30.0 @node-llama-cpp/linux-x64@3.22.1)

without() {
  echo "bench: without $*" >&2
}

# Their install scripts would fetch what is only for GPUs.
fetch() {
  [[ -d $peers/node_modules/${1%@*} ]] ||
    npm install --prefix "$peers" --ignore-scripts --no-audit --no-fund "$1" \
      >>"$peers/npm.log" 2>&1 </dev/null
}

# is MODEL FAMILIES, as bert|t5.
is() {
  grep -qE "\"model_type\": *\"($2)\"" "$folder/$1/config.json"
}

onnxruntime() {
  local model type
  for model in "$@"; do
    for type in f32 int8; do
      [[ ! -f $folder/${model}_$type.so ]] || { [[ $type == int8 ]] && ! is "$model" bert; } ||
        cp "$folder/$model/config.json" "$folder/${model}_$type.onnx.json"
    done
  done
  printf '%s\n' --peer onnxruntime \
    "NODE_PATH='$peers/node_modules' node '$here/onnxruntime.js'"
}

# write_gguf MODEL TYPE LIBRARIES: MODEL_TYPE.gguf, under its name only when it is whole.
# Integers are made of bf16.
write_gguf() {
  local file=$1_$2.gguf
  [[ ! -f $file ]] || return 0
  case $2 in
  int*)
    write_gguf "$1" bf16 "$3" || return
    "$peers/llamacpp" "$3" "$(nproc)" quantize "$1_bf16.gguf" "$file.part" "$2" || return
    ;;
  *) /usr/bin/python3 "$here/gguf.py" "$1" "$file.part" "$2" || return ;;
  esac
  mv "$file.part" "$file"
}

llama_cpp() {
  local libraries model type
  libraries=$peers/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64
  gcc -O2 "$here/llamacpp.c" "$libraries"/libllama.v*.so "$libraries"/libggml.v*.so \
    "$libraries/libggml-base.so" -Wl,--unresolved-symbols=ignore-all \
    "-Wl,-rpath,$libraries" -o "$peers/llamacpp" || return
  for model in "$@"; do
    # Encoders are no decoders, and llama.cpp reads no ONNX files.
    [[ -f $folder/$model/model.safetensors ]] && ! is "$model" 'bert|t5|whisper' || continue
    for type in f32 bf16 int8 int4; do
      [[ ! -f $folder/${model}_$type.so ]] ||
        write_gguf "$folder/$model" "$type" "$libraries" || return
    done
  done
  printf '%s\n' --peer llama.cpp "'$peers/llamacpp' '$libraries'"
}

mkdir -p "$peers"
if ! command -v npm >/dev/null; then
  without "peers: no npm"
  exit
fi
if fetch "${packages[0]}"; then onnxruntime "$@"; else without "ONNX Runtime: see $peers/npm.log"; fi
if fetch "${packages[1]}" && llama_cpp "$@"; then :; else without "llama.cpp: see $peers/npm.log"; fi
