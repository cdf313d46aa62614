// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/SumsOfPairs.h"

using namespace Halide::Internal;

// Products of f32, a vector of which is added up in parts.
static bool isSumOfProducts(const Halide::Expr &value) {
  const VectorReduce *sum = value.as<VectorReduce>();
  return sum && sum->op == VectorReduce::Add && sum->type.is_float() &&
         sum->value.as<Mul>();
}

namespace {
class PairsStrict : public IRMutator {
  using IRMutator::visit;

  Halide::Expr visit(const Add *op) override {
    Halide::Expr sum = IRMutator::visit(op);
    const Add *same = sum.as<Add>();
    bool isOfPairs =
        same && (isSumOfProducts(same->a) || isSumOfProducts(same->b));
    return isOfPairs ? Halide::strict_float(sum) : sum;
  }
};
} // namespace

void heddle::makePairsStrict(Halide::Pipeline &pipeline) {
  pipeline.add_custom_lowering_pass(new PairsStrict);
}
