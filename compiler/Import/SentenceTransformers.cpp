// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/SentenceTransformers.h"

#include "compiler/Import/JsonFields.h"
#include "compiler/Import/SafeTensors.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace heddle;

static std::string pathIn(StringRef folder, StringRef name) {
  SmallString<128> path(folder);
  sys::path::append(path, name);
  return std::string(path);
}

static Error makeError(const Twine &message) {
  return createStringError(message);
}

//===-- pooling -----------------------------------------------------------===//

// Names of `pooling_mode`, and the flags that older files have, in the order in
// which their results are joined (sentence_transformers, Pooling.py).
namespace {
struct Mode {
  StringLiteral name, flag;
  PoolingKind kind;
};
} // namespace

static constexpr Mode modes[] = {
    {"cls", "pooling_mode_cls_token", PoolingKind::Token},
    {"max", "pooling_mode_max_tokens", PoolingKind::Maximum},
    {"mean", "pooling_mode_mean_tokens", PoolingKind::Mean},
    {"mean_sqrt_len_tokens", "pooling_mode_mean_sqrt_len_tokens",
     PoolingKind::MeanSqrtLength},
    {"weightedmean", "pooling_mode_weightedmean_tokens",
     PoolingKind::WeightedMean},
    {"lasttoken", "pooling_mode_lasttoken", PoolingKind::Last},
};

static void addMode(JsonFields &config, StringRef name, PoolStage &stage) {
  const Mode *mode =
      find_if(modes, [&](const Mode &m) { return m.name == name; });
  if (mode == std::end(modes))
    return config.fail("pooling_mode",
                       "one of \"cls\", \"max\", \"mean\", "
                       "\"mean_sqrt_len_tokens\", \"weightedmean\", "
                       "\"lasttoken\"");
  stage.kinds.push_back(mode->kind);
}

static PoolStage readPooling(JsonFields &config, const json::Object &object,
                             StringRef file, SentenceModules &modules) {
  PoolStage stage;
  if (const json::Value *mode = object.get("pooling_mode")) {
    if (mode->kind() == json::Value::Array)
      for (StringRef name : config.texts("pooling_mode"))
        addMode(config, name, stage);
    else
      addMode(config, config.text("pooling_mode"), stage);
  }
  bool hasModes = config.has("pooling_mode");
  for (const Mode &mode : modes) {
    bool isDefault = mode.kind == PoolingKind::Mean;
    bool isSet = config.has(mode.flag) ? config.boolean(mode.flag)
                                       : !hasModes && isDefault;
    if (isSet && !hasModes)
      stage.kinds.push_back(mode.kind);
    else if (isSet && !is_contained(stage.kinds, mode.kind))
      config.fail(mode.flag, "false, as 'pooling_mode' has it");
  }
  if (stage.kinds.empty())
    config.fail("pooling_mode", "at least one mode");
  for (StringRef name : {"word_embedding_dimension", "embedding_dimension"})
    if (config.has(name)) {
      int64_t channels = config.integer(name, 1, INT32_MAX);
      if (modules.tokenChannels.value_or(channels) != channels)
        config.fail(name, "the same as 'word_embedding_dimension', " +
                              Twine(*modules.tokenChannels));
      modules.tokenChannels = channels;
      modules.channels = *modules.tokenChannels * int64_t(stage.kinds.size());
      modules.channelsField = (file + ": field '" + name + "'").str();
    }
  // Prompts are part of the text, and so are counted.
  if (config.has("include_prompt") && !config.boolean("include_prompt"))
    config.fail("include_prompt", "true (nothing else is supported)");
  return stage;
}

//===-- dense layers ------------------------------------------------------===//

static Error readDense(StringRef folder, StringRef path, JsonFields &config,
                       SentenceModules &modules) {
  LinearStage linear;
  linear.isOutside = true;
  linear.projection = {(path + "/linear").str(), config.boolean("bias", true)};
  int64_t inputs = config.integer("in_features", 1, INT32_MAX);
  if (modules.channels && inputs != *modules.channels)
    config.fail("in_features", Twine(*modules.channels) +
                                   ", the channels of the stage before");
  linear.outputs = config.integer("out_features", 1, INT32_MAX);
  StringRef function =
      config.text("activation_function", "torch.nn.modules.activation.Tanh");
  auto kind =
      StringSwitch<std::optional<ActivationKind>>(function.rsplit('.').second)
          .Case("Tanh", ActivationKind::Tanh)
          .Case("ReLU", ActivationKind::Relu)
          .Case("GELU", ActivationKind::Gelu)
          .Case("SiLU", ActivationKind::Silu)
          .Case("Sigmoid", ActivationKind::Sigmoid)
          .Default(std::nullopt);
  bool isIdentity = function.ends_with(".Identity");
  if ((!kind && !isIdentity) || !function.starts_with("torch.nn.modules."))
    config.fail("activation_function",
                "torch.nn's Identity, Tanh, ReLU, GELU, SiLU or Sigmoid");
  if (Error error = config.takeError())
    return error;
  modules.channels = linear.outputs;
  modules.stages.push_back(linear);
  if (kind)
    modules.stages.push_back(ActivationStage{*kind});
  auto tensors = openSafeTensorsFolder(pathIn(folder, path));
  if (!tensors)
    return tensors.takeError();
  modules.tensors.add((path + "/").str(), std::move(*tensors));
  return Error::success();
}

