// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A heddle.generic that is a contraction, for the blocks of a device. Of many
// rows, whose terms a block shares tile by tile:
//
//   row_tile(row, term, depth_tile...) = rows(...), 0 past the last term
//   column_tile(column, term, depth_tile...) = columns(...), 0 past it
//   tile_sum(d...) += row_tile(...) * column_tile(...)
//
// Deep ones are made of blocks, as on a CPU:
//
//   tile_block_sum(d..., depth_block) += row_tile(...) * column_tile(...)
//   tile_sum(d...) += tile_block_sum(d..., depth_block)
//
// Of few rows, whose terms the threads of a block divide among them:
//
//   slice_sum(d..., slice) += each of so many terms
//   slices(d..., slice) = slice_sum(d..., slice)
//   sum_of_slices(d...) += slices(d..., slice)
//
// Where the number of rows is not known, there are both (ChooseForms.cpp).

#include "compiler/Lowering/Names.h"
#include "compiler/Lowering/ProductLowering.h"
#include "dialect/Heddle/Coordinates.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;

namespace {

class BlockTiles : ProductFuncs {
public:
  BlockTiles(KernelBuilder &k, GenericOp op, const Contraction &contraction)
      : ProductFuncs(k, op, contraction),
        blocks(cast<BlockProductAttr>(k.configuration)) {
    deep = count - 1;
    if (lengthOf(deep) < blocks.getDepth())
      for (unsigned dim = 0; dim < count; ++dim)
        if (lengthOf(dim) > lengthOf(deep))
          deep = dim;
    depth = reducedSize(deep);
    for (unsigned dim = count; dim-- > 0;)
      if (dim != deep)
        others.push_back(dim);
  }

  void run() {
    int64_t fewest = blocks.getThreadRows();
    SizeAttr rows = SizeAttr::number(op.getContext(), 1);
    if (row)
      rows = cast<SizeAttr>(op.getExtents()[*row]);
    std::optional<int64_t> known = rows.asNumber();
    halide::FuncOp many, few;
    if (!known || *known >= fewest)
      many = emitTiles();
    if (!known || *known < fewest)
      few = emitSlices();
    if (many && few)
      k.twoForms.push_back({many, few, rows});
    halide::FuncOp sum = many ? many : few;
    emitResult([&](OpBuilder &b, ValueRange v) {
      return k.access(b, sum.getSymName(), b.getF32Type(), v);
    });
  }

private:
  using Number = std::optional<int64_t>;

  void describePart(halide::FuncOp func, StringRef part,
                    halide::FuncOp reader = {}) {
    func->setAttr(kProductPartAttr, k.builder.getStringAttr(part));
    if (reader)
      func->setAttr(kFoldAttr, FlatSymbolRefAttr::get(reader.getSymNameAttr()));
  }

  // One that is not known may be as short as any that does not fill a tile.
  int64_t lengthOf(unsigned dim) {
    return reducedSize(dim).asNumber().value_or(blocks.getDepth() - 1);
  }

  // The domain of all dimensions that are summed, after the ranges that make
  // the deep one.
  SmallVector<KernelBuilder::Range>
  domainOf(ArrayRef<KernelBuilder::Range> ofDeep) {
    SmallVector<KernelBuilder::Range> domain(ofDeep);
    for (unsigned dim : others)
      domain.push_back(k.rangeOf(reductionVars[dim], reducedSize(dim)));
    return domain;
  }

  // The place in all dimensions that are summed.
  SmallVector<Value> summed(Value term, ValueRange ofOthers) {
    SmallVector<Value> place(count);
    place[deep] = term;
    for (auto [dim, value] : llvm::zip_equal(others, ofOthers))
      place[dim] = value;
    return place;
  }

  // A number of whole parts, and the place in one.
  Value numberOf(OpBuilder &b, Value part, int64_t size, Value place) {
    Value first = arith::MulIOp::create(b, loc, part, k.constant(b, size));
    return arith::AddIOp::create(b, loc, first, place);
  }

  bool isWhole(int64_t part) {
    Number known = depth.asNumber();
    return known && *known % part == 0;
  }

  //===-- Many rows -------------------------------------------------------===//

  // What a block shares of one operand.
  struct Tile {
    std::string name;
    SmallVector<unsigned> dimensions; ///< of `over`, that of the tile first
  };

