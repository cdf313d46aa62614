// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// read(a, i...) - read(b, i...)  ->  read(a - b, i...)

#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Prepare/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace heddle {
#define GEN_PASS_DEF_SUBTRACTTABLES
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
/// Tells which values of a body are computed alike.
class Likeness {
public:
  bool operator()(Value a, Value b) {
    if (a == b || known.contains({a, b}))
      return true;
    auto first = dyn_cast<OpResult>(a), second = dyn_cast<OpResult>(b);
    bool areAlike =
        first && second &&
        first.getResultNumber() == second.getResultNumber() &&
        OperationEquivalence::isEquivalentTo(
            first.getOwner(), second.getOwner(),
            [&](Value x, Value y) { return success((*this)(x, y)); },
            /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
    if (areAlike)
      known.insert({a, b});
    return areAlike;
  }

private:
  llvm::DenseSet<std::pair<Value, Value>> known;
};

struct SubtractTables : heddle::impl::SubtractTablesBase<SubtractTables> {
  void runOnOperation() override {
    SmallVector<GenericOp> ops;
    getOperation()->walk([&](GenericOp op) { ops.push_back(op); });
    for (GenericOp op : ops)
      for (auto difference : llvm::make_early_inc_range(
               op.getBody().front().getOps<arith::SubFOp>()))
        subtract(op, difference);
  }

private:
  // The table that nothing else reads.
  static Value ownTable(GenericOp op, ReadOp read) {
    auto argument = cast<BlockArgument>(read.getTable());
    Value table = op.getTables()[numberOf(op, argument)];
    bool isOwn = argument.hasOneUse() && table.hasOneUse() &&
                 table.getDefiningOp<GenericOp>();
    return isOwn ? table : Value();
  }

  static unsigned numberOf(GenericOp op, BlockArgument table) {
    return table.getArgNumber() - op.getInputs().size();
  }

  static void subtract(GenericOp op, arith::SubFOp difference) {
    auto from = difference.getLhs().getDefiningOp<ReadOp>();
    auto what = difference.getRhs().getDefiningOp<ReadOp>();
    if (!from || !what || from == what || !from->hasOneUse() ||
        !what->hasOneUse() || from.getFill() || what.getFill())
      return;
    Value minuend = ownTable(op, from), subtrahend = ownTable(op, what);
    if (!minuend || !subtrahend || minuend.getType() != subtrahend.getType() ||
        !llvm::equal(from.getCoordinates(), what.getCoordinates(), Likeness()))
      return;
    OpBuilder b(op);
    Value table = buildElementwise(
        b, difference.getLoc(), sizesOf(minuend), {minuend, subtrahend},
        difference.getType(),
        [](GenericBody &body) { return body.input(0) - body.input(1); });
    auto kept = cast<BlockArgument>(from.getTable());
    auto dropped = cast<BlockArgument>(what.getTable());
    op.getTablesMutable()[numberOf(op, kept)].set(table);
    difference.replaceAllUsesWith(from.getResult());
    difference.erase();
    what.erase();
    op.getTablesMutable().erase(numberOf(op, dropped));
    op.getBody().front().eraseArgument(dropped.getArgNumber());
  }
};
} // namespace
