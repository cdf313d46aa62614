// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Models/FeedForwardBuilder.h"

#include "dialect/Heddle/LayerBuilders.h"

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
  FeedForwardWeights w;
  w.down = matrix(f.down, channels, hidden);
  w.downBias = bias(f.down, channels);
  if (f.gated && f.fused) {
    Value both = matrix(*f.fused, 2 * hidden, channels);
    w.gate = m.rows(both, 0, hidden);
    w.up = m.rows(both, hidden, hidden);
    if (Value biases = bias(*f.fused, 2 * hidden)) {
      w.gateBias = m.rows(biases, 0, hidden);
      w.upBias = m.rows(biases, hidden, hidden);
    }
    return createFeedForward(m.b, loc, x, f.activation, w);
  }
  if (f.gated) {
    w.gate = matrix(f.gate, hidden, channels);
    w.gateBias = bias(f.gate, hidden);
  }
  w.up = matrix(f.up, hidden, channels);
  w.upBias = bias(f.up, hidden);
  return createFeedForward(m.b, loc, x, f.activation, w);
}
