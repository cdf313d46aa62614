// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

#include "runtime/heddle_abi.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

//===-- Numbers -----------------------------------------------------------===//

static constexpr int64_t kLargest = 1 << 20;

namespace {
struct Parameter {
  StringRef name;
  int64_t value;
};
} // namespace

using EmitError = function_ref<InFlightDiagnostic()>;

static LogicalResult verifyPower(EmitError emitError, Parameter parameter,
                                 int64_t most) {
  auto [name, value] = parameter;
  if (value < 1 || value > most || !llvm::isPowerOf2_64(value))
    return emitError() << "expected " << name
                       << " to be a power of two of at most " << most
                       << ", found " << value;
  return success();
}

static LogicalResult verifyRange(EmitError emitError,
                                 ArrayRef<Parameter> parameters) {
  for (auto [name, value] : parameters)
    if (value < 1 || value > kLargest)
      return emitError() << "expected " << name << " from 1 to " << kLargest
                         << ", found " << value;
  return success();
}

// C1 of each configuration
static LogicalResult verifyNumbers(EmitError emitError,
                                   ArrayRef<Parameter> parameters,
                                   int64_t vector) {
  if (failed(verifyRange(emitError, parameters)))
    return failure();
  return verifyPower(emitError, {"vector", vector}, HEDDLE_CACHE_BLOCK);
}

static LogicalResult verifyMultiple(EmitError emitError, Parameter larger,
                                    Parameter smaller) {
  if (larger.value % smaller.value == 0)
    return success();
  return emitError() << "expected " << larger.name << " to be a multiple of "
                     << smaller.name << ", found " << larger.value << " and "
                     << smaller.value;
}

// Of a register tile, all of whose elements are in straight code.
static LogicalResult verifyTile(EmitError emitError, Parameter height,
                                Parameter width) {
  if (height.value * width.value <= kMostStraightElements)
    return success();
  return emitError() << "expected register tiles of at most "
                     << kMostStraightElements << " elements, found "
                     << height.name << " = " << height.value << " times "
                     << width.name << " = " << width.value;
}

LogicalResult ProductTilesAttr::verify(EmitError emitError, int64_t rows,
                                       int64_t columns, int64_t vector,
                                       int64_t depth, int64_t block,
                                       int64_t task, int64_t group) {
  if (failed(verifyNumbers(emitError,
                           {{"rows", rows},
                            {"columns", columns},
                            {"depth", depth},
                            {"block", block},
                            {"task", task},
                            {"group", group}},
                           vector)) ||
      failed(
          verifyMultiple(emitError, {"columns", columns}, {"vector", vector})))
    return failure();
  return verifyTile(emitError, {"rows", rows}, {"columns", columns});
}

// C2
static LogicalResult verifyKeys(EmitError emitError, int64_t chunk,
                                int64_t keys, int64_t vector) {
  if (keys > HEDDLE_CACHE_BLOCK) {
    if (keys % HEDDLE_CACHE_BLOCK == 0)
      return verifyMultiple(emitError,
                            {"keys of a chunk", chunk * HEDDLE_CACHE_BLOCK},
                            {"keys", keys});
  } else if (HEDDLE_CACHE_BLOCK % keys == 0 && keys % vector == 0) {
    return success();
  }
  return emitError() << "expected keys to be a multiple of "
                     << HEDDLE_CACHE_BLOCK
                     << ", or a divisor of that in vectors of " << vector
                     << ", found " << keys;
}

LogicalResult AttentionTilesAttr::verify(EmitError emitError, int64_t rows,
                                         int64_t chunk, int64_t registerRows,
                                         int64_t keys, int64_t columns,
                                         int64_t vector) {
  if (failed(verifyNumbers(emitError,
                           {{"rows", rows},
                            {"chunk", chunk},
                            {"register_rows", registerRows},
                            {"keys", keys},
                            {"columns", columns}},
                           vector)) ||
      failed(verifyMultiple(emitError, {"rows", rows},
                            {"register_rows", registerRows})) ||
      failed(verifyKeys(emitError, chunk, keys, vector)) ||
      failed(verifyTile(emitError, {"register_rows", registerRows},
                        {"columns", columns})))
    return failure();
  return verifyTile(emitError, {"register_rows", registerRows}, {"keys", keys});
}

int64_t AttentionTilesAttr::getGroup() const {
  return std::max<int64_t>(getKeys() / HEDDLE_CACHE_BLOCK, 1);
}

LogicalResult RowTilesAttr::verify(EmitError emitError, int64_t task,
                                   int64_t strip, int64_t vector) {
  if (failed(
          verifyNumbers(emitError, {{"task", task}, {"strip", strip}}, vector)))
    return failure();
  return verifyMultiple(emitError, {"strip", strip}, {"vector", vector});
}

LogicalResult BlockRowsAttr::verify(EmitError emitError, int64_t threads,
                                    int64_t lanes) {
  return success(
      succeeded(verifyPower(emitError, {"threads", threads}, 1024)) &&
      succeeded(verifyPower(emitError, {"lanes", lanes}, 32)));
}

