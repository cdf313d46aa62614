// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error of weights that are quantised.

#ifndef HEDDLE_COMPILER_WEIGHTS_QUANTIZATIONREPORT_H
#define HEDDLE_COMPILER_WEIGHTS_QUANTIZATIONREPORT_H

#include "compiler/Import/TensorSource.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace heddle {

/// A line for each weight of `module` that a heddle.quantize makes integers of,
/// and one for all: shapes, types, bytes with those of scales, and the error
/// sqrt(sum (w - decoded w)^2 / sum w^2). A line, too, for each that is
/// integers as the checkpoint has them. `tensors` may be null where the module
/// has all values.
llvm::Expected<std::string> reportQuantization(mlir::ModuleOp module,
                                               const TensorSource *tensors);

} // namespace heddle

#endif // HEDDLE_COMPILER_WEIGHTS_QUANTIZATIONREPORT_H
