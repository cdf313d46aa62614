// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// result(d_last, ..., d_0) = body(inputs at their maps)
// or, where there is something to reduce,
// fold(d_last, ..., d_0) = initial, then body(..., fold) over the reduction
// domain; result_i(d_last, ..., d_0) = fold_i
// or, where the elements that are reduced lie side by side, in lanes, which
// divide the last dimension among them, or all dimensions as one:
// partial(lane, d_last, ...) = neutral, then body(..., partial) at every
// lanes-th element; joined = the vectors of partial as one; fold = initial,
// combined with the lanes of that

#include "compiler/Lowering/GenericBody.h"
#include "compiler/Prepare/Views.h"

#include "compiler/Lowering/KernelBuilder.h"
#include "compiler/Lowering/LoweringInterface.h"
#include "compiler/Lowering/Names.h"
#include "dialect/Heddle/BodyCoordinates.h"
#include "dialect/Heddle/Coordinates.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;

// What leaves `op`, a combiner, as it is: 0 of sums. Null where there is none.
static TypedAttr neutralOf(Operation *op) {
  Type type = op->getResult(0).getType();
  OpBuilder b(op->getContext());
  auto real = [&](double value) -> TypedAttr {
    return FloatAttr::get(type, value);
  };
  if (isa<FloatType>(type)) {
    double infinity = std::numeric_limits<double>::infinity();
    if (isa<arith::AddFOp>(op))
      return real(-0.0);
    if (isa<arith::MulFOp>(op))
      return real(1);
    if (isa<arith::MaximumFOp>(op))
      return real(-infinity);
    if (isa<arith::MinimumFOp>(op))
      return real(infinity);
    return {};
  }
  unsigned width = type.getIntOrFloatBitWidth();
  auto integer = [&](const APInt &value) -> TypedAttr {
    return IntegerAttr::get(type, value);
  };
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(op))
    return integer(APInt::getZero(width));
  if (isa<arith::MulIOp>(op))
    return integer(APInt(width, 1));
  if (isa<arith::AndIOp, arith::MinUIOp>(op))
    return integer(APInt::getAllOnes(width));
  if (isa<arith::MaxSIOp>(op))
    return integer(APInt::getSignedMinValue(width));
  if (isa<arith::MinSIOp>(op))
    return integer(APInt::getSignedMaxValue(width));
  return {};
}

namespace {

class GenericLowering : GenericFuncs {
public:
  GenericLowering(KernelBuilder &k, GenericOp op) : GenericFuncs(k, op) {}

  void run() {
    if (op.hasReduction())
      return lowerReduction();
    for (auto [index, result] : llvm::enumerate(op.getResults())) {
      halide::FuncOp func =
          k.func("generic", names(), elementType(result),
                 [&, index = index](OpBuilder &b, ValueRange v) {
                   return body.emit(b, pointOf(v, {}))[index];
                 });
      setField(result, func);
    }
  }

private:
  static Type elementType(Value value) {
    return scalarTypeOf(getElementTypeOrSelf(value.getType()));
  }

  //===-- Reductions ------------------------------------------------------===//

