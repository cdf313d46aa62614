// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Models/FeedForwardBuilder.h"

using namespace mlir;
using namespace heddle;

Value heddle::buildFeedForward(ModelBuilder &m, Value x,
                               const FeedForwardDescription &f,
                               const std::string &prefix,
                               const std::string &path) {
  int64_t channels = ModelBuilder::channelsOf(x), hidden = f.hiddenSize;
  Location loc = m.at(path);
  auto matrix = [&](const ProjectionDescription &p, int64_t to, int64_t from) {
    return m.matrix(prefix + p.name, to, from);
  };
  auto bias = [&](const ProjectionDescription &p, int64_t to) {
    return m.bias(prefix + p.name, to, p.hasBias);
  };
  Value down = matrix(f.down, channels, hidden);
  Value downBias = bias(f.down, channels);
  if (!f.gated)
    return FeedForwardOp::create(m.b, loc, x.getType(), f.activation, x,
                                 matrix(f.up, hidden, channels), down,
                                 bias(f.up, hidden), downBias);
  Value gate, up, gateBias, upBias;
  if (f.fused) {
    Value both = matrix(*f.fused, 2 * hidden, channels);
    gate = m.rows(both, 0, hidden);
    up = m.rows(both, hidden, hidden);
    if (Value biases = bias(*f.fused, 2 * hidden)) {
      gateBias = m.rows(biases, 0, hidden);
      upBias = m.rows(biases, hidden, hidden);
    }
  } else {
    gate = matrix(f.gate, hidden, channels);
    up = matrix(f.up, hidden, channels);
    gateBias = bias(f.gate, hidden);
    upBias = bias(f.up, hidden);
  }
  return GatedFeedForwardOp::create(m.b, loc, x.getType(), f.activation, x,
                                    gate, up, down, gateBias, upBias, downBias);
}
