#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# bench.sh BUILD_FOLDER [--threads N] [--only TEXT] [--peers] [CONFIG.json...]: compiles the benchmark
# kernels, and models with seeded random weights in the shapes of the configs (by
# default BERT-base, Qwen3-0.6B and Whisper-base, and T5-small, SmolLM2-135M and Llama-3.2-1B where their
# configs are at hand), and measures them beside the machine's own peaks, and with --peers
# beside other engines.
# `./dev bench` calls it.

set -euo pipefail
build=$(cd "$1" && pwd)
shift
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# f32 is for comparison with engines that have no other; larger checkpoints take long.
readonly largest_f32_checkpoint=$((1 << 30))

threads=0 # one for each CPU
only=""   # rows whose name holds it
with_peers=""
configs=()
while (($#)); do
  case $1 in
  --threads)
    threads=${2?--threads needs a number}
    shift
    ;;
  --threads=*) threads=${1#--threads=} ;;
  --only)
    only=${2?--only needs a text}
    shift
    ;;
  --only=*) only=${1#--only=} ;;
  --peers) with_peers=1 ;;
  -*)
    echo "bench: unknown option $1" >&2
    exit 1
    ;;
  *) configs+=("$1") ;;
  esac
  shift
done
if ((${#configs[@]} == 0)); then
  configs=(test/performance/models/*.json)
  for name in t5_small SmolLM2-135M Llama_3_2_1B_Instruct; do
    config=../shared/realdata/hf-configs/$name.json
    [[ -f $config ]] && configs+=("$config")
  done
fi

out=$build/performance
mkdir -p "$out"

# compile INPUT NAME [OPTION...]
compile() {
  local input=$1 name=$2
  shift 2
  "$build/bin/heddlec" "$input" --quiet --no-cache --emit=shared --prefix="$name" "$@" \
    -o "$out/$name.so"
}

# arithmetic_of TYPE: the arithmetic that is fastest with such matrices.
arithmetic_of() {
  case $1 in
  int*) echo int8 ;;
  *) echo "$1" ;;
  esac
}

for source in test/performance/kernels/*.mlir; do
  name=$(basename "$source" .mlir)
  if [[ $name != gem[mv]_* && $name != experts ]]; then
    compile "$source" "$name"
    continue
  fi
  for type in f32 bf16 int8 int4; do
    compile "$source" "${name}_$type" --weight-type="$type" \
      --arithmetic="$(arithmetic_of "$type")"
  done
done

# options_of CONFIG: what heddle-bench knows of a model. --encoder has the multiplications of a
# token, and those of each pair of a query and a key; --sequence-to-sequence the positions of a
# source; --decoder multiplications in layers and for logits, and numbers of a position's cache.
options_of() {
  /usr/bin/python3 - "$1" <<'END'
import json, sys
config = json.load(open(sys.argv[1]))
match config["model_type"]:
    case "bert":
        width, layers = config["hidden_size"], config["num_hidden_layers"]
        print("--encoder", layers * (4 * width + 2 * config["intermediate_size"]) * width,
              layers * 2 * width)
    case "whisper":
        print("--sequence-to-sequence", config["max_source_positions"])
    case "t5":
        print("--sequence-to-sequence", 64)
    case _:
        width, layers = config["hidden_size"], config["num_hidden_layers"]
        heads = config["num_attention_heads"]
        keys = config.get("num_key_value_heads") or heads
        size = config.get("head_dim") or width // heads
        print("--decoder", layers * width * (2 * heads * size + 2 * keys * size +
                                             3 * config["intermediate_size"]),
              width * config["vocab_size"], layers * 2 * keys * size)
END
}

# add_model NAME INPUT TYPE OPTION...: compiles FOLDER/INPUT, which has rows of its own.
add_model() {
  local name=$1_$3 input=$2 type=$3 start=$SECONDS
  shift 3
  compile "$input" "$name" --weight-type="$type" --arithmetic="$(arithmetic_of "$type")"
  echo "compiled $name in $((SECONDS - start)) s"
  models+=("$1" "$name" "${@:2}")
}

# Models without a row are not made.
checkpoints=() models=()
for config in ${configs[@]+"${configs[@]}"}; do
  name=$(basename "$config" .json | tr -c '[:alnum:]\n' _)
  wanted=()
  for type in f32 bf16 int8 int4; do
    [[ ${name}_$type != *"$only"* ]] || wanted+=("$type")
  done
  wanted_exports=()
  for type in f32 int8; do
    [[ ${name}_onnx_$type != *"$only"* ]] || wanted_exports+=("$type")
  done
  ((${#wanted[@]} + ${#wanted_exports[@]})) || continue
  [[ -f $out/$name/model.safetensors ]] ||
    /usr/bin/python3 test/random_model.py "$config" "$out/$name"
  checkpoints+=("$name")
  read -ra options <<<"$(options_of "$config")"
  size=$(stat -c %s "$out/$name/model.safetensors")
  for type in ${wanted[@]+"${wanted[@]}"}; do
    [[ $type != f32 ]] || ((size <= largest_f32_checkpoint)) || continue
    add_model "$name" "$out/$name" "$type" "${options[@]}"
  done
  # The same as an ONNX file.
  ((size <= largest_f32_checkpoint)) && [[ ${options[0]} != --sequence-to-sequence ]] || continue
  for type in ${wanted_exports[@]+"${wanted_exports[@]}"}; do
    export=$out/${name}_onnx
    [[ -f $export/model.onnx ]] ||
      /usr/bin/python3 test/performance/exported_model.py "$out/$name" "$export"
    add_model "${name}_onnx" "$export/model.onnx" "$type" "${options[@]}"
  done
  [[ ! -d $out/${name}_onnx ]] || checkpoints+=("${name}_onnx")
done

peers=()
if [[ $with_peers ]]; then
  mapfile -t peers < <(bash test/performance/peers/setup.sh "$out" \
    ${checkpoints[@]+"${checkpoints[@]}"})
fi

ninja -C "$build" heddle-bench
"$build/bin/heddle-bench" "$threads" "$out" --only "$only" ${peers[@]+"${peers[@]}"} ${models[@]+"${models[@]}"}
