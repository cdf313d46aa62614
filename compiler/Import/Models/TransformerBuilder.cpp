// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Models/TransformerBuilder.h"

using namespace mlir;
using namespace heddle;

TransformerBuilder::TransformerBuilder(
    ModelBuilder &model, const TransformerDescription &description,
    StringRef firstTensor)
    : m(model), d(description) {
  auto known = llvm::find_if(d.prefixes, [&](const std::string &p) {
    return m.hasTensor(p + firstTensor + ".weight");
  });
  prefix = known == d.prefixes.end() ? d.prefixes.front() : *known;
  m.hasTransposedMatrices = d.hasTransposedMatrices;
}

Value TransformerBuilder::embeddingTable() {
  return m.weight(embeddingName(), {d.vocabularySize, d.embeddingChannels()});
}

Value TransformerBuilder::embed(Value ids, Value starts, Value types) {
  std::string name = in(d.embedding);
  Value x = EmbeddingOp::create(m.b, m.at(name), ids, embeddingTable());
  x = m.scaled(x, d.embeddingFactor, name + ".factor");
  if (!d.projectIn.empty())
    x = m.linear(x, in(d.projectIn), d.hiddenSize, false);
  return normEmbedding(addPositions(addTypes(x, types), starts));
}

Value TransformerBuilder::addTypes(Value x, Value types) {
  if (!d.types)
    return x;
  std::string name = in(d.types->name);
  Value table = m.weight(name + ".weight", {d.types->count, d.hiddenSize});
  if (types)
    return m.add(x, EmbeddingOp::create(m.b, m.at(name), types, table), name);
  return m.plus(x, m.rows(table, 0, 1), name);
}

Value TransformerBuilder::positionTable() {
  const PositionsDescription &p = *d.positions;
  std::string name = in(p.name);
  int64_t channels = d.hiddenSize, count = p.firstRow + d.maxPositions;
  if (p.isSinusoidal && !m.hasTensor(name + ".weight"))
    return SinusoidalPositionsOp::create(
        m.b, m.at(name),
        RankedTensorType::get({count, channels}, m.b.getF32Type()),
        /*halves=*/UnitAttr(), /*split=*/m.b.getUnitAttr(),
        m.b.getF64FloatAttr(10000));
  if (p.isParameter)
    return m.reshaped(m.weight(name, {1, count, channels}), {count, channels});
  return m.weight(name + ".weight", {count, channels});
}

Value TransformerBuilder::addPositions(Value x, Value starts) {
  if (!d.positions)
    return x;
  Value table = m.rows(positionTable(), d.positions->firstRow, d.maxPositions);
  return AddPositionsOp::create(m.b, m.at(in(d.positions->name)), x.getType(),
                                x, table, starts, /*positionIds=*/Value());
}

Value TransformerBuilder::normEmbedding(Value x) {
  return d.embeddingNorm.empty()
             ? x
             : m.norm(x, d.embeddingNormKind, in(d.embeddingNorm));
}

Value TransformerBuilder::buildLayers(Value x, SequenceValues &sequence) {
  BlockBuilder blocks(m, d.block, d.maxPositions, prefix);
  // The configuration may claim any number of layers. Each needs tensors.
  for (auto [number, layer] : llvm::enumerate(d.layers)) {
    if (m.failed())
      break;
    std::string layerPrefix = in(ModelBuilder::numbered(d.layerPrefix, number));
    x = blocks.build(x, layer, number, layerPrefix, sequence);
  }
  return x;
}

void TransformerBuilder::appendSource(Value source, SequenceValues &sequence) {
  BlockBuilder blocks(m, d.block, d.maxPositions, prefix);
  for (int64_t number = 0; number < int64_t(d.layers.size()) && !m.failed();
       ++number)
    blocks.appendSource(source, number,
                        in(ModelBuilder::numbered(d.layerPrefix, number)),
                        sequence);
}

Value TransformerBuilder::normLast(Value x) {
  return d.finalNorm.empty() ? x : m.norm(x, d.finalNormKind, in(d.finalNorm));
}
