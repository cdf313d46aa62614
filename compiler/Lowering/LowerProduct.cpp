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
//
// Where the CPU adds up products of bf16 in pairs, the sum is over a term of a
// pair, and pairs.
//
// Of integers times scales: LowerIntegerProduct.cpp.

#include "compiler/Lowering/Names.h"
#include "compiler/Lowering/ProductLowering.h"
#include "dialect/Heddle/Coordinates.h"

using namespace mlir;
using namespace heddle;

// An f32 that takes in thousands of terms loses what they have in common.
std::optional<int64_t> heddle::chooseBlockDepth(int64_t deepest,
                                                int64_t depth) {
  if (depth <= deepest)
    return std::nullopt;
  for (int64_t block = deepest; block >= std::max<int64_t>(deepest / 4, 1);
       --block)
    if (depth % block == 0)
      return block;
  return std::max<int64_t>(deepest / 2, 1);
}

//===-- Shared ------------------------------------------------------------===//

void ProductFuncs::describeTile(halide::FuncOp func) {
  SmallVector<NamedAttribute> tile;
  auto name = [&](StringRef role, unsigned dimension) {
    tile.push_back(k.builder.getNamedAttr(
        role, k.builder.getStringAttr(variable(dimension))));
  };
  name(kTileColumn, contraction.columnDimensions.back());
  if (LayoutAttr layout = contraction.panels(op)) {
    Value columns = op.getInputs()[contraction.columns];
    auto number = [&](StringRef what, int64_t value) {
      tile.push_back(
          k.builder.getNamedAttr(what, k.builder.getI64IntegerAttr(value)));
    };
    number(kTilePanel, layout.getWidth());
    number(kTileBits, getElementTypeOrSelf(columns).getIntOrFloatBitWidth());
  }
  if (row)
    name(kTileRow, *row);
  if (std::optional<unsigned> choice = contraction.choiceDimension(op);
      choice && op.getExtents()[*choice].asNumber() != 1)
    name(kTileChoice, *choice);
  func->setAttr(kTileAttr, k.builder.getDictionaryAttr(tile));
  SmallVector<Attribute> rows;
  Sizes extents = op.getExtents();
  for (unsigned dim = 0; dim < rank; ++dim)
    if (extents[dim].asNumber() != 1)
      rows.push_back(k.builder.getStringAttr(variable(dim)));
  func->setAttr(kRowsAttr, k.builder.getArrayAttr(rows));
}

SmallVector<Value> ProductFuncs::limit(OpBuilder &b, unsigned dimension,
                                       ArrayRef<Value> point) {
  SmallVector<Value> limited(point);
  Value last = arith::SubIOp::create(b, loc, k.size(op.getExtents()[dimension]),
                                     k.constant(b, 1));
  limited[dimension] = arith::MinSIOp::create(b, loc, limited[dimension], last);
  return limited;
}

// The factor that reads `input`.
static Value factorOf(GenericOp op, unsigned input) {
  std::string reason;
  return SumOfProducts::of(op, reason)->factorOf(input).value;
}

Value ProductFuncs::readRow(OpBuilder &b, ArrayRef<Value> point) {
  return body.emitDecoded(b, factorOf(op, contraction.rows), [&](unsigned) {
    return row ? limit(b, *row, point) : SmallVector<Value>(point);
  });
}

Value ProductFuncs::readColumn(OpBuilder &b,
                               GenericBodyEmitter::PointOf point) {
  return body.emitDecoded(b, factorOf(op, contraction.columns), point);
}

Value ProductFuncs::rowFactor(OpBuilder &b, ValueRange variables,
                              ArrayRef<Value> reduced) {
  return readRow(b, pointOf(variables, reduced));
}

Value ProductFuncs::columnFactor(OpBuilder &b, ValueRange variables,
                                 ArrayRef<Value> reduced) {
  SmallVector<Value> point = pointOf(variables, reduced);
  unsigned last = contraction.columnDimensions.back();
  return readColumn(b, [&](unsigned input) {
    return hasPastLast(input) ? limit(b, last, point) : point;
  });
}

Value ProductFuncs::product(OpBuilder &b, ValueRange variables,
                            ArrayRef<Value> reduced) {
  Value column = columnFactor(b, variables, reduced);
  Value row = rowFactor(b, variables, reduced);
  return reordered(arith::MulFOp::create(b, loc, row, column));
}

bool ProductFuncs::addsPairs() const { return contraction.addsPairs(op); }

