// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last step of all front ends of checkpoints.

#ifndef HEDDLE_COMPILER_IMPORT_BUILDMODEL_H
#define HEDDLE_COMPILER_IMPORT_BUILDMODEL_H

#include "compiler/Import/Families/Family.h"
#include "compiler/Import/ImportedModel.h"
#include "dialect/Heddle/GenerationDefaults.h"

namespace heddle {

/// The module of `model` whose weights are `tensors`, with its attributes.
llvm::Expected<ImportedModel> buildModel(const ModelDescription &model,
                                         TensorSource tensors,
                                         const GenerationDefaults &generation,
                                         const ImportOptions &options,
                                         mlir::MLIRContext &context);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_BUILDMODEL_H
