// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Models/DecoderBuilder.h"

#include "compiler/Import/Models/TransformerBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace heddle;

namespace {
class DecoderBuilder {
public:
  DecoderBuilder(const DecoderDescription &description,
                 const TensorSource &tensors, const ImportOptions &options,
                 MLIRContext &context)
      : d(description), m(tensors, options, context),
        transformer(m, d, d.embedding) {}

  llvm::Expected<OwningOpRef<ModuleOp>> build(StringRef name);

private:
  func::FuncOp buildSignature();
  Value buildLogits(Value x);

  const DecoderDescription &d;
  ModelBuilder m;
  TransformerBuilder transformer;
};
} // namespace

func::FuncOp DecoderBuilder::buildSignature() {
  Type i32 = m.b.getI32Type(), f32 = m.b.getF32Type();
  int64_t any = ShapedType::kDynamic;
  auto counts = RankedTensorType::get({any}, i32);
  const AttentionDescription &a = d.block.attention;
  auto cacheType =
      CacheType::get(m.b.getContext(), d.layers.size(), a.kvHeads,
                     a.headChannels, f32, a.valueChannels(), f32, SizesAttr());
  auto type = m.b.getFunctionType(
      {RankedTensorType::get({any, any}, i32), counts, counts, cacheType},
      {RankedTensorType::get({any, d.vocabularySize}, f32), cacheType});
  auto function = func::FuncOp::create(m.b, m.at("forward"), "forward", type);
  function->setAttr(kDecoderAttr, m.b.getStringAttr("length"));

  auto describe = [&](unsigned index, StringRef name,
                      ArrayRef<StringRef> sizes) {
    function.setArgAttr(index, kNameAttr, m.b.getStringAttr(name));
    function.setArgAttr(index, kSizesAttr, m.b.getStrArrayAttr(sizes));
  };
  describe(0, "ids", {"batch", "length"});
  describe(1, "starts", {"batch"});
  describe(2, "lengths", {"batch"});
  describe(3, "cache", {"batch", "capacity"});
  function.setResultAttr(0, kNameAttr, m.b.getStringAttr("logits"));
  function.setResultAttr(1, kNameAttr, m.b.getStringAttr("cache"));
  return function;
}

Value DecoderBuilder::buildLogits(Value x) {
  x = transformer.normLast(x);
  if (!d.projectOut.empty())
    x = m.linear(x, transformer.in(d.projectOut), d.embeddingChannels(), false);
  const std::string &head = d.head.name;
  Value table;
  if (d.hasTiedHead) {
    table = transformer.embeddingTable();
    m.checkCopy(head + ".weight", transformer.embeddingName());
  } else {
    table =
        m.weight(head + ".weight", {d.vocabularySize, d.embeddingChannels()},
                 " ('tie_word_embeddings' is false)");
  }
  Value bias = m.bias(head, d.vocabularySize, d.head.hasBias);
  Value logits = LinearOp::create(m.b, m.at(head), x, table, bias);
  logits = m.scaled(logits, d.logitFactor, head + ".factor");
  if (d.logitSoftcap)
    logits = SoftcapOp::create(m.b, m.at(head + ".softcap"), logits.getType(),
                               logits, m.b.getF64FloatAttr(*d.logitSoftcap));
  return logits;
}

llvm::Expected<OwningOpRef<ModuleOp>> DecoderBuilder::build(StringRef name) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(m.b, m.at(name));
  (*module)->setAttr(kPositionsAttr, m.b.getI64IntegerAttr(d.maxPositions));
  m.b.setInsertionPointToEnd(module->getBody());
  func::FuncOp function = buildSignature();
  Block *body = function.addEntryBlock();
  m.b.setInsertionPointToEnd(body);

  SequenceValues sequence;
  sequence.starts = body->getArgument(1);
  sequence.lengths = body->getArgument(2);
  sequence.cache = body->getArgument(3);
  sequence.totals = arith::AddIOp::create(m.b, m.at("model.totals"),
                                          sequence.starts, sequence.lengths);
  m.startFunction(function, sequence.totals.getDefiningOp());
  Value x = transformer.embed(body->getArgument(0), sequence.starts,
                              /*types=*/Value());
  x = transformer.buildLayers(x, sequence);
  Value last =
      LastTokenOp::create(m.b, m.at("model.last_token"), x, sequence.lengths);
  Value logits = buildLogits(last);
  func::ReturnOp::create(m.b, m.at("forward"),
                         ValueRange{logits, sequence.cache});
  m.checkAllRead(d.ignoredBuffers, d.ignoredPrefixes);
  if (m.failed())
    return m.takeError();
  return module;
}

llvm::Expected<OwningOpRef<ModuleOp>>
heddle::buildDecoder(const DecoderDescription &description,
                     const TensorSource &tensors, const ImportOptions &options,
                     MLIRContext &context) {
  context.loadDialect<func::FuncDialect, arith::ArithDialect, HeddleDialect>();
  return DecoderBuilder(description, tensors, options, context)
      .build(options.name);
}
