// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_IMPORT_ONNXMODEL_H
#define HEDDLE_COMPILER_IMPORT_ONNXMODEL_H

#include "compiler/Import/ImportedModel.h"

namespace heddle {

bool isOnnxFile(llvm::StringRef path);

/// Reads an ONNX file: the function @run, whose arguments and results have the
/// names of the graph's.
llvm::Expected<ImportedModel> importOnnx(llvm::StringRef path,
                                         ImportOptions options,
                                         mlir::MLIRContext &context);

/// The tensors of an ONNX file, by the names that importOnnx gives weights.
llvm::Expected<TensorSource>
openOnnxTensors(llvm::StringRef path,
                const std::map<std::string, int64_t> &fixedSizes);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_ONNXMODEL_H
