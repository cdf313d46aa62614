// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Models/DecoderBuilder.h"

#include "compiler/Import/Models/BlockBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace heddle;

namespace {
class DecoderBuilder : public ModelBuilder {
public:
  DecoderBuilder(const DecoderDescription &description,
                 const TensorSource &tensors, const ImportOptions &options,
                 MLIRContext &context)
      : ModelBuilder(tensors, options, context), d(description) {
    hasTransposedMatrices = d.hasTransposedMatrices;
  }

  llvm::Expected<OwningOpRef<ModuleOp>> build();

private:
  func::FuncOp buildSignature();
  Value embed(Value ids, Value starts);
  Value buildLogits(Value x);

  int64_t embeddingSize() const {
    return d.embeddingSize ? d.embeddingSize : d.hiddenSize;
  }

  const DecoderDescription &d;
  std::string prefix; ///< before the names of all tensors
};
} // namespace

func::FuncOp DecoderBuilder::buildSignature() {
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  int64_t any = ShapedType::kDynamic;
  auto counts = RankedTensorType::get({any}, i32);
  const AttentionDescription &a = d.block.attention;
  auto cacheType =
      CacheType::get(b.getContext(), d.layers.size(), a.kvHeads, a.headChannels,
                     f32, a.valueChannels(), f32, SizesAttr());
  auto type = b.getFunctionType(
      {RankedTensorType::get({any, any}, i32), counts, counts, cacheType},
      {RankedTensorType::get({any, d.vocabularySize}, f32), cacheType});
  auto function = func::FuncOp::create(b, at("forward"), "forward", type);
  function->setAttr(kDecoderAttr, b.getStringAttr("length"));

  auto describe = [&](unsigned index, StringRef name,
                      ArrayRef<StringRef> sizes) {
    function.setArgAttr(index, kNameAttr, b.getStringAttr(name));
    function.setArgAttr(index, kSizesAttr, b.getStrArrayAttr(sizes));
  };
  describe(0, "ids", {"batch", "length"});
  describe(1, "starts", {"batch"});
  describe(2, "lengths", {"batch"});
  describe(3, "cache", {"batch", "capacity"});
  function.setResultAttr(0, kNameAttr, b.getStringAttr("logits"));
  function.setResultAttr(1, kNameAttr, b.getStringAttr("cache"));
  return function;
}

Value DecoderBuilder::embed(Value ids, Value starts) {
  std::string name = prefix + d.embedding;
  Value table = weight(name + ".weight", {d.vocabularySize, embeddingSize()});
  Value x = EmbeddingOp::create(b, at(name), ids, table);
  x = scaled(x, d.embeddingFactor, name + ".factor");
  if (!d.projectIn.empty())
    x = linear(x, prefix + d.projectIn, d.hiddenSize, false);
  if (d.positions) {
    std::string positions = prefix + d.positions->name;
    int64_t first = d.positions->firstRow;
    Value rowsOfAll =
        weight(positions + ".weight", {first + d.maxPositions, d.hiddenSize});
    x = AddPositionsOp::create(b, at(positions), x.getType(), x,
                               rows(rowsOfAll, first, d.maxPositions), starts,
                               /*positionIds=*/Value());
  }
  return x;
}

Value DecoderBuilder::buildLogits(Value x) {
  if (!d.finalNorm.empty())
    x = norm(x, d.finalNormKind, prefix + d.finalNorm);
  if (!d.projectOut.empty())
    x = linear(x, prefix + d.projectOut, embeddingSize(), false);
  std::string embedding = prefix + d.embedding + ".weight";
  const std::string &head = d.head.name;
  Value table =
      weight(d.hasTiedHead ? embedding : head + ".weight",
             {d.vocabularySize, embeddingSize()},
             d.hasTiedHead ? "" : " ('tie_word_embeddings' is false)");
  if (d.hasTiedHead)
    checkCopy(head + ".weight", embedding);
  Value logits = LinearOp::create(b, at(head), x, table,
                                  bias(head, d.vocabularySize, d.head.hasBias));
  logits = scaled(logits, d.logitFactor, head + ".factor");
  if (d.logitSoftcap)
    logits = SoftcapOp::create(b, at(head + ".softcap"), logits.getType(),
                               logits, b.getF64FloatAttr(*d.logitSoftcap));
  return logits;
}

llvm::Expected<OwningOpRef<ModuleOp>> DecoderBuilder::build() {
  auto known = llvm::find_if(d.prefixes, [&](const std::string &p) {
    return hasTensor(p + d.embedding + ".weight");
  });
  prefix = known == d.prefixes.end() ? d.prefixes.front() : *known;

  OwningOpRef<ModuleOp> module = ModuleOp::create(b, at(options.name));
  (*module)->setAttr(kPositionsAttr, b.getI64IntegerAttr(d.maxPositions));
  b.setInsertionPointToEnd(module->getBody());
  func::FuncOp function = buildSignature();
  Block *body = function.addEntryBlock();
  b.setInsertionPointToEnd(body);

  SequenceValues sequence;
  sequence.starts = body->getArgument(1);
  sequence.lengths = body->getArgument(2);
  sequence.cache = body->getArgument(3);
  sequence.totals = arith::AddIOp::create(b, at("model.totals"),
                                          sequence.starts, sequence.lengths);
  startFunction(function, sequence.totals.getDefiningOp());
  Value x = embed(body->getArgument(0), sequence.starts);
  BlockBuilder blocks(*this, d.block, d.maxPositions);
  // The configuration may claim any number of layers. Each needs tensors.
  for (auto [number, layer] : llvm::enumerate(d.layers)) {
    if (failed())
      break;
    std::string layerPrefix = prefix + numbered(d.layerPrefix, number);
    x = blocks.build(x, layer, number, layerPrefix, sequence);
  }
  Value last =
      LastTokenOp::create(b, at("model.last_token"), x, sequence.lengths);
  Value logits = buildLogits(last);
  func::ReturnOp::create(b, at("forward"), ValueRange{logits, sequence.cache});
  checkAllRead(d.ignoredBuffers, d.ignoredPrefixes);
  if (failed())
    return takeError();
  return module;
}

llvm::Expected<OwningOpRef<ModuleOp>>
heddle::buildDecoder(const DecoderDescription &description,
                     const TensorSource &tensors, const ImportOptions &options,
                     MLIRContext &context) {
  context.loadDialect<func::FuncDialect, arith::ArithDialect, HeddleDialect>();
  return DecoderBuilder(description, tensors, options, context).build();
}
