// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A heddle.generic that is a contraction, for register tiles of rows by
// columns:
//
//   accumulator(d...) = 0; accumulator(d...) += rows(...) * columns(...)
//   result(d...) = initial + accumulator(d...)
//
// Deep sums are made of blocks, whose sums are added:
//
//   block_sum(d..., block) += over the depth of one block
//   accumulator(d...) += block_sum(d..., block)

#include "compiler/Fusion/Contraction.h"
#include "compiler/Lowering/GenericBody.h"
#include "compiler/Lowering/Names.h"
#include "dialect/Heddle/Coordinates.h"

using namespace mlir;
using namespace heddle;

// The depth of the blocks in which sums of `depth` terms are made; none where
// one sum of them all is as good. An f32 that takes in thousands of terms loses
// what they have in common.
static std::optional<int64_t> chooseBlockDepth(int64_t deepest, int64_t depth) {
  if (depth <= deepest)
    return std::nullopt;
  for (int64_t block = deepest; block >= std::max<int64_t>(deepest / 4, 1);
       --block)
    if (depth % block == 0)
      return block;
  return std::max<int64_t>(deepest / 2, 1);
}

namespace {

class ContractionLowering : GenericFuncs {
public:
  ContractionLowering(KernelBuilder &k, GenericOp op,
                      const Contraction &contraction)
      : GenericFuncs(k, op), contraction(contraction) {}

  void run() {
    Type f32 = k.builder.getF32Type();
    std::optional<int64_t> block = blockDepth();
    halide::FuncOp accumulator =
        block ? emitBlocked(*block) : emitSum("accumulator", std::nullopt);
    halide::FuncOp result =
        k.func("result", names(), f32, [&](OpBuilder &b, ValueRange v) {
          Value sum = k.access(b, accumulator.getSymName(), f32, v);
          auto initial = cast<FloatAttr>(op.getInitial()[0]);
          if (initial.getValue().isZero())
            return sum;
          Value start = arith::ConstantOp::create(b, loc, initial);
          return arith::AddFOp::create(b, loc, start, sum).getResult();
        });
    setField(op.getResult(0), result);
  }

private:
  // The dimensions of register tiles.
  void describeTile(halide::FuncOp func) {
    SmallVector<NamedAttribute> tile;
    auto name = [&](StringRef role, unsigned dimension) {
      tile.push_back(k.builder.getNamedAttr(
          role, k.builder.getStringAttr(variable(dimension))));
    };
    name(kTileColumn, contraction.columnDimensions.back());
    if (LayoutAttr layout = contraction.panels(op))
      tile.push_back(k.builder.getNamedAttr(
          kTilePanel, k.builder.getI64IntegerAttr(layout.getWidth())));
    if (std::optional<unsigned> row = contraction.longestRow(op))
      name(kTileRow, *row);
    func->setAttr(kTileAttr, k.builder.getDictionaryAttr(tile));
    SmallVector<Attribute> rows;
    Sizes extents = op.getExtents();
    for (unsigned dim = 0; dim < rank; ++dim)
      if (extents[dim].asNumber() != 1)
        rows.push_back(k.builder.getStringAttr(variable(dim)));
    func->setAttr(kRowsAttr, k.builder.getArrayAttr(rows));
  }

  // The terms of a block, where the last dimension is deep.
  std::optional<int64_t> blockDepth() {
    std::optional<int64_t> depth = reducedSize(count - 1).asNumber();
    auto tiles = cast<ProductTilesAttr>(k.configuration);
    return depth ? chooseBlockDepth(tiles.getDepth(), *depth) : std::nullopt;
  }

  // One product at a point: rows past the last are read as the last, so that
  // tiles are always whole.
  Value product(OpBuilder &b, ValueRange variables, ArrayRef<Value> reduced) {
    SmallVector<Value> point = pointOf(variables, reduced);
    Value column = body.emitInput(b, contraction.columns, point);
    if (std::optional<unsigned> row = contraction.longestRow(op)) {
      Value last = arith::SubIOp::create(b, loc, k.size(op.getExtents()[*row]),
                                         k.constant(b, 1));
      point[*row] = arith::MinSIOp::create(b, loc, point[*row], last);
    }
    Value row = body.emitInput(b, contraction.rows, point);
    return arith::MulFOp::create(b, loc, k.toF32(b, row), k.toF32(b, column));
  }

  // The sum over all dimensions; in blocks, over those before the last and one
  // block of that, which is the last variable.
  halide::FuncOp emitSum(StringRef name, std::optional<int64_t> block) {
    Type f32 = k.builder.getF32Type();
    SmallVector<StringRef> sumVars = names();
    if (block)
      sumVars.push_back(kDepthBlockVar);
    halide::FuncOp sum =
        k.func(name, sumVars, f32,
               [&](OpBuilder &b, ValueRange) { return k.constantF(b, 0); });
    sum.setReduction(halide::Reduction::Contraction);
    describeTile(sum);
    SmallVector<KernelBuilder::Range> domain;
    for (unsigned dim = count; dim-- > 0;) {
      KernelBuilder::Range range =
          k.rangeOf(reductionVars[dim], reducedSize(dim));
      if (block && dim + 1 == count)
        range = {reductionVars[dim], *block};
      domain.push_back(range);
    }
    k.update(sum, domain, [&](OpBuilder &b, ValueRange v) {
      ValueRange place = v.take_front(sumVars.size());
      SmallVector<Value> reduced(llvm::reverse(v.drop_front(sumVars.size())));
      if (block) {
        Value first =
            arith::MulIOp::create(b, loc, place.back(), k.constant(b, *block));
        reduced.back() = arith::AddIOp::create(b, loc, first, reduced.back());
        SizeAttr depth = reducedSize(count - 1);
        if (*depth.asNumber() % *block) {
          Value isThere = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::slt, reduced.back(), k.size(depth));
          halide::WhereOp::create(b, loc, isThere);
        }
      }
      Value old = k.access(b, sum.getSymName(), f32, place);
      Value next = product(b, place.take_front(rank), reduced);
      halide::YieldOp::create(
          b, loc, arith::AddFOp::create(b, loc, old, next)->getResults(),
          ValueRange());
    });
    return sum;
  }

  halide::FuncOp emitBlocked(int64_t block) {
    Type f32 = k.builder.getF32Type();
    halide::FuncOp blockSum = emitSum("block_sum", block);
    halide::FuncOp sum =
        k.func("accumulator", names(), f32,
               [&](OpBuilder &b, ValueRange) { return k.constantF(b, 0); });
    sum.setReduction(halide::Reduction::Contraction);
    describeTile(sum);
    int64_t blocks =
        llvm::divideCeil(*reducedSize(count - 1).asNumber(), block);
    k.update(
        sum, KernelBuilder::Range{kDepthBlockVar, blocks},
        [&](OpBuilder &b, ValueRange v) {
          Value old = k.access(b, sum.getSymName(), f32, v.take_front(rank));
          Value next = k.access(b, blockSum.getSymName(), f32, v);
          halide::YieldOp::create(
              b, loc, arith::AddFOp::create(b, loc, old, next)->getResults(),
              ValueRange());
        });
    blockSum->setAttr(kFoldAttr, FlatSymbolRefAttr::get(sum.getSymNameAttr()));
    return sum;
  }

  Contraction contraction;
};

} // namespace

bool heddle::lowerContraction(KernelBuilder &k, GenericOp op) {
  std::optional<Contraction> contraction = Contraction::inTiles(op);
  if (contraction)
    ContractionLowering(k, op, *contraction).run();
  return contraction.has_value();
}
