// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors say which layers are quantised, so that lists of those that are not
// (`ignore`, `modules_to_not_convert`) are not needed.

#include "compiler/Import/Families/QuantizationConfig.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace heddle;

namespace {

class QuantizationReader {
public:
  QuantizationReader(const json::Object &object, std::string where)
      : object(object), where(where), fields(object, std::move(where)) {}

  QuantizationDescription read() {
    StringRef method = fields.text("quant_method");
    if (method == "gptq")
      readGptq();
    else if (method == "awq")
      readAwq();
    else if (method == "compressed-tensors")
      readCompressedTensors();
    else if (method == "fp8")
      readFp8();
    else if (method == "mxfp4")
      readMxfp4();
    else if (!fields.failed())
      fields.fail("quant_method",
                  "one of the supported methods [\"gptq\", \"awq\", "
                  "\"compressed-tensors\", \"fp8\", \"mxfp4\"]");
    fields.rejectUnasked();
    return description;
  }

  // Fields of mlx-lm are those of all layers, and an object for each layer that
  // has others, or false for one that is not quantised.
  QuantizationDescription readMlx() {
    description.format = MatrixFormat::MLX;
    description.isSymmetric = false;
    LayerQuantization ofAll = readMlxLayer(fields, object);
    description.bits = ofAll.bits;
    description.group = ofAll.group;
    for (StringRef name : sortedKeys(object)) {
      const json::Value &value = *object.get(name);
      const json::Object *layer = value.getAsObject();
      if (value.getAsBoolean() != false && !layer)
        continue;
      fields.ask(name);
      LayerQuantization &own = description.layers[name.str()];
      if (!layer)
        continue;
      JsonFields ofLayer(*layer, (where + ": field '" + name + "'").str());
      own = readMlxLayer(ofLayer, *layer);
      ofLayer.rejectUnasked();
      fields.merge(ofLayer);
    }
    fields.rejectUnasked();
    return description;
  }

  JsonFields &failures() { return fields; }

private:
  LayerQuantization readMlxLayer(JsonFields &layer,
                                 const json::Object &object) {
    LayerQuantization found;
    found.bits = layer.integer("bits", 1, 8);
    if (!layer.failed() && !is_contained({2, 4, 8}, found.bits))
      layer.fail("bits", "2, 4 or 8 (nothing else is supported)");
    found.group = layer.integer("group_size", 1, INT32_MAX);
    expect(layer, object, "mode", "\"affine\"");
    return found;
  }

  void ask(std::initializer_list<StringRef> names) {
    for (StringRef name : names)
      fields.ask(name);
  }

  // Records a failure unless the field is absent, null, or `value` as JSON.
  void expect(JsonFields &fields, const json::Object &object, StringRef name,
              StringRef value) {
    fields.ask(name);
    const json::Value *found = object.get(name);
    if (found && !found->getAsNull() && *found != cantFail(json::parse(value)))
      fields.fail(name, value + " (nothing else is supported)");
  }

  // -1 and null are all inputs.
  void readGroup(JsonFields &fields, const json::Object &object) {
    bool isAll = object.getInteger("group_size") == -1;
    if (isAll)
      fields.ask("group_size");
    else if (fields.has("group_size"))
      description.group = fields.integer("group_size", 1, INT32_MAX);
  }

  void readGptq() {
    description.format = MatrixFormat::GPTQ;
    description.bits = fields.integer("bits", 2, 8);
    if (!is_contained({2, 3, 4, 8}, description.bits))
      fields.fail("bits", "2, 3, 4 or 8");
    readGroup(fields, object);
    description.isSymmetric = fields.boolean("sym", true);
    // Tensors tell what `desc_act` says (g_idx).
    StringRef format = fields.text("checkpoint_format", "gptq");
    if (format != "gptq" && format != "gptq_v2")
      fields.fail("checkpoint_format", "\"gptq\" or \"gptq_v2\"");
    description.zerosOffset = format == "gptq" ? 1 : 0;
    expect(fields, object, "pack_dtype", "\"int32\"");
    expect(fields, object, "dynamic", "{}");
    expect(fields, object, "is_marlin_format", "false");
    ask({"desc_act",
         "lm_head",
         "damp_percent",
         "damp_auto_increment",
         "static_groups",
         "true_sequential",
         "model_name_or_path",
         "model_file_base_name",
         "tokenizer",
         "dataset",
         "quantizer",
         "meta",
         "use_exllama",
         "exllama_config",
         "use_cuda_fp16",
         "backend",
         "batch_size",
         "pad_token_id",
         "max_input_length",
         "model_seqlen",
         "block_name_to_quantize",
         "module_name_preceding_first_block",
         "modules_in_block_to_quantize",
         "cache_block_outputs",
         "disable_exllama"});
  }

