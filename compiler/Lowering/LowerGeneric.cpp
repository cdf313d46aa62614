// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// result(d_last, ..., d_0) = body(inputs at their maps)
// or, where there is something to reduce,
// fold(d_last, ..., d_0) = initial, then body(..., fold) over the reduction
// domain; result_i(d_last, ..., d_0) = fold_i

#include "compiler/Lowering/KernelBuilder.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;

namespace {

class GenericLowering {
public:
  GenericLowering(KernelBuilder &k, GenericOp op)
      : k(k), op(op), loc(k.loc()), rank(op.getOver().size()) {
    for (unsigned dim = rank; dim-- > 0;)
      vars.push_back("d" + std::to_string(dim));
  }

  void run() {
    if (op.hasReduction())
      return lowerReduction();
    for (auto [index, result] : llvm::enumerate(op.getResults())) {
      halide::FuncOp func =
          k.func("generic", names(), elementType(result),
                 [&, index = index](OpBuilder &b, ValueRange v) {
                   return emitBody(b, pointOf(v), {})[index];
                 });
      setField(result, func);
    }
  }

private:
  SmallVector<StringRef> names() const { return {vars.begin(), vars.end()}; }

  static Type elementType(Value value) {
    return getElementTypeOrSelf(value.getType());
  }

  void setField(Value result, halide::FuncOp func) {
    Field field{func.getSymName().str(), elementType(result), {}};
    field.isTensor = true;
    k.setField(result, field);
  }

  // The dimensions of a point, outermost first as the op counts them, of the
  // variables of a func and of its reduction domain.
  SmallVector<Value> pointOf(ValueRange variables) const {
    SmallVector<Value> point;
    for (unsigned dim = 0; dim < rank; ++dim)
      point.push_back(variables[rank - 1 - dim]);
    llvm::append_range(point, variables.drop_front(rank));
    return point;
  }

  // Stored funcs share no fold, so each result has one of its own, over the
  // values so far that it depends on.
  void lowerReduction() {
    for (auto [index, result] : llvm::enumerate(op.getResults())) {
      llvm::SetVector<unsigned> needed = dependencies(index);
      halide::FuncOp fold = emitFold(needed.getArrayRef());
      halide::FuncOp func = k.func("result", names(), elementType(result),
                                   [&](OpBuilder &b, ValueRange v) {
                                     return k.access(b, fold.getSymName(),
                                                     elementType(result), v);
                                   });
      setField(result, func);
    }
  }

  // The results whose values so far result `index` depends on: first itself.
  llvm::SetVector<unsigned> dependencies(unsigned index) {
    llvm::SetVector<unsigned> needed;
    llvm::SetVector<Value> values;
    Operation *yield = op.getBody().front().getTerminator();
    auto need = [&](unsigned result) {
      if (needed.insert(result))
        values.insert(yield->getOperand(result));
    };
    need(index);
    for (size_t next = 0; next < values.size(); ++next) {
      if (Operation *producer = values[next].getDefiningOp())
        for (Value operand : producer->getOperands())
          values.insert(operand);
      for (auto [number, accumulator] : llvm::enumerate(op.getAccumulators()))
        if (values[next] == accumulator)
          need(number);
    }
    return needed;
  }

  halide::FuncOp emitFold(ArrayRef<unsigned> needed) {
    SmallVector<Type> types = llvm::map_to_vector(needed, [&](unsigned index) {
      return elementType(op.getResults()[index]);
    });
    halide::FuncOp fold =
        k.func("fold", names(), types, [&](OpBuilder &b, ValueRange) {
          SmallVector<Value> initial;
          for (unsigned index : needed)
            initial.push_back(arith::ConstantOp::create(
                b, loc, cast<TypedAttr>(op.getInitial()[index])));
          return initial;
        });
    fold.setReduction(halide::Reduction::Fold);
    // Halide's reduction domains have their fastest dimension first.
    size_t count = op.getReduce().size();
    SmallVector<KernelBuilder::Range> ranges;
    SmallVector<std::string> rangeNames;
    for (size_t dim = count; dim-- > 0;)
      rangeNames.push_back("r" + std::to_string(dim));
    for (size_t dim = count; dim-- > 0;) {
      auto size = cast<SizeAttr>(op.getReduce()[dim]);
      KernelBuilder::Range range{rangeNames[count - 1 - dim]};
      if (std::optional<int64_t> number = size.asNumber())
        range.extent = *number;
      else
        range.dynamicExtent = k.param(size);
      ranges.push_back(range);
    }
    k.update(fold, ranges, [&](OpBuilder &b, ValueRange v) {
      SmallVector<Value> ordered(v.take_front(rank));
      for (size_t dim = 0; dim < count; ++dim)
        ordered.push_back(v[rank + count - 1 - dim]);
      SmallVector<Value> old(op.getNumResults());
      for (auto [place, index] : llvm::enumerate(needed))
        old[index] = k.access(b, fold.getSymName(), types[place],
                              v.take_front(rank), place);
      SmallVector<Value> all = emitBody(b, pointOf(ordered), old);
      SmallVector<Value> values = llvm::map_to_vector(
          needed, [&](unsigned index) { return all[index]; });
      halide::YieldOp::create(b, loc, values, ValueRange());
    });
    return fold;
  }

