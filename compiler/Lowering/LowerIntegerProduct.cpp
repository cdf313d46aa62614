// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contraction of integers times scales, whose sums are made of blocks with
// the same scales:
//
//   block_sum(d..., block) += rows' codes * columns' codes, in i32
//   accumulator(d...) += block_sum(d..., block) * rows' scale * columns' scale
//
// Offsets, products of one term for each block which the kernel subtracts from
// it, are subtracted there (Fusion/ProductOffsets.h). Where their column is the
// columns' scale, which is so of those that signs leave behind, the row is:
//
//   accumulator(d...) += (block_sum(d..., block) * rows' scale - row(block))
//                        * columns' scale
//   accumulator(d...) -= row(block) * column(block)

#include "compiler/Fusion/ProductOffsets.h"
#include "compiler/Lowering/Names.h"
#include "compiler/Lowering/ProductLowering.h"
#include "dialect/Heddle/Coordinates.h"

using namespace mlir;
using namespace heddle;

// Whether integers subtract `offset`, which has a term for each block of
// theirs. They are lowered before it, so that it may read nothing but
// arguments.
static bool isSubtracted(GenericOp offset) {
  GenericOp integers = integersOf(offset);
  if (!integers || !Contraction::of(integers)->addsIntegers(integers) ||
      !Contraction::inTiles(offset) ||
      !llvm::all_of(offset.getInputs(), llvm::IsaPred<BlockArgument>) ||
      offset.getReduce().size() != 1)
    return false;
  auto depth = [](GenericOp op) {
    return cast<SizeAttr>(op.getReduce()[0]).asNumber();
  };
  return depth(offset) == *depth(integers) / Contraction::of(integers)->terms;
}

namespace {

class IntegerTiles : ProductFuncs {
public:
  IntegerTiles(KernelBuilder &k, GenericOp op, const Contraction &contraction)
      : ProductFuncs(k, op, contraction) {}

  void run() {
    halide::FuncOp accumulator = emitScaled(contraction.terms);
    emitResult([&](OpBuilder &b, ValueRange v) {
      return k.access(b, accumulator.getSymName(), b.getF32Type(), v);
    });
  }

private:
  halide::FuncOp emitScaled(int64_t block) {
    halide::FuncOp blockSum = emitIntegerSum(block);
    std::vector<ProductFuncs> offsets, offsetsOfRows;
    for (GenericOp offset : offsetsOf(op))
      if (integersOf(offset) == op && isSubtracted(offset))
        (multipliesScale(offset) ? offsetsOfRows : offsets)
            .emplace_back(k, offset, *Contraction::of(offset));
    return addBlocks(
        blockSum, block, [&](OpBuilder &b, Value sum, ValueRange v) {
          ValueRange variables = v.take_front(rank);
          Value integers =
              k.access(b, blockSum.getSymName(), b.getI32Type(), v);
          Value first =
              arith::MulIOp::create(b, loc, v.back(), k.constant(b, block));
          auto [rowScale, columnScale] = emitScales(b, variables, first);
          Value term = arith::MulFOp::create(
              b, loc, arith::SIToFPOp::create(b, loc, b.getF32Type(), integers),
              rowScale);
          for (ProductFuncs &offset : offsetsOfRows)
            term = arith::SubFOp::create(
                b, loc, term, offset.rowFactor(b, variables, v.back()));
          term = arith::MulFOp::create(b, loc, term, columnScale);
          sum = arith::AddFOp::create(b, loc, sum, term);
          for (ProductFuncs &offset : offsets)
            sum = arith::SubFOp::create(b, loc, sum,
                                        offset.product(b, variables, v.back()));
          return sum;
        });
  }

  // The sums of blocks. Terms that are added up at a time, and groups that
  // share places, have variables of their own.
  halide::FuncOp emitIntegerSum(int64_t block) {
    SmallVector<StringRef> sumVars = names();
    sumVars.push_back(kDepthBlockVar);
    halide::FuncOp sum = emitZero("block_sum", sumVars, k.builder.getI32Type());
    int64_t group = contraction.panels(op).getGroup();
    int64_t shares = storedColumns().shares();
    int64_t places = block / group / shares;
    SmallVector<KernelBuilder::Range> domain{
        {kTermVar, group}, {kShareVar, shares}, {kPlaceVar, places}};
    std::string reason;
    SumOfProducts factors = *SumOfProducts::of(op, reason);
    k.update(sum, domain, [&](OpBuilder &b, ValueRange v) {
      ValueRange place = v.take_front(sumVars.size());
      ValueRange reduced = v.drop_front(sumVars.size());
      Value depth = k.compose(b, place.back(), places, reduced[2]);
      depth = k.compose(b, depth, shares, reduced[1]);
      depth = k.compose(b, depth, group, reduced[0]);
      SmallVector<Value> point = pointOf(place.take_front(rank), {depth});
      Value left = readCode(b, factors.factors[0], point),
            right = readCode(b, factors.factors[1], point);
      emitAdd(b, sum, place, arith::MulIOp::create(b, loc, left, right));
    });
    return sum;
  }

