// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/OnnxModel.h"

#include "compiler/Import/Onnx/GraphTranslator.h"
#include "compiler/Support/FileKinds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/Support/Path.h"

using namespace llvm;
using namespace heddle;

bool heddle::isOnnxFile(StringRef path) {
  const FileKind *kind = findFileKindOf(path);
  return kind && kind->isOnnx();
}

Expected<ImportedModel> heddle::importOnnx(StringRef path,
                                           ImportOptions options,
                                           mlir::MLIRContext &context) {
  if (!options.checkpoint.empty())
    return createStringError("--weights: '" + path +
                             "' has weights of its own; expected --weights "
                             "with a .mlir file alone");
  if (options.cacheElement)
    return createStringError("--cache-type: expected a model folder or a .gguf "
                             "file; " +
                             path + " says itself what its caches hold");
  context.loadDialect<mlir::func::FuncDialect, mlir::arith::ArithDialect,
                      mlir::math::MathDialect, mlir::tensor::TensorDialect,
                      mlir::scf::SCFDialect, HeddleDialect>();
  Expected<onnx::OnnxFile> file = onnx::openOnnx(path);
  if (!file)
    return file.takeError();
  mlir::Builder b(&context);
  ImportedModel imported;
  imported.module = mlir::ModuleOp::create(
      mlir::NameLoc::get(b.getStringAttr(sys::path::filename(path))));
  (*imported.module)
      ->setAttr(kNameAttr, b.getStringAttr(options.name.empty()
                                               ? sys::path::stem(path)
                                               : StringRef(options.name)));
  onnx::GraphTranslator translator(*file, *imported.module, options.fixedSizes);
  if (Error error = translator.translate())
    return error;
  imported.nodes = translator.counts();
  TensorSource constants = translator.takeConstants();
  file->tensors.add("", std::move(constants));
  imported.tensors = std::make_unique<TensorSource>(std::move(file->tensors));
  return imported;
}

Expected<TensorSource>
heddle::openOnnxTensors(StringRef path,
                        const std::map<std::string, int64_t> &fixedSizes) {
  mlir::MLIRContext context;
  ImportOptions options;
  options.fixedSizes = fixedSizes;
  Expected<ImportedModel> imported = importOnnx(path, options, context);
  if (!imported)
    return imported.takeError();
  return std::move(*imported->tensors);
}
