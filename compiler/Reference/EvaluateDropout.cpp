// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/Roundings.h"
#include "compiler/Reference/ScalarMath.h"

#include <array>
#include <cmath>

using namespace mlir;

namespace heddle::reference {

// Philox4x32-10: Salmon et al. 2011, section 4.3; constants of table 2.
static std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                                      std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(0xD2511F53) * counter[0];
    uint64_t b = uint64_t(0xCD9E8D57) * counter[2];
    counter = {uint32_t(b >> 32) ^ counter[1] ^ key[0], uint32_t(b),
               uint32_t(a >> 32) ^ counter[3] ^ key[1], uint32_t(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

// Whether an element is kept, by its number.
static bool isKept(DropoutOp op, const Environment &values, uint64_t element) {
  if (!op.getSeed())
    return true;
  auto seed = values.tensor(op.getSeed());
  std::array<uint32_t, 2> key = {uint32_t(seed->integer(0)),
                                 uint32_t(seed->integer(1))};
  uint32_t random =
      philox({uint32_t(element), uint32_t(element >> 32), 0, 0}, key)[0];
  return random >= op.getThreshold();
}

static double scaleOf(DropoutOp op) {
  return op.getSeed() ? 1 / (1 - op.getRate().convertToDouble()) : 1;
}

static const llvm::fltSemantics &semanticsOf(DropoutOp op) {
  return cast<FloatType>(getElementTypeOrSelf(op.getResult()))
      .getFloatSemantics();
}

static bool isNarrow(DropoutOp op) {
  return getElementTypeOrSelf(op.getResult()).getIntOrFloatBitWidth() < 32;
}

// dropout(x, seed)[i] = keep(i) ? x[i] / (1 - rate) : 0
static llvm::Expected<Value> evaluate(DropoutOp op, const Environment &values) {
  Tensor y = *values.tensor(op.getInput());
  for (auto [element, value] : llvm::enumerate(y.data)) {
    value = isKept(op, values, element) ? value * scaleOf(op) : 0;
    if (isNarrow(op))
      value = roundTo(semanticsOf(op), value);
  }
  return y;
}

// What rounding to bf16 or f16 makes of `error`: numbers stay in their order.
static double afterRounding(DropoutOp op, double value, double error) {
  auto rounded = [&](double x) { return roundTo(semanticsOf(op), x); };
  double result = rounded(value);
  return std::max(rounded(value + error) - result,
                  result - rounded(value - error));
}

// Two operations on what is kept: the divisor is rounded, too.
static Bounds boundOf(DropoutOp op, const ErrorBounds &errors,
                      const Environment &values, const Tensor &result) {
  double roundings = op.getSeed() ? 2 * precision().roundoff : 0;
  auto input = values.tensor(op.getInput());
  Bounds bound(result.data.size());
  for (auto [element, error] : llvm::enumerate(bound)) {
    if (!isKept(op, values, element))
      continue;
    double value = input->data[element] * scaleOf(op);
    error = errors.at(op.getInput(), element) * scaleOf(op) +
            roundings * std::abs(value);
    if (isNarrow(op))
      error = afterRounding(op, value, error);
  }
  return bound;
}

void registerDropout(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, DropoutOp>(context);
    attach<Bounded, DropoutOp>(context);
  });
}

} // namespace heddle::reference