  //===-- The body --------------------------------------------------------===//

  // The values that the body yields at `point`.
  SmallVector<Value> emitBody(OpBuilder &b, ArrayRef<Value> point,
                              ArrayRef<Value> accumulators) {
    IRMapping mapping;
    for (auto [index, argument] : llvm::enumerate(op.getInputArguments())) {
      SmallVector<Value> coordinates;
      for (AffineExpr expression : op.getMap(index).getResults())
        coordinates.push_back(emitAffine(b, expression, point));
      mapping.map(argument,
                  k.readElement(b, op.getInputs()[index], coordinates));
    }
    for (auto [argument, value] : llvm::zip(op.getAccumulators(), accumulators))
      mapping.map(argument, value ? value : undefined(b, argument));
    Block &body = op.getBody().front();
    for (Operation &inside : body.without_terminator()) {
      if (auto index = dyn_cast<IndexOp>(inside)) {
        mapping.map(index.getResult(), point[index.getDimension()]);
      } else if (auto size = dyn_cast<SizeOp>(inside)) {
        mapping.map(size.getResult(), sizeOf(b, size.getSize()));
      } else if (auto read = dyn_cast<ReadOp>(inside)) {
        mapping.map(read.getResult(), emitRead(b, read, mapping));
      } else {
        Operation *copy = b.clone(inside, mapping);
        if (!isa<arith::ConstantOp>(copy))
          copy->setAttr(halide::kStrictAttr, b.getUnitAttr());
      }
    }
    return llvm::map_to_vector(
        body.getTerminator()->getOperands(),
        [&](Value value) { return mapping.lookup(value); });
  }

  // Stands for a value so far that only other results depend on.
  Value undefined(OpBuilder &b, Value argument) {
    return halide::UndefOp::create(b, loc, argument.getType());
  }

  Value sizeOf(OpBuilder &b, SizeAttr size) {
    if (std::optional<int64_t> number = size.asNumber())
      return k.constant(b, *number);
    return k.param(size);
  }

  Value emitAffine(OpBuilder &b, AffineExpr expression, ArrayRef<Value> point) {
    if (auto dimension = dyn_cast<AffineDimExpr>(expression))
      return point[dimension.getPosition()];
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
      return sizeOf(b, cast<SizeAttr>(op.getSymbols()[symbol.getPosition()]));
    if (auto constant = dyn_cast<AffineConstantExpr>(expression))
      return k.constant(b, constant.getValue());
    auto binary = cast<AffineBinaryOpExpr>(expression);
    Value x = emitAffine(b, binary.getLHS(), point);
    Value y = emitAffine(b, binary.getRHS(), point);
    switch (expression.getKind()) {
    case AffineExprKind::Add:
      return arith::AddIOp::create(b, loc, x, y);
    case AffineExprKind::Mul:
      return arith::MulIOp::create(b, loc, x, y);
    case AffineExprKind::FloorDiv:
      return arith::FloorDivSIOp::create(b, loc, x, y);
    default: // No other is known to stay within an input.
      return halide::ModOp::create(b, loc, x, y);
    }
  }

  // table[clamp(i)...], or fill where some i is outside.
  Value emitRead(OpBuilder &b, ReadOp read, const IRMapping &mapping) {
    Value table =
        op.getTables()[cast<BlockArgument>(read.getTable()).getArgNumber() -
                       op.getInputs().size()];
    SmallVector<Value> coordinates;
    Value isInside;
    for (auto [coordinate, size] :
         llvm::zip(read.getCoordinates(), sizesOf(table))) {
      Value at = mapping.lookup(coordinate);
      Value zero = k.constant(b, 0);
      Value last =
          arith::SubIOp::create(b, loc, sizeOf(b, size), k.constant(b, 1));
      Value clamped = arith::MaxSIOp::create(b, loc, at, zero);
      clamped = arith::MinSIOp::create(b, loc, clamped, last);
      coordinates.push_back(clamped);
      Value isSame =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, at, clamped);
      isInside =
          isInside ? arith::AndIOp::create(b, loc, isInside, isSame).getResult()
                   : isSame;
    }
    Value element = k.readElement(b, table, coordinates);
    if (!read.getFill() || !isInside)
      return element;
    return arith::SelectOp::create(b, loc, isInside, element,
                                   mapping.lookup(read.getFill()));
  }

  KernelBuilder &k;
  GenericOp op;
  Location loc;
  unsigned rank;
  SmallVector<std::string> vars; ///< innermost first
};

} // namespace

void heddle::lower(KernelBuilder &k, GenericOp op) {
  GenericLowering(k, op).run();
}
