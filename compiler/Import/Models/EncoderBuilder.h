// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_ENCODERBUILDER_H
#define HEDDLE_COMPILER_IMPORT_MODELS_ENCODERBUILDER_H

#include "compiler/Import/ImportOptions.h"
#include "compiler/Import/Models/EncoderDescription.h"
#include "compiler/Import/TensorSource.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace heddle {

/// Builds a function for each encoder: of texts
///
///   func @encode(ids: [batch, length], lengths: [batch][, types: ids' sizes])
///       -> (hidden: [batch, length, channels], ..)
///
/// where text b is ids[b, :lengths[b]], 1 <= lengths[b] <= length, and results
/// for what follows it are anything; and of images
///
///   func @encode(pixels: [batch, channels, height, width])
///       -> (hidden: [batch, tokens, channels], ..)
///
/// with further results as the description has them. Weights, names and errors
/// are those of buildDecoder.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
buildEncoders(llvm::ArrayRef<EncoderDescription> descriptions,
              const TensorSource &tensors, const ImportOptions &options,
              mlir::MLIRContext &context);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_ENCODERBUILDER_H
