// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_DECODERBUILDER_H
#define HEDDLE_COMPILER_IMPORT_MODELS_DECODERBUILDER_H

#include "compiler/Import/ImportOptions.h"
#include "compiler/Import/Models/DecoderDescription.h"
#include "compiler/Import/TensorSource.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace heddle {

/// Builds the function of a decoder-only model:
///
///   func @forward(ids: [batch, length], starts: [batch], lengths: [batch],
///   cache)
///       -> (logits: [batch, vocabulary], cache)
///
/// Sequence b has lengths[b] >= 1 new tokens ids[b, :lengths[b]], of which the
/// first stands at position starts[b]; the logits are those after its last one.
/// Each tensor is a heddle.weight of the same name. Dimension names
/// (heddle.sizes) and names (heddle.name) are attributes of arguments and
/// results; heddle.positions is one of the module.
///
/// A tensor that is missing, of another shape or of an unsupported type, and
/// one that nothing reads, is an error.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
buildDecoder(const DecoderDescription &description, const TensorSource &tensors,
             const ImportOptions &options, mlir::MLIRContext &context);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_DECODERBUILDER_H
