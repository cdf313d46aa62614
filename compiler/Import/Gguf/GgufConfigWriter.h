// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fields of a config.json, which keys of a GGUF file become.

#ifndef HEDDLE_COMPILER_IMPORT_GGUF_GGUFCONFIGWRITER_H
#define HEDDLE_COMPILER_IMPORT_GGUF_GGUFCONFIGWRITER_H

#include "compiler/Import/Gguf/GgufConfig.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

namespace heddle {

/// Collects the fields of a config. The first failure counts.
class GgufConfigWriter {
public:
  GgufConfigWriter(const GgufFile &file, llvm::StringRef architecture)
      : file(file), architecture(architecture) {}

  llvm::json::Object fields;
  std::optional<GgufPooling> pooling;

  bool has(llvm::StringRef key) const {
    return file.header.has((architecture + "." + key).str());
  }
  bool hasTensor(llvm::StringRef name) const { return file.tensors.find(name); }
  /// Whether the head, if there is one, can be compared with the embedding.
  bool hasComparableHead() const {
    const TensorEntry *head = file.tensors.find("output.weight");
    const TensorEntry *table = file.tensors.find("token_embd.weight");
    return !head || !table || head->dtype == table->dtype;
  }
  /// Whether a layer has the tensor.
  bool hasInLayer(llvm::StringRef name) const {
    for (int64_t layer = 0; layer < layers; ++layer)
      if (hasTensor(("blk." + llvm::Twine(layer) + "." + name).str()))
        return true;
    return false;
  }

  /// Of a matrix, if there is such a tensor.
  std::optional<int64_t> rowsOf(llvm::StringRef name) const {
    const TensorEntry *tensor = file.tensors.find(name);
    return tensor && tensor->shape.size() == 2 ? std::optional(tensor->shape[0])
                                               : std::nullopt;
  }

  std::optional<int64_t> integer(llvm::StringRef key) {
    return integerOf((architecture + "." + key).str());
  }
  std::optional<int64_t> integerOf(const std::string &key);
  std::optional<double> number(llvm::StringRef key);
  std::optional<bool> boolean(llvm::StringRef key);
  std::optional<std::string> text(llvm::StringRef key);

  // Each writes the field, if there is the key.
  void writeInteger(llvm::StringRef key, llvm::StringRef field) {
    if (auto value = integer(key))
      fields[field] = *value;
  }
  void writeNumber(llvm::StringRef key, llvm::StringRef field) {
    if (auto value = number(key))
      fields[field] = *value;
  }
  int64_t required(llvm::StringRef key) {
    auto value = integer(key);
    if (!value)
      fail(key, "a number", "nothing");
    return value.value_or(1);
  }

  /// Whether layers may have windows; 0 stands for none.
  bool slides() { return integer("attention.sliding_window").value_or(0) != 0; }

  /// Names of the sizes that all models have: old families have others.
  struct SizeFields {
    llvm::StringRef hidden = "hidden_size", layers = "num_hidden_layers",
                    heads = "num_attention_heads",
                    kvHeads = "num_key_value_heads",
                    positions = "max_position_embeddings",
                    inner = "intermediate_size", epsilon = "layer_norm_eps";
  };
  void writeSizes(const SizeFields &names);
  /// The norm's epsilon as `field` alone: some files have it by both keys.
  void writeEpsilon(llvm::StringRef field);
  /// Heads whose keys and values have as many channels.
  void writeHeads(llvm::StringRef kvHeads,
                  llvm::StringRef channels = "head_dim");
  /// Whether tokens see those before them alone, if a key says.
  void checkCausal(bool isCausal);
  /// Both, of a decoder.
  void writeDecoder(const SizeFields &names);
  /// `hasOwnOfWindows`: layers with windows may have a base of their own, which
  /// the caller reads.
  void writeRotary(llvm::StringRef base = "rope_theta",
                   bool hasOwnOfWindows = false);
  /// Which layers slide: each `usual`th does not, unless a key tells. Without a
  /// fallback a file has to say how far.
  void writeWindows(int64_t usual, std::optional<int64_t> fallback = {});
  /// The result that an encoder's tokens become.
  void writePooling();
  void writeExperts(llvm::StringRef count, llvm::StringRef size);
  /// The factor of scores where a model has another one than that of heads.
  void writeScoreChannels(int64_t layersOfLargest);

  /// Keys of the architecture that nothing has asked for.
  void rejectUnasked();
  void ask(llvm::StringRef key) {
    asked.insert((architecture + "." + key).str());
  }
  void fail(llvm::StringRef key, const llvm::Twine &expected,
            const llvm::Twine &found);
  void failTensor(llvm::StringRef name, const llvm::Twine &expected);
  llvm::Error takeError() {
    return error.empty() ? llvm::Error::success()
                         : llvm::createStringError(error);
  }

  int64_t layers = 0, hidden = 0, heads = 1, headChannels = 0;

private:
  void writeVocabulary();
  const gguf::Value *find(const std::string &key) {
    asked.insert(key);
    auto found = file.header.metadata.find(key);
    return found == file.header.metadata.end() ? nullptr : &found->second;
  }
  void failOf(const std::string &key, const llvm::Twine &expected,
              const llvm::Twine &found) {
    if (error.empty())
      error = (file.path + ": key '" + key + "': expected " + expected +
               ", found " + found)
                  .str();
  }
  void writeScaling(llvm::json::Object &scaling);
  void writeFactors(llvm::json::Object &scaling, llvm::StringRef longName,
                    llvm::StringRef shortName, double magnitude,
                    int64_t original);
  llvm::json::Array factors(llvm::StringRef tensor);

  const GgufFile &file;
  std::string architecture;
  llvm::StringSet<> asked;
  std::string error;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_GGUF_GGUFCONFIGWRITER_H