  // The dimensions of `over` that an operand has.
  SmallVector<unsigned> dimensionsOf(unsigned operand, unsigned first) {
    llvm::SetVector<unsigned> dimensions;
    dimensions.insert(first);
    Sizes at = op.getCoordinates(operand);
    for (unsigned dim = 0; dim < rank; ++dim)
      if (op.getExtents()[dim].asNumber() != 1 &&
          llvm::any_of(at, [&](SizeAttr coordinate) {
            return usesDimension(coordinate, dim);
          }))
        dimensions.insert(dim);
    return dimensions.takeVector();
  }

  // tile(dimension, term, depth_tile, the other dimensions that are summed, the
  // other dimensions of the operand).
  Tile emitTile(StringRef part, bool isOfRows) {
    unsigned operand = isOfRows ? contraction.rows : contraction.columns;
    unsigned first = isOfRows ? *row : contraction.columnDimensions.back();
    Tile tile{"", dimensionsOf(operand, first)};
    std::string firstVar = variable(first);
    SmallVector<std::string> kept;
    for (unsigned dim : ArrayRef(tile.dimensions).drop_front())
      kept.push_back(variable(dim));
    SmallVector<StringRef> vars{firstVar, kTermVar, kTermsVar};
    for (unsigned dim : others)
      vars.push_back(reductionVars[dim]);
    llvm::append_range(vars, kept);
    halide::FuncOp func = k.func(part, vars, k.builder.getF32Type(),
                                 [&](OpBuilder &b, ValueRange v) -> Value {
                                   return emitElement(b, tile, isOfRows, v);
                                 });
    func->setAttr(kKeptAttr, k.builder.getUnitAttr());
    describeTile(func);
    tile.name = func.getSymName().str();
    return tile;
  }

  // Past the last row or column it is that one, which no result reads; past the
  // last term 0.
  Value emitElement(OpBuilder &b, const Tile &tile, bool isOfRows,
                    ValueRange v) {
    SmallVector<Value> point(rank, k.constant(b, 0));
    point[tile.dimensions.front()] = v[0];
    for (auto [dim, value] :
         llvm::zip_equal(ArrayRef(tile.dimensions).drop_front(),
                         v.take_back(tile.dimensions.size() - 1)))
      point[dim] = value;
    Value term = numberOf(b, v[2], blocks.getDepth(), v[1]), isThere;
    if (!isWhole(blocks.getDepth())) {
      isThere = isTerm(b, term);
      term = limitTo(b, term, depth);
    }
    llvm::append_range(point, summed(term, v.slice(3, others.size())));
    Value element = isOfRows ? readRow(b, point) : readLimitedColumn(b, point);
    if (!isThere)
      return element;
    Value zero = k.constantF(b, 0);
    return arith::SelectOp::create(b, loc, isThere, element, zero);
  }

  Value readLimitedColumn(OpBuilder &b, ArrayRef<Value> point) {
    return readColumn(b, [&](unsigned) {
      return limit(b, contraction.columnDimensions.back(), point);
    });
  }

