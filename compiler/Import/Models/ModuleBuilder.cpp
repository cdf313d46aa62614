// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Models/ModuleBuilder.h"

#include "compiler/Import/Models/AudioFeatures.h"
#include "compiler/Import/Models/DecoderBuilder.h"
#include "compiler/Import/Models/EncoderBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Builds the functions of a model of each kind into a module.
class ModuleBuilder {
public:
  ModuleBuilder(const TensorSource &tensors, const ImportOptions &options,
                std::optional<QuantizationDescription> quantization,
                MLIRContext &context)
      : m(tensors, options, quantization, context),
        module(ModuleOp::create(m.b, m.at(options.name))) {
    m.b.setInsertionPointToEnd(module->getBody());
  }

  void add(const DecoderDescription &decoder) {
    setPositions(decoder.maxPositions);
    DecoderBuilder(m, decoder).build();
    ignoreTensorsOf(decoder);
  }

  void add(const EncoderDescriptions &encoders) {
    for (const EncoderDescription &encoder : encoders) {
      EncoderBuilder(m, encoder).build();
      ignoreTensorsOf(encoder);
    }
  }

  void add(const EncoderDecoderDescription &model) {
    setPositions(model.decoder.maxPositions);
    DecoderBuilder decoder(m, model.decoder, &model.encoder);
    EncoderBuilder encoder(m, model.encoder, &decoder);
    if (model.encoder.audio)
      buildAudioFeatures(m, *model.encoder.audio);
    encoder.build();
    decoder.build();
    for (const std::string &copy : model.embeddingCopies)
      m.checkCopy(copy, decoder.getTransformer().embeddingName());
    ignoreTensorsOf(model.encoder);
    ignoreTensorsOf(model.decoder);
  }

  llvm::Expected<OwningOpRef<ModuleOp>> finish() {
    m.checkAllRead(ignoredBuffers, ignoredPrefixes);
    if (m.failed())
      return m.takeError();
    return std::move(module);
  }

private:
  void setPositions(int64_t positions) {
    (*module)->setAttr(kPositionsAttr, m.b.getI64IntegerAttr(positions));
  }

  void ignoreTensorsOf(const TransformerDescription &transformer) {
    llvm::append_range(ignoredBuffers, transformer.ignoredBuffers);
    llvm::append_range(ignoredPrefixes, transformer.ignoredPrefixes);
  }

  ModelBuilder m;
  OwningOpRef<ModuleOp> module;
  SmallVector<std::string> ignoredBuffers, ignoredPrefixes;
};
} // namespace

llvm::Expected<OwningOpRef<ModuleOp>>
heddle::buildModule(const ModelKind &model,
                    std::optional<QuantizationDescription> quantization,
                    const TensorSource &tensors, const ImportOptions &options,
                    MLIRContext &context) {
  context.loadDialect<func::FuncDialect, arith::ArithDialect, math::MathDialect,
                      HeddleDialect>();
  ModuleBuilder builder(tensors, options, quantization, context);
  std::visit([&](const auto &kind) { builder.add(kind); }, model);
  return builder.finish();
}