  // Stored funcs share no fold, so each result has one of its own, over the
  // values so far that it depends on.
  void lowerReduction() {
    for (auto [index, result] : llvm::enumerate(op.getResults())) {
      if (result.use_empty())
        continue;
      halide::FuncOp fold;
      unsigned place = 0;
      if (areLanesSideBySide(index)) {
        fold = emitLanes(index);
      } else {
        llvm::SetVector<unsigned> needed = dependencies(index);
        fold = emitFold(needed.getArrayRef());
      }
      halide::FuncOp func =
          k.func("result", names(), elementType(result),
                 [&, result = result](OpBuilder &b, ValueRange v) {
                   return k.access(b, fold.getSymName(), elementType(result), v,
                                   place);
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

  // The domain of dimensions [0, end); Halide's have their fastest first.
  SmallVector<KernelBuilder::Range> ranges(unsigned end) {
    SmallVector<KernelBuilder::Range> result;
    for (unsigned dim = end; dim-- > 0;)
      result.push_back(k.rangeOf(reductionVars[dim], reducedSize(dim)));
    return result;
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
    describe(fold);
    k.update(fold, ranges(count), [&](OpBuilder &b, ValueRange v) {
      SmallVector<Value> reduced(llvm::reverse(v.drop_front(rank)));
      SmallVector<Value> old(op.getNumResults());
      for (auto [place, index] : llvm::enumerate(needed))
        old[index] = k.access(b, fold.getSymName(), types[place],
                              v.take_front(rank), place);
      SmallVector<Value> all =
          body.emit(b, pointOf(v.take_front(rank), reduced), old);
      SmallVector<Value> values = llvm::map_to_vector(
          needed, [&](unsigned index) { return all[index]; });
      halide::YieldOp::create(b, loc, values, ValueRange());
    });
    return fold;
  }

  //===-- Lanes -----------------------------------------------------------===//

  // Whether an element of dimension `dimension` is read beside the next one, of
  // what is read at `at`; nothing where the dimension is not in it.
  std::optional<bool> isSideBySide(ArrayRef<SizeAttr> at, unsigned dimension) {
    if (at.empty())
      return std::nullopt;
    for (SizeAttr coordinate : at)
      if (!coordinate)
        return false;
    for (SizeAttr coordinate : at.drop_back())
      if (usesDimension(coordinate, dimension))
        return false;
    if (!usesDimension(at.back(), dimension))
      return std::nullopt;
    SizeAttr others = at.back() - dimensionSymbol(op.getContext(), dimension);
    return !usesDimension(others, dimension);
  }

  bool isOfBlocks() const { return isa<BlockRowsAttr>(k.configuration); }

  // Whether the last dimension of the domain is too short for vectors, and all
  // of them together are not. Threads, which take the place of vectors, then
  // count the elements of them all.
  bool countAllDimensions(unsigned index) {
    auto isShort = [&](SizeAttr size) {
      return size.asNumber().value_or(INT64_MAX) < vectorOf(index);
    };
    return isOfBlocks() && isShort(reducedSize(count - 1)) &&
           !isShort(allElements());
  }

  SizeAttr allElements() {
    SizeAttr elements = SizeAttr::number(op.getContext(), 1);
    for (unsigned dim = 0; dim < count; ++dim)
      elements = elements * reducedSize(dim);
    return elements;
  }

  // How many elements the lanes divide among them.
  SizeAttr elementsOfLanes(unsigned index) {
    return countAllDimensions(index) ? allElements() : reducedSize(count - 1);
  }

  // Whether a coordinate is that dimension, or element k of group j of its
  // size: j * size + k.
  bool isElementOfGroup(SizeAttr coordinate, unsigned dimension) {
    std::optional<int64_t> size = op.getExtents()[dimension].asNumber();
    if (asDimension(coordinate) == dimension || !size)
      return asDimension(coordinate) == dimension;
    SizeAttr group = coordinate - dimensionSymbol(op.getContext(), dimension);
    return llvm::all_of(termsOf(group), [&](SizeAttr term) {
      return factorsOf(term).first % *size == 0;
    });
  }

  // Whether the last dimension of the domain is the last of all inputs that
  // have it, or groups are of that, long enough for vectors, and may be taken
  // in any order. Where threads take the place of vectors, it may be that of
  // tables, too.
  bool areLanesSideBySide(unsigned index) {
    auto combiner = op.getCombiner(index);
    if (!combiner || !neutralOf(combiner->op))
      return false;
    std::optional<int64_t> size = elementsOfLanes(index).asNumber();
    if (size && *size < vectorOf(index))
      return false;
    unsigned last = rank + count - 1;
    bool isFound = false;
    for (unsigned input = 0; input < op.getInputs().size(); ++input) {
      Sizes at = op.getCoordinates(input);
      std::optional<bool> isBeside = isSideBySide(at, last);
      if (isBeside && (!*isBeside || !isElementOfGroup(at.back(), last)))
        return false;
      isFound |= isBeside.has_value();
    }
    if (!isOfBlocks())
      return isFound;
    for (auto read : op.getBody().getOps<ReadOp>()) {
      Sizes at;
      for (Value coordinate : read.getCoordinates())
        at.push_back(coordinateOf(op, coordinate));
      std::optional<bool> isBeside = isSideBySide(at, last);
      if (isBeside && !*isBeside)
        return false;
      isFound |= isBeside.has_value();
    }
    return isFound;
  }

  // The lanes of a vector of what result `index` combines.
  int64_t vectorOf(unsigned index) {
    return partialLanesOf(heddle::vectorOf(k.configuration),
                          bytesOfElement(elementType(op.getResults()[index])));
  }

  // As many lanes as four vectors have, if the rows have so many elements.
  // What is left of a row is done one by one.
  int64_t chooseLanes(unsigned index) {
    std::optional<int64_t> size = elementsOfLanes(index).asNumber();
    int64_t lanes = vectorOf(index);
    bool isLong = !size || *size >= 16 * lanes ||
                  (*size >= 4 * lanes && *size % (4 * lanes) < lanes);
    return isLong ? 4 * lanes : lanes;
  }

  Value combine(OpBuilder &b, Operation *combiner, Value x, Value y) {
    OperationState state(loc, combiner->getName(), {x, y}, x.getType(),
                         combiner->getAttrs());
    state.addAttribute(halide::kStrictAttr, b.getUnitAttr());
    return b.create(state)->getResult(0);
  }

  // The place in all dimensions that are reduced of an element of them.
  SmallVector<Value> placeOf(OpBuilder &b, Value element) {
    SmallVector<Value> place(count);
    for (unsigned dim = count; dim-- > 1;) {
      Value size = k.size(reducedSize(dim));
      place[dim] = halide::ModOp::create(b, loc, element, size);
      element = arith::FloorDivSIOp::create(b, loc, element, size);
    }
    place[0] = element;
    return place;
  }

  // One update of partial(lane, ...) for whole groups of lanes, one for the
  // rest of the row.
  halide::FuncOp emitPartial(unsigned index, int64_t lanes) {
    Type type = elementType(op.getResults()[index]);
    auto combiner = op.getCombiner(index);
    SmallVector<StringRef> partialVars = names();
    partialVars.insert(partialVars.begin(), kLaneVar);
    halide::FuncOp partial =
        k.func("partial", partialVars, type, [&](OpBuilder &b, ValueRange) {
          return arith::ConstantOp::create(b, loc, neutralOf(combiner->op));
        });
    partial.setReduction(halide::Reduction::Lanes);
    partial->setAttr(kLanesAttr, k.builder.getI64IntegerAttr(lanes));
    bool countsAll = countAllDimensions(index);
    SizeAttr size = elementsOfLanes(index);
    SizeAttr width = SizeAttr::number(op.getContext(), lanes);
    SizeAttr groups = floorDiv(size, width), rest = mod(size, width);
    auto update = [&](SizeAttr extent, bool isRest) {
      SmallVector<KernelBuilder::Range> domain =
          ranges(countsAll ? 0 : count - 1);
      domain.insert(domain.begin(),
                    k.rangeOf(reductionVars[count - 1], extent));
      k.update(partial, domain, [&](OpBuilder &b, ValueRange v) {
        Value lane = isRest ? v[rank + 1] : v[0];
        SmallVector<Value> place{lane};
        llvm::append_range(place, v.slice(1, rank));
        SmallVector<Value> reduced(llvm::reverse(v.drop_front(rank + 1)));
        Value group = isRest ? k.size(groups) : reduced.back();
        Value first =
            arith::MulIOp::create(b, loc, group, k.constant(b, lanes));
        reduced.back() = arith::AddIOp::create(b, loc, first, lane);
        if (countsAll)
          reduced = placeOf(b, reduced.back());
        SmallVector<Value> old(op.getNumResults());
        old[index] = k.access(b, partial.getSymName(), type, place);
        Value value =
            body.emit(b, pointOf(v.slice(1, rank), reduced), old)[index];
        halide::YieldOp::create(b, loc, value,
                                isRest ? ValueRange(place) : ValueRange());
      });
    };
    update(groups, false);
    if (rest.asNumber() != 0)
      update(rest, true);
    return partial;
  }

  // joined(lane, ...) = partial(lane, ...) combined with the lanes of the other
  // vectors, as one vector.
  halide::FuncOp emitJoined(unsigned index, halide::FuncOp partial,
                            int64_t lanes) {
    Type type = elementType(op.getResults()[index]);
    auto combiner = op.getCombiner(index);
    SmallVector<StringRef> joinedVars = names();
    joinedVars.insert(joinedVars.begin(), kLaneVar);
    halide::FuncOp joined =
        k.func("joined", joinedVars, type, [&](OpBuilder &b, ValueRange v) {
          Value sum = k.access(b, partial.getSymName(), type, v);
          for (int64_t offset = vectorOf(index); offset < lanes;
               offset += vectorOf(index)) {
            SmallVector<Value> place(v);
            place[0] =
                arith::AddIOp::create(b, loc, v[0], k.constant(b, offset));
            sum = combine(b, combiner->op, sum,
                          k.access(b, partial.getSymName(), type, place));
          }
          return sum;
        });
    joined->setAttr(kLanesAttr, k.builder.getI64IntegerAttr(vectorOf(index)));
    joined->setAttr(kKeptAttr, k.builder.getUnitAttr());
    return joined;
  }

  // The lanes of a vector are combined in pairs, and the results of that.
  Value emitTree(OpBuilder &b, unsigned index, StringRef source,
                 ValueRange dims) {
    Type type = elementType(op.getResults()[index]);
    Operation *combiner = op.getCombiner(index)->op;
    SmallVector<Value> values;
    for (int64_t lane = 0; lane < vectorOf(index); ++lane) {
      SmallVector<Value> place{k.constant(b, lane)};
      llvm::append_range(place, dims);
      values.push_back(k.access(b, source, type, place));
    }
    while (values.size() > 1) {
      size_t half = values.size() / 2;
      for (size_t i = 0; i < half; ++i)
        values[i] = combine(b, combiner, values[i], values[i + half]);
      values.truncate(half);
    }
    return values.front();
  }

  halide::FuncOp emitLanes(unsigned index) {
    Type type = elementType(op.getResults()[index]);
    auto combiner = op.getCombiner(index);
    int64_t lanes = chooseLanes(index);
    halide::FuncOp partial = emitPartial(index, lanes);
    halide::FuncOp joined =
        lanes > vectorOf(index) ? emitJoined(index, partial, lanes) : partial;
    halide::FuncOp fold =
        k.func("fold", names(), type, [&](OpBuilder &b, ValueRange v) {
          Value initial = arith::ConstantOp::create(
              b, loc, cast<TypedAttr>(op.getInitial()[index]));
          Value sum = emitTree(b, index, joined.getSymName(), v);
          return combine(b, combiner->op, initial, sum);
        });
    describe(fold);
    fold->setAttr(kKeptAttr, k.builder.getUnitAttr());
    for (halide::FuncOp func : {partial, joined})
      func->setAttr(kFoldAttr, FlatSymbolRefAttr::get(fold.getSymNameAttr()));
    return fold;
  }
};

} // namespace

// What attention reads of its operands, where it reads it.
static void lowerView(KernelBuilder &k, GenericOp op) {
  k.setInline(op.getResult(0), [&k, op](OpBuilder &b, ArrayRef<Value> point) {
    return GenericBodyEmitter(k, op).emit(b, point)[0];
  });
}

static void lower(KernelBuilder &k, GenericOp op) {
  if (isOperandView(op))
    return lowerView(k, op);
  if (!lowerContraction(k, op))
    GenericLowering(k, op).run();
}

void heddle::registerGenericLowering(MLIRContext *context) {
  GenericOp::attachInterface<LoweringModel<GenericOp, lower>>(*context);
}