  Value isTerm(OpBuilder &b, Value number) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, number,
                                 k.size(depth));
  }

  // At most the last of so many.
  Value limitTo(OpBuilder &b, Value number, SizeAttr size) {
    Value last = arith::SubIOp::create(b, loc, k.size(size), k.constant(b, 1));
    return arith::MinSIOp::create(b, loc, number, last);
  }

  // An element of a tile for `place`, a point of `over`, innermost first.
  Value readTile(OpBuilder &b, const Tile &tile, ValueRange place, Value term,
                 Value terms, ValueRange ofOthers) {
    auto at = [&](unsigned dim) { return place[rank - 1 - dim]; };
    SmallVector<Value> coordinates{at(tile.dimensions.front()), term, terms};
    llvm::append_range(coordinates, ofOthers);
    for (unsigned dim : ArrayRef(tile.dimensions).drop_front())
      coordinates.push_back(at(dim));
    return k.access(b, tile.name, b.getF32Type(), coordinates);
  }

  halide::FuncOp emitTiles() {
    Tile rows = emitTile(kTileOfRows, /*isOfRows=*/true);
    Tile columns = emitTile(kTileOfColumns, /*isOfRows=*/false);
    SizeAttr tiles = ceilDiv(depth, blocks.getDepth());
    Number block = blockOfTiles();
    SmallVector<StringRef> sumVars = names();
    if (block)
      sumVars.push_back(kDepthBlockVar);
    halide::FuncOp sum = emitZero(block ? kTileBlockSum : kTileSum, sumVars);
    describePart(sum, block ? kTileBlockSum : kTileSum);
    KernelBuilder::Range ofTiles = k.rangeOf(kTermsVar, tiles);
    if (block)
      ofTiles = {kTermsVar, *block};
    k.update(sum, domainOf({{kTermVar, blocks.getDepth()}, ofTiles}),
             [&](OpBuilder &b, ValueRange v) {
               ValueRange place = v.take_front(sumVars.size());
               ValueRange reduced = v.drop_front(sumVars.size());
               Value terms = reduced[1];
               if (block)
                 terms = numberOf(b, place.back(), *block, terms);
               auto read = [&](const Tile &tile) {
                 return readTile(b, tile, place.take_front(rank), reduced[0],
                                 terms, reduced.drop_front(2));
               };
               Value row = read(rows), column = read(columns);
               emitAdd(b, sum, place,
                       arith::MulFOp::create(b, loc, row, column));
             });
    for (auto [part, tile] :
         {std::pair(kTileOfRows, &rows), std::pair(kTileOfColumns, &columns)})
      describePart(funcOf(tile->name), part, sum);
    return block ? emitBlocks(sum, *block) : sum;
  }

  halide::FuncOp funcOf(StringRef name) {
    return cast<halide::FuncOp>(SymbolTable::lookupSymbolIn(k.pipeline, name));
  }

  // The tiles of a block of a deep sum.
  Number blockOfTiles() {
    Number known = depth.asNumber();
    if (!known)
      return std::nullopt;
    return chooseBlockDepth(blocks.getSum() / blocks.getDepth(),
                            llvm::divideCeil(*known, blocks.getDepth()));
  }

  halide::FuncOp emitBlocks(halide::FuncOp blockSum, int64_t block) {
    halide::FuncOp sum = emitZero(kTileSum, names());
    describePart(sum, kTileSum);
    describePart(blockSum, kTileBlockSum, sum);
    int64_t count =
        llvm::divideCeil(*depth.asNumber(), block * blocks.getDepth());
    k.update(sum, KernelBuilder::Range{kDepthBlockVar, count},
             [&](OpBuilder &b, ValueRange v) {
               emitAdd(b, sum, v.take_front(rank),
                       k.access(b, blockSum.getSymName(), b.getF32Type(), v));
             });
    return sum;
  }

  //===-- Few rows --------------------------------------------------------===//

  halide::FuncOp emitSlices() {
    int64_t slices = blocks.getSlices();
    SmallVector<StringRef> sliceVars = names();
    sliceVars.push_back(kSliceVar);
    halide::FuncOp sliceSum = emitZero(kSliceSum, sliceVars);
    k.update(sliceSum, domainOf(k.rangeOf(kStepVar, ceilDiv(depth, slices))),
             [&](OpBuilder &b, ValueRange v) {
               ValueRange place = v.take_front(rank + 1);
               Value term = numberOf(b, v[rank + 1], slices, place.back());
               if (!isWhole(slices)) {
                 halide::WhereOp::create(b, loc, isTerm(b, term));
                 term = limitTo(b, term, depth);
               }
               SmallVector<Value> point =
                   pointOf(place.take_front(rank),
                           summed(term, v.drop_front(rank + 2)));
               Value column = readLimitedColumn(b, point);
               Value row = readRow(b, point);
               emitAdd(b, sliceSum, place,
                       arith::MulFOp::create(b, loc, row, column));
             });
    halide::FuncOp kept =
        k.func(kSlices, sliceVars, k.builder.getF32Type(),
               [&](OpBuilder &b, ValueRange v) {
                 return k.access(b, sliceSum.getSymName(), b.getF32Type(), v);
               });
    kept->setAttr(kKeptAttr, k.builder.getUnitAttr());
    describeTile(kept);
    describePart(sliceSum, kSliceSum, kept);
    halide::FuncOp sum = emitZero(kSumOfSlices, names());
    describePart(sum, kSumOfSlices);
    describePart(kept, kSlices, sum);
    k.update(sum, KernelBuilder::Range{kSliceVar, slices},
             [&](OpBuilder &b, ValueRange v) {
               emitAdd(b, sum, v.take_front(rank),
                       k.access(b, kept.getSymName(), b.getF32Type(), v));
             });
    return sum;
  }

  BlockProductAttr blocks;
  // The dimension whose terms a block shares or divides: of those that are
  // summed the last one, whose terms lie side by side, if it fills a tile, and
  // otherwise the longest, as the steps of a short one would be wasted.
  unsigned deep = 0;
  SizeAttr depth;
  SmallVector<unsigned> others; ///< that are summed, the last first
};

} // namespace

void heddle::lowerProductBlocks(KernelBuilder &k, GenericOp op,
                                const Contraction &contraction) {
  BlockTiles(k, op, contraction).run();
}
