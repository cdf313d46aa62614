// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices of checkpoints that are quantised already. Integers stay integers,
// which contractions decode (heddle.dequantize); floats of few bits become the
// narrowest floats that have them all.

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_QUANTIZEDMATRICES_H
#define HEDDLE_COMPILER_IMPORT_MODELS_QUANTIZEDMATRICES_H

#include "compiler/Import/Models/QuantizationDescription.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"

namespace heddle {

class ModelBuilder;

/// The matrix [outputs, inputs] of the layer `path`, or such matrices [..,
/// outputs, inputs]; null if its tensors are not those of a quantised one. What
/// is wrong with them becomes the builder's failure.
mlir::Value buildQuantizedMatrix(ModelBuilder &m,
                                 const QuantizationDescription &quantization,
                                 const llvm::Twine &path,
                                 llvm::ArrayRef<int64_t> shape);

/// The matrices `name` of all experts, [experts, outputs, inputs]; null as
/// above.
mlir::Value buildQuantizedExperts(ModelBuilder &m,
                                  const QuantizationDescription &quantization,
                                  const llvm::Twine &name, int64_t experts,
                                  int64_t outputs, int64_t inputs);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_QUANTIZEDMATRICES_H
