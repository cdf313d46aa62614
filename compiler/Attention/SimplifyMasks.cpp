// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A long formula of few masks becomes the short one of the same truth table.

#include "compiler/Attention/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace heddle {
#define GEN_PASS_DEF_SIMPLIFYMASKS
#include "compiler/Attention/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// Halide's passes visit what is shared once for each path to it, so that the
// length of a formula is that with all of them written out. One that is no
// longer than that of a truth table may be stays as its author wrote it; one of
// the longest compiles in a second.
static constexpr uint64_t kLongFormula = 156;
static constexpr uint64_t kLongestFormula = 4096;

// A truth table is a bit for each combination of the masks.
using TruthTable = uint64_t;
static constexpr unsigned kMostMasks = 6;
static_assert(1u << kMostMasks == 8 * sizeof(TruthTable));
static constexpr TruthTable kAlways = ~TruthTable(0), kNever = 0;

// The combinations in which mask `index` keeps: bit c is bit `index` of c.
static TruthTable tableOf(unsigned index) {
  static constexpr TruthTable tables[kMostMasks] = {
      0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC, 0xF0F0F0F0F0F0F0F0,
      0xFF00FF00FF00FF00, 0xFFFF0000FFFF0000, 0xFFFFFFFF00000000};
  return tables[index];
}

namespace {
/// A mask as ops of `and`, `or` and `not` over others.
class Formula {
public:
  explicit Formula(Value mask) : length(measure(mask)) {}

  /// Ops of the formula with what is shared written out each time.
  uint64_t getLength() const { return length; }
  unsigned countMasks() const { return masks.size(); }

  TruthTable evaluate(Value mask);
  /// The mask that keeps what `table` says; null where that is every key.
  Value build(OpBuilder &b, Location loc, TruthTable table);

private:
  static bool isCombination(Value mask) {
    return isa_and_present<AndMaskOp, OrMaskOp, NotMaskOp>(
        mask.getDefiningOp());
  }
  uint64_t measure(Value mask);
  Value build(OpBuilder &b, Location loc, TruthTable table, unsigned index);

  llvm::SetVector<Value> masks;
  llvm::DenseMap<Value, uint64_t> lengths;
  llvm::DenseMap<Value, TruthTable> tables;
  uint64_t length;
};
} // namespace

uint64_t Formula::measure(Value mask) {
  if (!isCombination(mask)) {
    masks.insert(mask);
    return 0;
  }
  if (auto known = lengths.find(mask); known != lengths.end())
    return known->second;
  uint64_t sum = 1;
  for (Value operand : mask.getDefiningOp()->getOperands())
    sum = llvm::SaturatingAdd(sum, measure(operand));
  return lengths[mask] = sum;
}

TruthTable Formula::evaluate(Value mask) {
  if (!isCombination(mask))
    return tableOf(llvm::find(masks, mask) - masks.begin());
  if (auto known = tables.find(mask); known != tables.end())
    return known->second;
  Operation *op = mask.getDefiningOp();
  TruthTable table = evaluate(op->getOperand(0));
  if (isa<NotMaskOp>(op))
    table = ~table;
  else if (isa<AndMaskOp>(op))
    table &= evaluate(op->getOperand(1));
  else
    table |= evaluate(op->getOperand(1));
  return tables[mask] = table;
}

// `table` depends on the masks below `index` alone.
Value Formula::build(OpBuilder &b, Location loc, TruthTable table,
                     unsigned index) {
  assert(table != kAlways && table != kNever && index > 0);
  Value mask = masks[--index];
  unsigned shift = 1u << index;
  TruthTable with = table & tableOf(index), without = table & ~tableOf(index);
  with |= with >> shift;
  without |= without << shift;
  if (with == without)
    return build(b, loc, with, index);

  auto negate = [&]() -> Value { return NotMaskOp::create(b, loc, mask); };
  auto both = [&](Value lhs, TruthTable rest) -> Value {
    return rest == kAlways
               ? lhs
               : AndMaskOp::create(b, loc, lhs, build(b, loc, rest, index))
                     .getResult();
  };
  auto either = [&](Value lhs, TruthTable rest) -> Value {
    return rest == kNever
               ? lhs
               : OrMaskOp::create(b, loc, lhs, build(b, loc, rest, index))
                     .getResult();
  };
  if (with == kAlways)
    return either(mask, without);
  if (without == kAlways)
    return either(negate(), with);
  if (with == kNever)
    return both(negate(), without);
  if (without == kNever)
    return both(mask, with);
  Value kept = both(mask, with);
  return OrMaskOp::create(b, loc, kept, both(negate(), without));
}

Value Formula::build(OpBuilder &b, Location loc, TruthTable table) {
  if (table == kAlways)
    return {};
  if (table == kNever)
    return AndMaskOp::create(b, loc, masks.front(),
                             NotMaskOp::create(b, loc, masks.front()));
  return build(b, loc, table, masks.size());
}

static LogicalResult simplify(AttentionOp attention) {
  if (!attention.getMask())
    return success();
  Formula formula(attention.getMask());
  if (formula.getLength() <= kLongFormula)
    return success();
  if (formula.countMasks() <= kMostMasks) {
    OpBuilder b(attention);
    Value mask = formula.build(b, attention.getLoc(),
                               formula.evaluate(attention.getMask()));
    attention.getMaskMutable().clear();
    if (mask)
      attention.getMaskMutable().assign(mask);
    return success();
  }
  if (formula.getLength() > kLongestFormula)
    return attention.emitError("expected a mask of at most ")
           << kLongestFormula
           << " ops of 'and', 'or' and 'not', with those that are used several "
              "times counted for each use, or of at most "
           << kMostMasks << " different masks; found " << formula.getLength()
           << " ops and " << formula.countMasks() << " masks";
  return success();
}

namespace {
struct SimplifyMasks : heddle::impl::SimplifyMasksBase<SimplifyMasks> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](AttentionOp attention) {
      return failed(simplify(attention)) ? WalkResult::interrupt()
                                         : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
