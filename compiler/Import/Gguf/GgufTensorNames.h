// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of tensors in GGUF files, as far as all architectures have the same.

#ifndef HEDDLE_COMPILER_IMPORT_GGUF_GGUFTENSORNAMES_H
#define HEDDLE_COMPILER_IMPORT_GGUF_GGUFTENSORNAMES_H

#include "compiler/Import/Models/ModelBuilder.h"
#include "compiler/Import/Models/TransformerDescription.h"

namespace heddle {

/// The tensors of one transformer, whose `layerPrefix` is a GGUF file's.
class GgufTensorNames {
public:
  GgufTensorNames(const TransformerDescription &transformer,
                  const TensorSource &tensors)
      : transformer(transformer), tensors(tensors) {}

  bool hasTensor(const llvm::Twine &name) const {
    return tensors.find(name.str());
  }
  /// Whether any layer has it.
  bool inLayer(llvm::StringRef name) const {
    for (size_t layer = 0; layer < transformer.layers.size(); ++layer)
      if (hasTensor(
              ModelBuilder::numbered(transformer.layerPrefix, int64_t(layer)) +
              name))
        return true;
    return false;
  }
  /// Of a layer, with a bias if there is one.
  ProjectionDescription projection(llvm::StringRef name) const {
    return {name.str(), inLayer((name + ".bias").str())};
  }

private:
  const TransformerDescription &transformer;
  const TensorSource &tensors;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_GGUF_GGUFTENSORNAMES_H
