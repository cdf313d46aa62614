// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Configure/ConfigureKernels.h"
#include "compiler/Fusion/Contraction.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

// What a block shares for a contraction: tiles of rows and columns, or the
// slices of a panel.
static int64_t sharedBytes(BlockProductAttr blocks) {
  // Rows of the tile begin in different banks.
  int64_t tiles = blocks.getDepth() *
                  (blocks.getRows() + blocks.getVector() + blocks.getColumns());
  return std::max(tiles, blocks.getPanel() * blocks.getSlices()) *
         int64_t(sizeof(float));
}

// The least power of two that has `size`, of at most `most`.
static int64_t tileOf(std::optional<int64_t> size, int64_t fewest,
                      int64_t most) {
  if (!size)
    return most;
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(*size), fewest, most);
}

// Whether tiles of all have the same rows and columns.
static bool haveOneTile(ArrayRef<GenericOp> contractions) {
  auto tileOf = [](GenericOp op) {
    Contraction contraction = *Contraction::of(op);
    Sizes extents = op.getExtents();
    std::optional<unsigned> row = contraction.longestRow(op);
    unsigned column = contraction.columnDimensions.back();
    return std::tuple(op.getOver().size(), row, column,
                      row ? extents[*row] : SizeAttr(), extents[column]);
  };
  return llvm::all_of(contractions, [&](GenericOp op) {
    return tileOf(op) == tileOf(contractions.front());
  });
}

BlockProductAttr heddle::chooseProductBlocks(ArrayRef<GenericOp> contractions,
                                             const MachineModel &machine) {
  const DeviceModel &device = *machine.device;
  GenericOp op = contractions.front();
  Contraction contraction = *Contraction::of(op);
  auto numberOf = [&](unsigned dimension) {
    return op.getExtents()[dimension].asNumber();
  };
  // Where a thread has sums of several contractions, each is narrower.
  int64_t threadColumns = device.productThreadColumns, sums = 1;
  for (; sums < int64_t(contractions.size()) &&
         threadColumns > device.productVector;
       sums *= 2)
    threadColumns /= 2;
  // Fewer columns than a tile has leave threads for more rows.
  int64_t columns = tileOf(numberOf(contraction.columnDimensions.back()),
                           2 * threadColumns, device.productColumns / sums);
  auto blocks = BlockProductAttr::get(
      op.getContext(), device.productRows, columns, device.productDepth,
      device.productThreadRows, threadColumns, device.productVector,
      machine.deepestSum, device.productPanel);
  int64_t bytes = int64_t(contractions.size()) * sharedBytes(blocks);
  bool fits = haveOneTile(contractions) && bytes <= device.sharedBytes &&
              contractions.size() <= device.productSums;
  return fits ? blocks : BlockProductAttr();
}

LogicalResult heddle::checkBlocks(ArrayRef<GenericOp> contractions,
                                  BlockProductAttr blocks,
                                  const DeviceModel &device,
                                  EmitError emitError) {
  int64_t bytes = llvm::SaturatingMultiply<uint64_t>(contractions.size(),
                                                     sharedBytes(blocks));
  if (bytes <= device.mostSharedBytes)
    return success();
  return emitError() << "expected tiles of at most " << device.mostSharedBytes
                     << " bytes of memory that a block shares, found " << bytes;
}
