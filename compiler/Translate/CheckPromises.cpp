// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/CheckPromises.h"

#include <sstream>

using namespace Halide::Internal;

namespace {
/// Multiplies minima and maxima by constants, and adds constants to them, which
/// Halide does not do: it cannot prove max(4 - x, y) * -6 + 24 <= x * 6.
class DistributeOverBounds : public IRMutator {
  using IRMutator::visit;

  Halide::Expr visit(const Mul *op) override {
    Halide::Expr a = mutate(op->a), b = mutate(op->b);
    const int64_t *factor = as_const_int(b);
    if (!factor)
      return a * b;
    auto times = [&](const Halide::Expr &x) { return mutate(simplify(x * b)); };
    bool keepsOrder = *factor >= 0;
    if (auto *bound = a.as<Min>())
      return keepsOrder ? min(times(bound->a), times(bound->b))
                        : max(times(bound->a), times(bound->b));
    if (auto *bound = a.as<Max>())
      return keepsOrder ? max(times(bound->a), times(bound->b))
                        : min(times(bound->a), times(bound->b));
    return a * b;
  }

  Halide::Expr visit(const Add *op) override {
    Halide::Expr a = mutate(op->a), b = mutate(op->b);
    if (!is_const(b))
      return a + b;
    auto plus = [&](const Halide::Expr &x) { return mutate(simplify(x + b)); };
    if (auto *bound = a.as<Min>())
      return min(plus(bound->a), plus(bound->b));
    if (auto *bound = a.as<Max>())
      return max(plus(bound->a), plus(bound->b));
    return a + b;
  }
};

class PromiseVisitor : public IRVisitor {
public:
  std::string unproven;

private:
  using IRVisitor::visit;

  void visit(const AssertStmt *op) override {
    const Call *error = op->message.as<Call>();
    if (!unproven.empty() || !error ||
        error->name != "halide_error_explicit_bounds_too_small" ||
        can_prove(DistributeOverBounds().mutate(op->condition)))
      return;
    std::ostringstream text;
    text << op->condition << " for " << op->message;
    unproven = text.str();
  }
};
} // namespace

std::string heddle::unprovenPromise(const Stmt &statement) {
  PromiseVisitor visitor;
  statement.accept(&visitor);
  return visitor.unproven;
}

std::string heddle::unprovenPromise(const Halide::Module &module) {
  PromiseVisitor visitor;
  for (const LoweredFunc &function : module.functions())
    function.body.accept(&visitor);
  return visitor.unproven;
}