LogicalResult BlockAttentionAttr::verify(EmitError emitError, int64_t threads,
                                         int64_t rows, int64_t chunk) {
  if (failed(verifyPower(emitError, {"threads", threads}, 1024)))
    return failure();
  return verifyRange(emitError, {{"rows", rows}, {"chunk", chunk}});
}

LogicalResult BlockProductAttr::verify(EmitError emitError, int64_t rows,
                                       int64_t columns, int64_t depth,
                                       int64_t threadRows,
                                       int64_t threadColumns, int64_t vector,
                                       int64_t sum, int64_t panel) {
  constexpr int64_t most = 1024;
  for (Parameter parameter :
       {Parameter{"rows", rows}, Parameter{"columns", columns},
        Parameter{"depth", depth}, Parameter{"thread_rows", threadRows},
        Parameter{"thread_columns", threadColumns}, Parameter{"vector", vector},
        Parameter{"panel", panel}})
    if (failed(verifyPower(emitError, parameter, most)))
      return failure();
  if (failed(verifyPower(emitError, {"sum", sum}, kLargest)) ||
      failed(verifyMultiple(emitError, {"rows", rows},
                            {"thread_rows", threadRows})) ||
      failed(verifyMultiple(emitError, {"columns", columns},
                            {"thread_columns", threadColumns})) ||
      failed(verifyMultiple(emitError, {"thread_columns", threadColumns},
                            {"vector", vector})) ||
      failed(verifyMultiple(emitError, {"panel", panel}, {"vector", vector})) ||
      failed(verifyMultiple(emitError, {"sum", sum}, {"depth", depth})))
    return failure();
  constexpr int64_t mostOfThread = 256;
  if (threadRows * threadColumns > mostOfThread)
    return emitError()
           << "expected thread_rows times thread_columns of at most "
           << mostOfThread << ", found " << threadRows << " and "
           << threadColumns;
  int64_t threads = rows / threadRows * (columns / threadColumns);
  int64_t fewest = panel / vector;
  if (threads < fewest || threads > most)
    return emitError() << "expected a tile of " << fewest << " to " << most
                       << " parts, each of which is a thread's, found "
                       << threads;
  return success();
}

//===-- Where they stand --------------------------------------------------===//

static bool isConfiguration(Attribute attribute) {
  return isa<ProductTilesAttr, AttentionTilesAttr, RowTilesAttr, BlockRowsAttr,
             BlockProductAttr, BlockAttentionAttr>(attribute);
}

LogicalResult heddle::verifyConfiguration(Operation *op,
                                          NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (name == kTargetAttr && !isa<TargetAttr>(value))
    return op->emitOpError("expected ")
           << name << " to be a #heddle.target, found " << value;
  if (name == kConfigurationAttr && !isConfiguration(value))
    return op->emitOpError("expected ")
           << name << " to be a configuration of kernels, found " << value;
  return success();
}

LogicalResult ConfigureOp::verify() {
  if (isConfiguration(getConfiguration()) ||
      isa<LayoutAttr>(getConfiguration()))
    return success();
  return emitOpError("expected #heddle.product_tiles, attention_tiles, "
                     "row_tiles, block_rows, block_product or block_attention "
                     "of a kernel, or #heddle.layout of a weight, found ")
         << getConfiguration();
}

int64_t heddle::vectorOf(Attribute configuration) {
  return llvm::TypeSwitch<Attribute, int64_t>(configuration)
      .Case<ProductTilesAttr, AttentionTilesAttr, RowTilesAttr>(
          [](auto tiles) { return tiles.getVector(); })
      .Case([](BlockRowsAttr rows) { return rows.getLanes(); })
      .Case<BlockProductAttr, BlockAttentionAttr>([](auto) { return 1; });
}

bool heddle::isForDevice(ModuleOp module) {
  auto target = module->getAttrOfType<TargetAttr>(kTargetAttr);
  return target && !target.getDevice().empty();
}

int64_t heddle::threadsOf(Attribute configuration) {
  return llvm::TypeSwitch<Attribute, int64_t>(configuration)
      .Case<BlockRowsAttr, BlockProductAttr, BlockAttentionAttr>(
          [](auto blocks) { return blocks.getThreads(); });
}

AttentionTask heddle::attentionTaskOf(Attribute configuration) {
  if (auto tiles = dyn_cast<AttentionTilesAttr>(configuration))
    return {tiles.getRows(), tiles.getChunk(), tiles.getGroup()};
  auto blocks = cast<BlockAttentionAttr>(configuration);
  return {blocks.getRows(), blocks.getChunk(), /*group=*/1};
}

int64_t heddle::lanesOf(int64_t vector, int64_t bytes) {
  return vector * 4 / bytes;
}

int64_t heddle::partialLanesOf(int64_t vector, int64_t bytes) {
  return bytes < 4 ? vector : lanesOf(vector, bytes);
}

int64_t heddle::vectorDividing(int64_t extent, int64_t vector) {
  while (extent % vector)
    vector /= 2;
  return vector;
}