  // Products that are added up in pairs are of i16, and in fours of bytes.
  Value readCode(OpBuilder &b, const SumOfProducts::Factor &factor,
                 ArrayRef<Value> point) {
    ScaledIntegers integers = *ScaledIntegers::of(op, factor);
    Value code =
        body.emitInput(b, integers.code, pointFor(b, integers.code, point));
    auto extend = [&](Type type, bool hasSign) {
      if (code.getType() != type)
        code = hasSign ? Value(arith::ExtSIOp::create(b, loc, type, code))
                       : arith::ExtUIOp::create(b, loc, type, code);
    };
    bool areBytes = contraction.panels(op).getGroup() == 4;
    if (!areBytes)
      extend(b.getI16Type(), integers.hasSign);
    extend(b.getI32Type(), !areBytes || integers.hasSign);
    return code;
  }

  // The scales of rows and of columns, of the group that begins at `first`.
  std::pair<Value, Value> emitScales(OpBuilder &b, ValueRange variables,
                                     Value first) {
    SmallVector<Value> point = pointOf(variables, {first});
    auto emit = [&](unsigned elements) {
      return body.emitDecoded(b, scaleBeside(elements), [&](unsigned input) {
        return pointFor(b, input, point);
      });
    };
    Value row = emit(contraction.rows);
    return {row, emit(contraction.columns)};
  }

  // The scale of the factor whose integers are that input.
  Value scaleBeside(unsigned elements) {
    std::string reason;
    SumOfProducts sum = *SumOfProducts::of(op, reason);
    return ScaledIntegers::of(op, sum.factorOf(elements))->scale;
  }

  // Whether the columns of `offset` are the scales of columns.
  bool multipliesScale(GenericOp offset) {
    Contraction ofOffset = *Contraction::of(offset);
    if (ofOffset.columnInputs.size() != 1)
      return false;
    std::string reason;
    Value column =
        SumOfProducts::of(offset, reason)->factorOf(ofOffset.columns).value;
    auto narrow = [](Value value) {
      auto widened = value.getDefiningOp<arith::ExtFOp>();
      return widened ? widened.getIn() : value;
    };
    // A column that is computed of it is another number.
    if (!isa<BlockArgument>(narrow(column)))
      return false;
    Value scale = narrow(scaleBeside(contraction.columns));
    unsigned input = cast<BlockArgument>(scale).getArgNumber();
    return op.getInputs()[input] == offset.getInputs()[ofOffset.columns] &&
           llvm::all_of(
               llvm::zip_equal(op.getCoordinates(input),
                               offset.getCoordinates(ofOffset.columns)),
               [&](auto pair) {
                 auto [ofTerm, ofBlock] = pair;
                 return isOfBlock(ofTerm, ofBlock);
               });
  }

  // Whether a coordinate of a term and one of its block are the same.
  bool isOfBlock(SizeAttr ofTerm, SizeAttr ofBlock) {
    SizeAttr depth = dimensionSymbol(op.getContext(), rank);
    SizeAttr terms = SizeAttr::number(op.getContext(), contraction.terms);
    return (ofTerm == ofBlock && !usesDimension(ofTerm, rank)) ||
           (ofTerm == floorDiv(depth, terms) && ofBlock == depth);
  }

  // `point` where `input` has it, which tiles may go past.
  SmallVector<Value> pointFor(OpBuilder &b, unsigned input,
                              ArrayRef<Value> point) {
    if (!llvm::is_contained(contraction.columnInputs, input))
      return row ? limit(b, *row, point) : SmallVector<Value>(point);
    return hasPastLast(input)
               ? limit(b, contraction.columnDimensions.back(), point)
               : SmallVector<Value>(point);
  }
};

// An offset that integers have subtracted: 0.
class SubtractedOffset : ProductFuncs {
public:
  SubtractedOffset(KernelBuilder &k, GenericOp op,
                   const Contraction &contraction)
      : ProductFuncs(k, op, contraction) {}

  void run() {
    emitResult([&](OpBuilder &b, ValueRange) { return k.constantF(b, 0); });
  }
};

} // namespace

bool heddle::lowerIntegerProduct(KernelBuilder &k, GenericOp op,
                                 const Contraction &contraction) {
  if (isSubtracted(op))
    SubtractedOffset(k, op, contraction).run();
  else if (contraction.addsIntegers(op))
    IntegerTiles(k, op, contraction).run();
  else
    return false;
  return true;
}
