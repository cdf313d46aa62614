// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Models/ExpertsBuilder.h"

#include "compiler/Import/Models/FeedForwardBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;
using namespace heddle;

//===-- the choice --------------------------------------------------------===//

// Of groups [.., groups, experts of a group] all scores become -inf but those
// of the best groups.
Value ExpertsBuilder::keepBestGroups(Value scores) {
  int64_t each = r.count / r.groups;
  Location loc = at("groups");
  Value grouped = m.reshapedTokens(scores, {r.groups, each});
  // The largest expert of each group, or the sum of its two.
  auto best = m.topOf(grouped, r.sumsTwo ? 2 : 1, path + ".groups");
  Value ofGroup = m.reduced(ReductionKind::Sum, best.getValues(), loc);
  auto chosen = m.topOf(ofGroup, r.topGroups, path + ".groups");
  // [.., top groups] -> [.., groups]
  Value isChosen = m.oneHot(chosen.getIndices(), r.groups, loc);
  Value kept = m.reshapedTokens(isChosen, {r.groups, 1});
  auto type = cast<RankedTensorType>(grouped.getType());
  auto truths = type.clone(m.b.getI1Type());
  auto both = BroadcastTensorsOp::create(m.b, loc, TypeRange{truths, type},
                                         ValueRange{kept, grouped});
  Value outside = m.constant({-std::numeric_limits<double>::infinity()});
  auto filled = BroadcastTensorsOp::create(m.b, loc, TypeRange{type, type},
                                           ValueRange{grouped, outside});
  Value limited = WhereOp::create(m.b, loc, type, both.getResult(0),
                                  both.getResult(1), filled.getResult(1));
  return m.reshapedTokens(limited, {r.count});
}

Value ExpertsBuilder::normalized(Value shares) {
  Location loc = at("shares");
  Value sum = m.reduced(ReductionKind::Sum, shares, loc, /*keepSizes=*/true);
  auto both = BroadcastTensorsOp::create(
      m.b, loc, TypeRange{shares.getType(), shares.getType()},
      ValueRange{shares, sum});
  return arith::DivFOp::create(m.b, loc, both.getResult(0), both.getResult(1));
}

ExpertsBuilder::Choice ExpertsBuilder::choose(Value x) {
  Value logits = ModelBuilder::withLeastBits(
      m.linear(x, prefix + r.router.name, r.count, r.router.hasBias),
      ModelBuilder::kBitsOfChoice);
  Location loc = at("scores");
  Value scores =
      r.hasSigmoid
          ? ActivationOp::create(m.b, loc, ActivationKind::Sigmoid, logits)
                .getResult()
          : SoftmaxOp::create(m.b, loc, logits.getType(), logits, 2)
                .getResult();
  Value ranked = scores;
  if (!r.choiceBias.empty())
    ranked = m.plus(ranked, m.weight(prefix + r.choiceBias, {r.count}),
                    path + ".choice");
  if (r.groups > 1)
    ranked = keepBestGroups(ranked);
  auto top = m.topOf(ranked, r.top, path + ".choice");
  Value shares = top.getValues();
  if (ranked != scores)
    shares = GatherElementsOp::create(m.b, at("shares"), shares.getType(),
                                      scores, top.getIndices(), 2,
                                      /*wrap=*/false);
  if (r.normalized)
    shares = normalized(shares);
  return {m.scaled(shares, r.factor, path + ".factor"), top.getIndices()};
}

//===-- matrices ----------------------------------------------------------===//

Value ExpertsBuilder::stacked(const std::string &pattern, int64_t outputs,
                              int64_t inputs) {
  if (!StringRef(pattern).contains('#'))
    return m.weight(prefix + pattern + ".weight", {r.count, outputs, inputs});
  SmallVector<Value> parts;
  for (int64_t expert = 0; expert < r.count && !m.failed(); ++expert) {
    Value part = m.matrix(prefix + ModelBuilder::numbered(pattern, expert),
                          outputs, inputs);
    parts.push_back(part);
  }
  return m.failed() ? m.zeros({r.count, outputs, inputs}) : m.stacked(parts);
}

