// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The config.json of a Hugging Face folder, as families read it.

#ifndef HEDDLE_COMPILER_IMPORT_FAMILIES_MODELCONFIG_H
#define HEDDLE_COMPILER_IMPORT_FAMILIES_MODELCONFIG_H

#include "compiler/Import/JsonFields.h"
#include "compiler/Import/Models/BlockDescription.h"

namespace heddle {

/// Which ids begin and end a text.
struct TokenIds {
  llvm::SmallVector<int64_t> bos, eos;
  /// Whether the file is silent about the end, so that `eos` is a default.
  bool hasDefaultEos = false;
};

/// Every field that a family does not ask for is known to be harmless, or an
/// error. Absent fields have the defaults that transformers gives them.
class ModelConfig : public JsonFields {
public:
  ModelConfig(const llvm::json::Object &object, std::string file,
              mlir::MLIRContext &context)
      : JsonFields(object, file), context(&context), root(object),
        file(std::move(file)) {}

  /// A size from 1 to 2^31 - 1.
  int64_t size(llvm::StringRef name,
               std::optional<int64_t> fallback = std::nullopt) {
    return integer(name, 1, INT32_MAX, fallback);
  }
  /// A field that may be null or absent.
  std::optional<int64_t> optionalSize(llvm::StringRef name);
  std::optional<double> optionalNumber(llvm::StringRef name);
  bool isArray(llvm::StringRef name) const { return root.getArray(name); }
  /// How messages name the object of that name.
  std::string place(llvm::StringRef name) const {
    return file + ": field '" + name.str() + "'";
  }
  /// Whether the field is there and null.
  bool isNull(llvm::StringRef name);
  /// An activation by the name that transformers has for it.
  ActivationKind activation(llvm::StringRef name, llvm::StringRef fallback);
  /// The activation that is called `text`, a part of the field `name`.
  ActivationKind activationOf(llvm::StringRef name, llvm::StringRef text);
  /// Records a failure if `name` is there and is not `value`, as JSON text.
  void expect(llvm::StringRef name, llvm::StringRef value);

  /// `bos_token_id` and `eos_token_id`, which are below `vocabulary`.
  TokenIds tokens(int64_t vocabulary, std::optional<int64_t> bos,
                  std::optional<int64_t> eos);

  /// The rotary embedding of heads of so many channels: `rope_theta`,
  /// `rope_scaling` and `partial_rotary_factor`, or, as transformers 5 writes
  /// them, `rope_parameters`, which may have an object for each kind of layer.
  RotaryDescription rotary(int64_t headChannels, int64_t maxPositions,
                           double base = 10000, double partial = 1,
                           llvm::StringRef layerType = "");

  /// That of one kind of layer, if `rope_parameters` has it.
  /// `base` is that of a file that has none.
  std::optional<RotaryDescription> rotaryOf(llvm::StringRef layerType,
                                            int64_t headChannels,
                                            int64_t maxPositions,
                                            double base = 10000);

  /// Asks for what changes no result, in any family.
  void askHarmless();

  mlir::MLIRContext *context;
  /// The one that is described.
  std::string architecture;

private:
  void readScaling(JsonFields &rope, int64_t maxPositions,
                   RotaryDescription &rotary);
  void readLongRope(JsonFields &rope, int64_t maxPositions,
                    RotaryDescription &rotary);
  /// `isOfLayers` says that the object is that of one kind of layers, which
  /// need not have what is outside.
  void readRope(const llvm::json::Object &object, const std::string &where,
                int64_t maxPositions, RotaryDescription &rotary,
                double &partial, bool isOfLayers);
  void setRotated(RotaryDescription &rotary, int64_t headChannels,
                  double partial);

  const llvm::json::Object &root;
  std::string file;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_FAMILIES_MODELCONFIG_H