Value ProductFuncs::reordered(Operation *op) const {
  if (addsPairs())
    op->setAttr(halide::kReorderedAttr, UnitAttr::get(op->getContext()));
  return op->getResult(0);
}

bool ProductFuncs::hasPastLast(unsigned input) {
  LayoutAttr panels = contraction.panels(op);
  unsigned column = contraction.columnDimensions.back();
  std::optional<int64_t> extent = op.getExtents()[column].asNumber();
  if (!panels || (extent && *extent % panels.getWidth() == 0) ||
      !readDimension(op, input, column))
    return false;
  LayoutAttr layout = layoutOf(storedOf(op.getInputs()[input]));
  return !layout || layout.getWidth() != panels.getWidth() ||
         contraction.columnCoordinate(op, input) != layout.getDimension();
}

halide::FuncOp ProductFuncs::emitZero(StringRef name, ArrayRef<StringRef> vars,
                                      Type type) {
  if (!type)
    type = k.builder.getF32Type();
  halide::FuncOp sum =
      k.func(name, vars, type, [&](OpBuilder &b, ValueRange) -> Value {
        return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
      });
  sum.setReduction(halide::Reduction::Contraction);
  describeTile(sum);
  return sum;
}

void ProductFuncs::emitAdd(OpBuilder &b, halide::FuncOp func, ValueRange place,
                           Value term) {
  Type type = term.getType();
  Value old = k.access(b, func.getSymName(), type, place);
  Value sum = isa<FloatType>(type)
                  ? reordered(arith::AddFOp::create(b, loc, old, term))
                  : Value(arith::AddIOp::create(b, loc, old, term));
  halide::YieldOp::create(b, loc, sum, ValueRange());
}

halide::FuncOp ProductFuncs::addBlocks(
    halide::FuncOp blockSum, int64_t block,
    llvm::function_ref<Value(OpBuilder &, Value old, ValueRange)> add) {
  halide::FuncOp sum = emitZero("accumulator", names());
  int64_t blocks = llvm::divideCeil(*reducedSize(count - 1).asNumber(), block);
  k.update(sum, KernelBuilder::Range{kDepthBlockVar, blocks},
           [&](OpBuilder &b, ValueRange v) {
             Value old = k.access(b, sum.getSymName(), b.getF32Type(),
                                  v.take_front(rank));
             halide::YieldOp::create(b, loc, add(b, old, v), ValueRange());
           });
  blockSum->setAttr(kFoldAttr, FlatSymbolRefAttr::get(sum.getSymNameAttr()));
  return sum;
}

void ProductFuncs::emitResult(KernelBuilder::Body sum) {
  auto initial = cast<FloatAttr>(op.getInitial()[0]);
  halide::FuncOp result =
      k.func("result", names(), k.builder.getF32Type(),
             [&](OpBuilder &b, ValueRange v) -> Value {
               Value value = sum(b, v);
               if (initial.getValue().isZero())
                 return value;
               Value start = arith::ConstantOp::create(b, loc, initial);
               return arith::AddFOp::create(b, loc, start, value);
             });
  setField(op.getResult(0), result);
}

// How many terms in a row read the same of what columns are decoded with; 0
// where nothing is read for several of them.
static int64_t groupOf(GenericOp op, const Contraction &contraction,
                       unsigned depth) {
  int64_t group = 0;
  SizeAttr symbol = dimensionSymbol(op.getContext(), depth);
  for (unsigned input : contraction.columnInputs)
    for (SizeAttr coordinate : op.getCoordinates(input)) {
      bool isQuotient = coordinate.getKind() == SizeKind::FloorDiv &&
                        coordinate.getOperands()[0] == Attribute(symbol);
      auto divisor =
          isQuotient ? cast<SizeAttr>(coordinate.getOperands()[1]).asNumber()
                     : std::nullopt;
      if (divisor && (group == 0 || *divisor < group))
        group = *divisor;
    }
  return group;
}

StoredWeight ProductFuncs::storedColumns() {
  Value columns = storedOf(op.getInputs()[contraction.columns]);
  return StoredWeight(cast<RankedTensorType>(columns.getType()),
                      layoutOf(columns));
}

void ProductFuncs::describeDepth(halide::FuncOp func, int64_t depth) {
  unsigned dimension = rank + count - 1;
  SmallVector<NamedAttribute> tile(
      func->getAttrOfType<DictionaryAttr>(kTileAttr).getValue());
  auto add = [&](StringRef name, int64_t terms) {
    if (terms > 1 && depth % terms == 0)
      tile.push_back(
          k.builder.getNamedAttr(name, k.builder.getI64IntegerAttr(terms)));
  };
  add(kTileGroup, groupOf(op, contraction, dimension));
  StoredWeight columns = storedColumns();
  std::optional<unsigned> shared = columns.sharedDimension();
  if (shared &&
      asDimension(op.getCoordinates(contraction.columns)[*shared]) == dimension)
    add(kTileShared, columns.shares());
  func->setAttr(kTileAttr, k.builder.getDictionaryAttr(tile));
}