ExpertsBuilder::Matrices ExpertsBuilder::readMatrices(int64_t channels) {
  int64_t hidden = e.hiddenSize;
  auto biasesOfAll = [&](const std::string &name, int64_t outputs) {
    return e.hasBiases ? m.weight(prefix + name + ".bias", {r.count, outputs})
                       : Value();
  };
  if (e.allGateUp.empty())
    return {stacked(e.gate, hidden, channels), stacked(e.up, hidden, channels),
            stacked(e.down, channels, hidden), biasesOfAll(e.gate, hidden),
            biasesOfAll(e.up, hidden),         biasesOfAll(e.down, channels)};
  auto tensor = [&](const std::string &name, ArrayRef<int64_t> shape) {
    return m.weight(prefix + name, shape);
  };
  Value both = m.experts(prefix + e.allGateUp, r.count, channels, 2 * hidden);
  Value biases = tensor(e.allGateUp + "_bias", {r.count, 2 * hidden});
  auto columns = [&](int64_t first) {
    return m.transposed(m.slicedWeight(both, {0, 0, first},
                                       {r.count, channels, hidden}, {1, 1, 2}),
                        {0, 2, 1});
  };
  auto biasesOf = [&](int64_t first) {
    return m.slicedWeight(biases, {0, first}, {r.count, hidden}, {1, 2});
  };
  Value down = m.transposed(
      m.experts(prefix + e.allDown, r.count, hidden, channels), {0, 2, 1});
  return {columns(0),  columns(1),
          down,        biasesOf(0),
          biasesOf(1), tensor(e.allDown + "_bias", {r.count, channels})};
}

//===-- what experts compute ----------------------------------------------===//

// sum_j shares[.., j] outputs[.., j, c]
Value ExpertsBuilder::combine(Value outputs, const Choice &choice) {
  Location loc = at("combined");
  Value shares = m.reshapedTokens(choice.shares, {r.top, 1});
  auto both = BroadcastTensorsOp::create(
      m.b, loc, TypeRange{outputs.getType(), outputs.getType()},
      ValueRange{outputs, shares});
  Value weighted =
      arith::MulFOp::create(m.b, loc, both.getResult(0), both.getResult(1));
  return m.reduced(ReductionKind::Sum, weighted, loc, /*keepSizes=*/false,
                   /*axis=*/2);
}

Value ExpertsBuilder::compute(Value x, const Choice &choice) {
  Matrices w = readMatrices(ModelBuilder::channelsOf(x));
  auto linear = [&](Value input, Value weight, Value bias,
                    StringRef name) -> Value {
    return ExpertLinearOp::create(m.b, at(name), input, choice.experts, weight,
                                  bias);
  };
  Value gate = linear(x, w.gate, w.gateBias, "gate");
  Value up = linear(x, w.up, w.upBias, "up");
  if (e.limit) {
    gate = m.atMost(gate, *e.limit, path + ".gate");
    up = m.limited(up, *e.limit, path + ".up");
    up = m.plus(up, m.constant({1}), path + ".up");
  }
  gate = ActivationOp::create(m.b, at("activation"), e.activation, gate);
  Value hidden = arith::MulFOp::create(m.b, at("hidden"), gate, up);
  return combine(linear(hidden, w.down, w.downBias, "down"), choice);
}

Value ExpertsBuilder::buildShared(Value x) {
  Value shared = buildFeedForward(m, x, *e.shared, prefix, path + ".shared");
  if (e.sharedGate.empty())
    return shared;
  std::string name = prefix + e.sharedGate;
  int64_t channels = ModelBuilder::channelsOf(x);
  Value matrix = m.matrix(name, 1, channels);
  Value gate = ModelBuilder::withLeastBits(
      LinearOp::create(m.b, m.at(name), x, matrix, Value()),
      ModelBuilder::kBitsOfChoice);
  gate = ActivationOp::create(m.b, at("shared_gate"), ActivationKind::Sigmoid,
                              gate);
  return m.multiply(shared, gate, path + ".shared");
}

Value ExpertsBuilder::build(Value x) {
  Value result = compute(x, choose(x));
  return e.shared ? m.add(result, buildShared(x), path + ".sum") : result;
}
