// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of the ONNX format, and the files beside it that hold its tensors.
// (https://github.com/onnx/onnx, docs/IR.md, docs/ExternalData.md)

#ifndef HEDDLE_COMPILER_IMPORT_ONNX_ONNXFILE_H
#define HEDDLE_COMPILER_IMPORT_ONNX_ONNXFILE_H

#include "compiler/Import/Onnx/Messages.h"
#include "compiler/Import/TensorSource.h"

#include "llvm/Support/Error.h"

namespace heddle::onnx {

struct OnnxFile {
  std::string path;
  /// Parts of the mapped file.
  ModelProto model;
  /// The initializers, by name. Elements that files have as raw bytes stay
  /// mapped, and with them this file.
  TensorSource tensors;
  const GraphProto &graph() const { return *model.graph; }
};

/// Opens the file, and those that it names below its own folder. Checks that
/// they have all bytes of the tensors.
llvm::Expected<OnnxFile> openOnnx(llvm::StringRef path);

} // namespace heddle::onnx

#endif // HEDDLE_COMPILER_IMPORT_ONNX_ONNXFILE_H