//===-- modules.json ------------------------------------------------------===//

// A file that need not be there.
static Error
readIfThere(const std::string &file,
            function_ref<void(JsonFields &, const json::Object &)> read) {
  if (!sys::fs::exists(file))
    return Error::success();
  auto object = readJsonFile(file);
  if (!object)
    return object.takeError();
  JsonFields fields(*object, file);
  read(fields, *object);
  fields.rejectUnasked();
  return fields.takeError();
}

// How texts are cut, and what else is done with them.
static void readTexts(JsonFields &config, const json::Object &object,
                      SentenceModules &modules) {
  if (config.has("max_seq_length"))
    modules.maxLength = config.integer("max_seq_length", 1, INT32_MAX);
  if (config.has("do_lower_case") && config.boolean("do_lower_case"))
    config.fail("do_lower_case", "false (a tokenizer may do so)");
  // Arguments of transformers' classes.
  for (StringRef name : {"model_args", "config_args", "tokenizer_args",
                         "tokenizer_name_or_path"})
    if (config.has(name) && *object.get(name) != json::Value(json::Object()))
      config.fail(name, "{} (nothing else is supported)");
}

// Texts are encoded as they are.
static void readPrompts(JsonFields &config) {
  if (config.has("default_prompt_name"))
    config.fail("default_prompt_name", "null (nothing else is supported)");
  for (StringRef name : {"__version__", "model_type", "prompts",
                         "similarity_fn_name", "truncate_dim"})
    config.ask(name);
  if (config.has("truncate_dim"))
    config.fail("truncate_dim", "null (nothing else is supported)");
}

static Error readTransformer(StringRef folder, SentenceModules &modules) {
  if (Error error =
          readIfThere(pathIn(modules.folder, "sentence_bert_config.json"),
                      [&](JsonFields &config, const json::Object &object) {
                        readTexts(config, object, modules);
                      }))
    return error;
  return readIfThere(
      pathIn(folder, "config_sentence_transformers.json"),
      [](JsonFields &config, const json::Object &) { readPrompts(config); });
}

static Error readModule(StringRef folder, StringRef type, StringRef path,
                        StringRef where, SentenceModules &modules) {
  StringRef kind = type.rsplit('.').second;
  if (kind == "Normalize") {
    modules.stages.push_back(NormalizeStage{});
    return Error::success();
  }
  if (kind == "Dropout") // of training
    return Error::success();
  if (kind != "Pooling" && kind != "Dense")
    return makeError(where +
                     ": field 'type': expected one of the modules "
                     "Transformer, Pooling, Dense, Normalize, Dropout, "
                     "got \"" +
                     type + "\"");
  std::string file = pathIn(pathIn(folder, path), "config.json");
  auto object = readJsonFile(file);
  if (!object)
    return object.takeError();
  JsonFields config(*object, file);
  if (kind == "Pooling")
    modules.stages.push_back(readPooling(config, *object, file, modules));
  else if (Error error = readDense(folder, path, config, modules))
    return error;
  config.rejectUnasked();
  return config.takeError();
}

Expected<std::optional<SentenceModules>>
heddle::readSentenceModules(StringRef folder) {
  std::string file = pathIn(folder, "modules.json");
  if (!sys::fs::exists(file))
    return std::nullopt;
  auto list = readJsonArray(file);
  if (!list)
    return list.takeError();
  SentenceModules modules;
  for (auto [number, value] : enumerate(*list)) {
    std::string where = (file + ": module " + Twine(number)).str();
    const json::Object *object = value.getAsObject();
    if (!object)
      return makeError(where + ": expected an object, got " + describe(value));
    JsonFields fields(*object, where);
    StringRef type = fields.text("type"), path = fields.text("path", "");
    for (StringRef name : {"idx", "name", "kwargs"})
      fields.ask(name);
    bool isTransformer = type.ends_with(".Transformer");
    if (!type.starts_with("sentence_transformers."))
      fields.fail("type", "a class of sentence_transformers");
    if (number != 0 && path.empty() && !type.ends_with(".Normalize"))
      fields.fail("path", "the module's folder");
    if (isTransformer != (number == 0))
      fields.fail("type", number == 0 ? "the Transformer as the first module"
                                      : "no second Transformer");
    if (path.contains("..") || sys::path::is_absolute(path))
      fields.fail("path", "a folder inside of this one");
    fields.rejectUnasked();
    if (Error error = fields.takeError())
      return error;
    if (isTransformer)
      modules.folder = path.empty() ? folder.str() : pathIn(folder, path);
    Error error = isTransformer
                      ? readTransformer(folder, modules)
                      : readModule(folder, type, path, where, modules);
    if (error)
      return error;
  }
  auto isPool = [](const ResultStage &stage) {
    return std::holds_alternative<PoolStage>(stage);
  };
  if (modules.stages.empty() || !isPool(modules.stages.front()) ||
      count_if(modules.stages, isPool) != 1)
    return makeError(file + ": expected a Transformer, then a Pooling, and no "
                            "other Pooling after that");
  return modules;
}
