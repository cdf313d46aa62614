// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/WholeTiles.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>

using namespace Halide::Internal;

// `number` < `name`: the number.
static const int64_t *leastBelow(const LT *op, const std::string &name) {
  const Variable *variable = op->b.as<Variable>();
  return variable && variable->name == name ? as_const_int(op->a) : nullptr;
}

namespace {
/// How many rows are asked for.
class CountRows : public IRVisitor {
public:
  explicit CountRows(const std::string &name) : name(name) {}
  int64_t rows = 0;

private:
  using IRVisitor::visit;

  void visit(const LT *op) override {
    if (const int64_t *number = leastBelow(op, name))
      rows = std::max(rows, *number + 1);
    IRVisitor::visit(op);
  }

  const std::string &name;
};

/// Conditions of rows hold where all of them are there.
class KeepRows : public IRMutator {
public:
  explicit KeepRows(const std::string &name) : name(name) {}

private:
  using IRMutator::visit;

  Halide::Expr visit(const LT *op) override {
    return leastBelow(op, name) ? const_true() : IRMutator::visit(op);
  }

  const std::string &name;
};

class WholeTiles : public IRMutator {
  using IRMutator::visit;

  Stmt visit(const LetStmt *op) override {
    CountRows count(op->name);
    if (llvm::StringRef(op->name).contains(".loop_extent"))
      op->body.accept(&count);
    if (count.rows < 2)
      return IRMutator::visit(op);
    Halide::Expr rows = Variable::make(op->value.type(), op->name);
    Stmt whole = simplify(KeepRows(op->name).mutate(op->body));
    return LetStmt::make(
        op->name, op->value,
        IfThenElse::make(rows >= int(count.rows), whole, op->body));
  }
};
} // namespace

void heddle::separateWholeTiles(Halide::Pipeline &pipeline) {
  pipeline.add_custom_lowering_pass(new WholeTiles);
}
