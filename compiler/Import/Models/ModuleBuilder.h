// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of all kinds, and modules of their entry points.

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_MODULEBUILDER_H
#define HEDDLE_COMPILER_IMPORT_MODELS_MODULEBUILDER_H

#include "compiler/Import/ImportOptions.h"
#include "compiler/Import/Models/EncoderDecoderDescription.h"
#include "compiler/Import/Models/QuantizationDescription.h"
#include "compiler/Import/TensorSource.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace heddle {

/// Encoders are entry points beside each other, as CLIP has two.
using EncoderDescriptions = std::vector<EncoderDescription>;

using ModelKind = std::variant<DecoderDescription, EncoderDescriptions,
                               EncoderDecoderDescription>;

/// Builds the functions of a model: see DecoderBuilder and EncoderBuilder.
/// Each tensor is a heddle.weight of the same name. Dimension names
/// (heddle.sizes) and names (heddle.name) are attributes of arguments and
/// results; heddle.positions is one of the module.
///
/// `quantization` is how matrices are stored, if they are quantised: they are
/// decoded by ops of the functions.
///
/// A tensor that is missing, of another shape or of an unsupported type, and
/// one that nothing reads, is an error.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
buildModule(const ModelKind &model,
            std::optional<QuantizationDescription> quantization,
            const TensorSource &tensors, const ImportOptions &options,
            mlir::MLIRContext &context);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_MODULEBUILDER_H
