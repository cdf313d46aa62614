// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Models/BlockBuilder.h"

using namespace mlir;
using namespace heddle;

// Parts [first, first + count) of the channels of each head, of a matrix
// [heads * channels, inputs].
static Value channelsOfHeads(ModelBuilder &m, Value matrix, int64_t heads,
                             int64_t first, int64_t count) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(matrix.getType()).getShape();
  Value split = m.reshaped(matrix, {heads, shape[0] / heads, shape[1]});
  Value part = m.slicedWeight(split, {0, first, 0}, {heads, count, shape[1]});
  return m.reshaped(part, {heads * count, shape[1]});
}

// The same matrix with the last `rotated` channels of each head first, as
// heddle.rotary has them.
static Value withRotatedFirst(ModelBuilder &m, Value matrix, int64_t heads,
                              int64_t plain, int64_t rotated) {
  int64_t inputs = cast<RankedTensorType>(matrix.getType()).getDimSize(1);
  auto part = [&](int64_t first, int64_t count) {
    return m.reshaped(channelsOfHeads(m, matrix, heads, first, count),
                      {heads, count, inputs});
  };
  Value both = m.concat({part(plain, rotated), part(0, plain)}, 1);
  return m.reshaped(both, {heads * (plain + rotated), inputs});
}

// [heads * channels, rank] of plain keys, and of values.
std::pair<Value, Value> BlockBuilder::matricesUp() {
  const AttentionDescription &a = block.attention;
  const LatentDescription &l = *a.latent;
  int64_t plain = l.plainChannels, values = a.valueChannels();
  if (l.upKeys.empty()) {
    Value up = m.matrix(in(l.up.name), a.heads * (plain + values), l.rank);
    return {channelsOfHeads(m, up, a.heads, 0, plain),
            channelsOfHeads(m, up, a.heads, plain, values)};
  }
  Value keys = m.weight(in(l.upKeys) + ".weight", {a.heads, l.rank, plain});
  Value valuesUp =
      m.weight(in(l.upValues) + ".weight", {a.heads, values, l.rank});
  return {m.reshaped(m.transposed(keys, {0, 2, 1}), {a.heads * plain, l.rank}),
          m.reshaped(valuesUp, {a.heads * values, l.rank})};
}

BlockBuilder::Projections BlockBuilder::projectLatent(Value x) {
  const AttentionDescription &a = block.attention;
  const LatentDescription &l = *a.latent;
  int64_t plain = l.plainChannels, rotating = l.rotatedChannels;
  int64_t headChannels = plain + rotating, inputs = ModelBuilder::channelsOf(x);
  auto linear = [&](Value input, Value weight, Value bias,
                    const std::string &name) -> Value {
    return LinearOp::create(m.b, m.at(in(name)), input, weight, bias);
  };

  Value narrow = x;
  if (l.queryRank) {
    narrow =
        m.linear(x, in(l.queryDown.name), l.queryRank, l.queryDown.hasBias);
    narrow = m.norm(narrow, l.normKind, in(l.queryNorm));
  }
  const std::string &queryName = l.queryRank ? l.queryUp.name : a.query.name;
  Value queryMatrix = m.matrix(in(queryName), a.heads * headChannels,
                               ModelBuilder::channelsOf(narrow));
  Value query =
      linear(narrow, withRotatedFirst(m, queryMatrix, a.heads, plain, rotating),
             Value(), queryName);

  Value down = m.matrix(in(l.down.name), l.rank + rotating, inputs);
  Value downBias = m.bias(in(l.down.name), l.rank + rotating, l.down.hasBias);
  auto part = [&](int64_t first, int64_t count) {
    return linear(x, m.rows(down, first, count),
                  downBias ? m.rows(downBias, first, count) : Value(),
                  l.down.name);
  };
  Value latent = m.norm(part(0, l.rank), l.normKind, in(l.norm));
  Value rotatedKey = rotated(part(l.rank, rotating), 1, ".k");

  auto [upKeys, upValues] = matricesUp();
  Value plainKey = linear(latent, upKeys, Value(), l.up.name);
  Value value = linear(latent, upValues, Value(), l.up.name);

  Value shared = m.repeatedTokens(m.reshapedTokens(rotatedKey, {1, rotating}),
                                  {a.heads, rotating});
  Value key =
      m.concat({shared, m.reshapedTokens(plainKey, {a.heads, plain})}, 3);
  return {rotated(query, a.heads, ".q"),
          m.reshapedTokens(key, {a.heads * headChannels}), value};
}
