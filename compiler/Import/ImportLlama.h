// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A Llama-style model as one function of the heddle dialect.

#ifndef HEDDLE_COMPILER_IMPORT_IMPORTLLAMA_H
#define HEDDLE_COMPILER_IMPORT_IMPORTLLAMA_H

#include "compiler/Import/LlamaConfig.h"
#include "compiler/Import/TensorSource.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle {

/// The element type that matrices have in the compiled model.
enum class WeightType { Keep, F32, BF16, F16 };

struct ImportOptions {
  /// Of embeddings and linear layers. Norms and biases, whose size does not
  /// matter, always stay as stored.
  WeightType weightType = WeightType::Keep;
  /// The model's name; importModel takes the folder's where it is empty.
  std::string name;
};

/// Builds the function of the model that `config` describes and `tensors`
/// holds:
///
///   func @forward(ids: [batch, length], starts: [batch], lengths: [batch],
///   cache)
///       -> (logits: [batch, vocabulary], cache)
///
/// Sequence b has lengths[b] >= 1 new tokens ids[b, :lengths[b]], of which the
/// first stands at position starts[b]; the logits are those after its last one.
/// Each tensor is a heddle.weight of the same name. Dimension names
/// (heddle.sizes) and names (heddle.name) are attributes of arguments and
/// results; heddle.name, heddle.positions, heddle.bos and heddle.eos are
/// attributes of the module.
///
/// A tensor that is missing, of another shape or of an unsupported type, and
/// one that nothing reads, is an error.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importLlama(const LlamaConfig &config, const TensorSource &tensors,
            const ImportOptions &options, mlir::MLIRContext &context);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_IMPORTLLAMA_H