//===-- Register tiles ----------------------------------------------------===//

namespace {

class RegisterTiles : ProductFuncs {
public:
  RegisterTiles(KernelBuilder &k, GenericOp op, const Contraction &contraction)
      : ProductFuncs(k, op, contraction) {}

  void run() {
    std::optional<int64_t> block = blockDepth();
    halide::FuncOp accumulator =
        block ? emitBlocked(*block) : emitSumOf("accumulator", std::nullopt);
    emitResult([&](OpBuilder &b, ValueRange v) {
      return k.access(b, accumulator.getSymName(), b.getF32Type(), v);
    });
  }

private:
  // The terms of a block, where the last dimension is deep.
  std::optional<int64_t> blockDepth() {
    std::optional<int64_t> depth = reducedSize(count - 1).asNumber();
    int64_t deepest = cast<ProductTilesAttr>(k.configuration).getDepth();
    if (!depth)
      return std::nullopt;
    if (!addsPairs())
      return chooseBlockDepth(deepest, *depth);
    auto pairs =
        chooseBlockDepth(std::max<int64_t>(deepest / kPair, 1), *depth / kPair);
    return pairs ? std::optional(*pairs * kPair) : std::nullopt;
  }

  halide::FuncOp emitSumOf(StringRef name, std::optional<int64_t> block) {
    return addsPairs() ? emitSumOfPairs(name, block) : emitSum(name, block);
  }

  // The sum over one dimension, or over one block of it.
  halide::FuncOp emitSumOfPairs(StringRef name, std::optional<int64_t> block) {
    SmallVector<StringRef> sumVars = names();
    if (block)
      sumVars.push_back(kDepthBlockVar);
    halide::FuncOp sum = emitZero(name, sumVars);
    int64_t depth = *reducedSize(0).asNumber();
    int64_t pairs = block.value_or(depth) / kPair;
    SmallVector<KernelBuilder::Range> domain{{kTermVar, kPair},
                                             {kPlaceVar, pairs}};
    k.update(sum, domain, [&](OpBuilder &b, ValueRange v) {
      ValueRange place = v.take_front(sumVars.size());
      Value term = v[sumVars.size()], pair = v[sumVars.size() + 1];
      if (block)
        pair = k.compose(b, place.back(), pairs, pair);
      if (block && depth % *block) {
        Value isThere =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, pair,
                                  k.constant(b, depth / kPair));
        halide::WhereOp::create(b, loc, isThere);
      }
      Value element = k.compose(b, pair, kPair, term);
      emitAdd(b, sum, place, product(b, place.take_front(rank), element));
    });
    return sum;
  }

  // The sum over all dimensions; in blocks, over those before the last and one
  // block of that, which is the last variable.
  halide::FuncOp emitSum(StringRef name, std::optional<int64_t> block) {
    SmallVector<StringRef> sumVars = names();
    if (block)
      sumVars.push_back(kDepthBlockVar);
    halide::FuncOp sum = emitZero(name, sumVars);
    if (auto depth = block ? block : reducedSize(count - 1).asNumber())
      describeDepth(sum, *depth);
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
      emitAdd(b, sum, place, product(b, place.take_front(rank), reduced));
    });
    return sum;
  }

  halide::FuncOp emitBlocked(int64_t block) {
    halide::FuncOp blockSum = emitSumOf("block_sum", block);
    return addBlocks(
        blockSum, block, [&](OpBuilder &b, Value old, ValueRange v) {
          Value term = k.access(b, blockSum.getSymName(), b.getF32Type(), v);
          return arith::AddFOp::create(b, loc, old, term);
        });
  }
};

} // namespace

bool heddle::lowerContraction(KernelBuilder &k, GenericOp op) {
  std::optional<Contraction> contraction = Contraction::inTiles(op);
  if (!contraction || isa<BlockRowsAttr>(k.configuration))
    return false;
  if (isa<BlockProductAttr>(k.configuration))
    lowerProductBlocks(k, op, *contraction);
  else if (!lowerIntegerProduct(k, op, *contraction))
    RegisterTiles(k, op, *contraction).run();
  return true;
}
