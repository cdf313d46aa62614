// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Configure/ConfigureKernels.h"

#include "runtime/heddle_abi.h"

using namespace mlir;
using namespace heddle;

// In decoding there is one query.
static bool isDecode(AttentionOp op) {
  return op.getScoreSpace()[2].asNumber() == 1;
}

// Then one tile does for a group: equal register tiles, with as few rows too
// many as that allows.
static int64_t chooseRows(AttentionOp op, const MachineModel &machine) {
  int64_t group = op.getHeads() / op.getKvHeads();
  if (!isDecode(op) || group >= machine.attentionRowTile)
    return machine.attentionRowTile;
  int64_t count = llvm::divideCeil(group, machine.attentionRegisterRows);
  return count * llvm::divideCeil(group, count);
}

// The width of a register tile of few rows: as much as registers hold, in whole
// tiles of `extent`, so that many sums are under way at a time. What several
// rows are multiplied with is in registers, too, and so is a number of a row.
static int64_t widen(int64_t width, int64_t extent, int64_t rows,
                     const MachineModel &machine) {
  auto fits = [&](int64_t width) {
    int64_t vectors = llvm::divideCeil(width, machine.lanes);
    int64_t shared = rows > 1 ? vectors : 0;
    return rows * vectors + shared + 1 <= machine.vectorRegisters;
  };
  while (extent % (2 * width) == 0 && fits(2 * width))
    width *= 2;
  return width;
}

// Whether tile registers multiply factors of bf16.
static bool multipliesInTiles(AttentionOp op, const MachineModel &machine) {
  return machine.fitsTileRegisters(op) && op.getPackedKey() &&
         getElementTypeOrSelf(op.getPackedKey()).isBF16();
}

// Scores of a block, and up to four registers of values.
static AttentionTilesAttr chooseTileRegisters(AttentionOp op,
                                              const MachineModel &machine) {
  int64_t rows = machine.tileRegisterRows,
          columns = machine.tileRegisterColumns;
  while (op.getValueDim() % columns)
    columns -= machine.lanes;
  return AttentionTilesAttr::get(op.getContext(), rows,
                                 machine.attentionChunkBlocks, rows,
                                 HEDDLE_CACHE_BLOCK, columns, machine.lanes);
}

FailureOr<AttentionTilesAttr>
heddle::chooseAttentionTiles(AttentionOp op, const MachineModel &machine) {
  int64_t rowBytes = MachineModel::attentionRowBytes(op);
  int64_t most = machine.attentionTileBytes / rowBytes;
  if (most == 0)
    return op.emitOpError("expected heads that need at most ")
           << machine.attentionTileBytes
           << " bytes of stack, 4 for each channel of a query and 12 for each "
              "of a value; found "
           << rowBytes;
  if (multipliesInTiles(op, machine))
    return chooseTileRegisters(op, machine);
  int64_t rows = std::min(chooseRows(op, machine), most);
  int64_t registerRows = std::min(rows, machine.attentionRegisterRows);
  while (rows % registerRows)
    --registerRows;
  int64_t columns = machine.attentionValueWidth;
  if (op.getValueDim() % columns)
    columns = vectorDividing(op.getValueDim(), machine.lanes);
  // Keys that are read once come from memory: one block, from its begin to its
  // end, is read 1.2 to 1.5 times as fast as several side by side (a Zen 5).
  int64_t keys = machine.attentionKeys;
  if (isDecode(op))
    keys = std::min<int64_t>(keys, HEDDLE_CACHE_BLOCK);
  auto widened = [&](int64_t width, int64_t extent) {
    return widen(width, extent, registerRows, machine);
  };
  return AttentionTilesAttr::get(
      op.getContext(), rows, machine.attentionChunkBlocks, registerRows,
      widened(keys, HEDDLE_CACHE_BLOCK), widened(columns, op.getValueDim()),
      machine.lanes);
}

// What a block shares of each row: its query and state, scores, weights and
// what is made of them, partial maxima and sums of 32 keys.
static int64_t sharedRowBytes(AttentionOp op, int64_t chunk) {
  return MachineModel::attentionRowBytes(op) +
         (3 * chunk + 3) * HEDDLE_CACHE_BLOCK * int64_t(sizeof(float)) + 64;
}

FailureOr<BlockAttentionAttr>
heddle::chooseAttentionBlocks(AttentionOp op, const DeviceModel &device) {
  int64_t bytes = sharedRowBytes(op, device.attentionChunkBlocks);
  int64_t most = std::min(device.sharedBytes / bytes, device.attentionRows);
  if (std::optional<int64_t> rows = op.getRowCount())
    most = std::min(most, *rows);
  if (bytes > device.mostSharedBytes)
    return op.emitOpError("expected heads that need at most ")
           << device.mostSharedBytes
           << " bytes of memory that a block shares, 4 for each channel of a "
              "query and 12 for each of a value; found "
           << bytes;
  return BlockAttentionAttr::get(op.getContext(), device.attentionThreads,
                                 std::max<int64_t>(most, 1),
                                 device.attentionChunkBlocks);
}

LogicalResult heddle::checkBlocks(AttentionOp op, BlockAttentionAttr blocks,
                                  const DeviceModel &device,
                                  EmitError emitError) {
  int64_t rowBytes = sharedRowBytes(op, blocks.getChunk());
  uint64_t bytes =
      llvm::SaturatingMultiply<uint64_t>(blocks.getRows(), rowBytes);
  if (bytes > uint64_t(device.mostSharedBytes))
    return emitError() << "expected rows that need at most "
                       << device.mostSharedBytes
                       << " bytes of memory that a block shares, found "
                       << blocks.getRows() << " of " << rowBytes;
  return success();
}

LogicalResult heddle::checkTiles(AttentionOp op, AttentionTilesAttr tiles,
                                 EmitError emitError) {
  int64_t vector = vectorDividing(op.getValueDim(), tiles.getVector());
  if (op.getValueDim() % tiles.getColumns() || tiles.getColumns() % vector)
    return emitError() << "expected columns that divide the "
                       << op.getValueDim()
                       << " channels of a value, in vectors of " << vector
                       << ", found " << tiles.getColumns();
  // Scores and weights of a chunk.
  int64_t chunkBytes =
      2 * tiles.getChunk() * HEDDLE_CACHE_BLOCK * int64_t(sizeof(float));
  int64_t rowBytes = MachineModel::attentionRowBytes(op);
  int64_t bytes = llvm::SaturatingMultiply<uint64_t>(tiles.getRows(),
                                                     rowBytes + chunkBytes);
  if (bytes > kMostStackBytes)
    return emitError() << "expected rows that need at most " << kMostStackBytes
                       << " bytes of stack, found " << tiles.getRows() << " of "
                       << rowBytes << " and " << chunkBytes << " for a chunk";
  return success();
}
