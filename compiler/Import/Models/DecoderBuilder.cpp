// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Models/DecoderBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

static Type typeOf(Builder &b, CacheElement element) {
  switch (element) {
  case CacheElement::F32:
    return b.getF32Type();
  case CacheElement::BF16:
    return b.getBF16Type();
  case CacheElement::F16:
    return b.getF16Type();
  case CacheElement::Int8:
    return b.getI8Type();
  }
  llvm_unreachable("covered switch");
}

CacheType DecoderBuilder::cacheType() const {
  const AttentionDescription &a = d.block.attention;
  Type element =
      typeOf(m.b, m.getOptions().cacheElement.value_or(CacheElement::F32));
  return CacheType::get(m.b.getContext(), d.layers.size(), a.kvHeads,
                        a.headChannels, element, a.valueChannels(), element,
                        SizesAttr());
}

ArgumentDescription DecoderBuilder::crossArgument() const {
  return {cacheType(),
          "cross",
          {"batch", sourceLength ? std::to_string(*sourceLength) : "source"},
          ArgumentRole::Cross,
          ValuesAttr()};
}

void DecoderBuilder::declareSource(func::FuncOp function,
                                   ArrayRef<SymbolAttr> others) {
  SmallVector<Attribute> symbols(others.begin(), others.end());
  if (!sourceLength)
    symbols.push_back(
        SymbolAttr::get(m.b.getContext(), m.b.getStringAttr("source"), 1,
                        encoder->maxPositions, SymbolRole::Other));
  if (!symbols.empty())
    function->setAttr(kSymbolsAttr, m.b.getArrayAttr(symbols));
}

SmallVector<ArgumentDescription> DecoderBuilder::arguments() const {
  auto argument = [&](Type type, StringRef name,
                      SmallVector<std::string> sizes) {
    return ArgumentDescription{type, name, std::move(sizes)};
  };
  RankedTensorType counts = typeOfCounts(m.b);
  SmallVector<ArgumentDescription> result = {
      argument(typeOfIds(m.b), "ids", {"batch", "length"}),
      argument(counts, "starts", {"batch"}),
      argument(counts, "lengths", {"batch"}),
      argument(cacheType(), "cache", {"batch", "capacity"})};
  if (!d.block.cross)
    return result;
  result.push_back(crossArgument());
  if (!sourceLength)
    result.push_back(
        {counts,
         "cross_lengths",
         {"batch"},
         ArgumentRole::CrossLengths,
         valuesUpTo(m.b.getContext(),
                    SizeAttr::symbol(m.b.getContext(), "source"))});
  return result;
}

Value DecoderBuilder::buildLogits(Value x) {
  x = transformer.normLast(x);
  if (!d.projectOut.empty())
    x = m.linear(x, transformer.in(d.projectOut), d.embeddingChannels(), false);
  const std::string &head =
      m.hasTensor(d.headElsewhere + ".weight") ? d.headElsewhere : d.head.name;
  Value table;
  bool hasOwnHead = d.mayHaveOwnHead && m.hasTensor(head + ".weight");
  if (d.hasTiedHead && !hasOwnHead) {
    table = transformer.embeddingTable();
    m.checkCopy(head + ".weight", transformer.embeddingName());
  } else {
    table =
        m.weight(head + ".weight", {d.vocabularySize, d.embeddingChannels()},
                 " ('tie_word_embeddings' is false)");
  }
  Value bias = m.bias(head, d.vocabularySize, d.head.hasBias);
  if (m.hasTensor(d.logitsBias)) // zeros where a file has none
    bias = m.reshaped(m.weight(d.logitsBias, {1, d.vocabularySize}),
                      {d.vocabularySize});
  bool isBiasLast = bias && d.logitFactor != 1; // the factor is of the product
  Value logits =
      LinearOp::create(m.b, m.at(head), x, table, isBiasLast ? Value() : bias);
  logits = ModelBuilder::withLeastBits(logits, ModelBuilder::kBitsOfHead);
  logits = m.scaled(logits, d.logitFactor, head + ".factor");
  if (isBiasLast)
    logits = m.plus(logits, bias, head + ".bias");
  if (d.logitSoftcap)
    logits = SoftcapOp::create(m.b, m.at(head + ".softcap"), logits.getType(),
                               logits, m.b.getF64FloatAttr(*d.logitSoftcap));
  return logits;
}

void DecoderBuilder::build() {
  OpBuilder::InsertionGuard guard(m.b);
  func::FuncOp function = createEntryPoint(m, "forward", arguments());
  function->setAttr(kDecoderAttr, m.b.getStringAttr("length"));
  if (d.block.cross)
    declareSource(function);
  Block *body = &function.front();
  m.b.setInsertionPointToEnd(body);

  SequenceValues sequence;
  sequence.starts = body->getArgument(1);
  sequence.lengths = body->getArgument(2);
  sequence.cache = body->getArgument(3);
  if (d.block.cross) {
    sequence.cross = body->getArgument(4);
    if (!sourceLength)
      sequence.crossLengths = body->getArgument(5);
  }
  sequence.totals = arith::AddIOp::create(m.b, m.at("model.totals"),
                                          sequence.starts, sequence.lengths);
  m.startFunction(function, sequence.totals.getDefiningOp());
  Value x = transformer.embed(body->getArgument(0), sequence.starts,
                              /*types=*/Value());
  x = transformer.buildLayers(x, sequence);
  Value last =
      LastTokenOp::create(m.b, m.at("model.last_token"), x, sequence.lengths);
  returnResults(m, function,
                {{buildLogits(last), "logits", ArgumentRole::Logits, {}},
                 {sequence.cache, "cache", ArgumentRole::Other, {}}});
}