  void readAwq() {
    description.format = MatrixFormat::AWQ;
    description.isSymmetric = false;
    expect(fields, object, "bits", "4");
    readGroup(fields, object);
    if (StringRef version = fields.text("version", "gemm");
        !version.equals_insensitive("gemm"))
      fields.fail("version", "\"gemm\" (nothing else is supported)");
    expect(fields, object, "zero_point", "true");
    ask({"backend", "do_fuse", "fuse_max_seq_len", "modules_to_not_convert",
         "modules_to_fuse", "exllama_config"});
  }

  void readCompressedTensors() {
    ask({"ignore", "quantization_status", "global_compression_ratio",
         "version"});
    // Rotations of what layers read.
    expect(fields, object, "transform_config", "{}");
    expect(fields, object, "kv_cache_scheme", "null");
    // Files of 2024 say that nothing is sparse.
    const json::Object *sparsity = object.getObject("sparsity_config");
    if (sparsity && sparsity->getString("format") == "dense")
      fields.ask("sparsity_config");
    else
      expect(fields, object, "sparsity_config", "{}");
    const json::Object &groups = fields.object("config_groups");
    if (fields.failed())
      return;
    if (groups.size() != 1)
      return fields.fail("config_groups", "one group of layers");
    const json::Object *group = groups.begin()->second.getAsObject();
    const json::Object *weights = group ? group->getObject("weights") : nullptr;
    if (!weights)
      return fields.fail("config_groups", "an object with 'weights'");
    // Layers read their inputs as they are, which runtimes may quantise.
    JsonFields ofGroup(*group, where + ": field 'config_groups'");
    for (StringRef name : {"weights", "targets", "input_activations", "format"})
      ofGroup.ask(name);
    expect(ofGroup, *group, "output_activations", "null");
    ofGroup.rejectUnasked();
    fields.merge(ofGroup);
    StringRef format = fields.text(
        "format", group->getString("format").value_or("pack-quantized"));
    JsonFields inner(*weights, where + ": field 'config_groups': 'weights'");
    description.bits = inner.integer("num_bits", 2, 8);
    readGroup(inner, *weights);
    description.isSymmetric = inner.boolean("symmetric", true);
    StringRef type = inner.text("type", "int");
    StringRef strategy = inner.text("strategy", "tensor");
    for (StringRef name : {"dynamic", "observer", "observer_kwargs", "zp_dtype",
                           "scale_dtype", "block_structure"})
      inner.ask(name);
    inner.ask("actorder"); // tensors tell: weight_g_idx
    if (!is_contained({"group", "channel", "tensor"}, strategy))
      inner.fail("strategy", "\"group\", \"channel\" or \"tensor\"");
    // Versions pack integers of other widths differently.
    if (format == "pack-quantized" && 32 % description.bits != 0)
      inner.fail("num_bits", "2, 4 or 8, where integers are packed");
    inner.rejectUnasked();
    fields.merge(inner);
    if (format == "pack-quantized" && type == "int")
      description.format = MatrixFormat::PackedIntegers;
    else if (format == "int-quantized" && type == "int")
      description.format = MatrixFormat::Integers;
    else if (format == "float-quantized" && type == "float" &&
             description.bits == 8)
      description.format = MatrixFormat::Floats;
    else
      fields.fail("format", "\"pack-quantized\" or \"int-quantized\" of "
                            "integers, or \"float-quantized\" of 8 bits");
  }

  void readFp8() {
    description.format = MatrixFormat::BlockFloats;
    expect(fields, object, "fmt", "\"e4m3\"");
    ask({"activation_scheme", "modules_to_not_convert", "ignored_layers",
         "scale_fmt"});
    SmallVector<int64_t> block =
        fields.integers("weight_block_size", 1, INT32_MAX);
    if (block.size() != 2)
      return fields.fail("weight_block_size", "two sizes");
    description.blockOutputs = block[0];
    description.blockInputs = block[1];
  }

  void readMxfp4() {
    description.format = MatrixFormat::MXFP4;
    ask({"modules_to_not_convert"});
  }

  const json::Object &object;
  std::string where;
  JsonFields fields;
  QuantizationDescription description{};
};

} // namespace

std::optional<QuantizationDescription>
heddle::readQuantization(ModelConfig &config) {
  bool isMlx = config.has("quantization");
  StringRef field = isMlx ? "quantization" : "quantization_config";
  if (!config.has(field))
    return std::nullopt;
  const json::Object &object = config.object(field);
  QuantizationReader reader(object, config.place(field));
  if (config.failed())
    return std::nullopt;
  QuantizationDescription description =
      isMlx ? reader.readMlx() : reader.read();
  config.merge(reader.failures());
  // mlx-lm writes the same there.
  if (isMlx && config.has("quantization_config") &&
      config.object("quantization_config") != object)
    config.fail("quantization_config", "the same as in 'quantization'");
  return description;
}
