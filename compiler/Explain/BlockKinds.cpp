// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Explain/BlockKinds.h"

#include "compiler/Lowering/AttentionFuncs.h"

using namespace mlir;
using namespace heddle;

static constexpr int64_t kBlock = AttentionSizes::kBlock;

//===-- What the kernel does ----------------------------------------------===//

// Without a mask there are no funcs to ask: of the last block alone, keys may
// be missing.
static BlockKind kindWithoutMask(const AttentionSizes &sizes, int64_t block) {
  return (block + 1) * kBlock <= sizes.keys ? BlockKind::Full
                                            : BlockKind::Partial;
}

namespace {
/// What one task does: of the blocks that are its split's.
class TaskKinds {
public:
  TaskKinds(PipelineEvaluator &pipeline, const AttentionSizes &sizes,
            int64_t task, int64_t split)
      : pipeline(pipeline), sizes(sizes) {
    pipeline.setTask(task * sizes.splits + split);
    // From where blocks are counted changes none of them.
    auto begin = pipeline.evaluate(attention::kBeginKey, {});
    if (!begin)
      pipeline.assume(attention::kBeginKey, 0);
    first = begin.value_or(0) / kBlock;
    while (first % sizes.splits != split)
      ++first;
  }

  BlockKind of(int64_t block) const {
    if (block < first)
      return BlockKind::Skipped;
    int64_t place = (block - first) / sizes.splits;
    std::optional<int64_t> kind =
        pipeline.evaluate(attention::kBlockKind, {place % sizes.chunkBlocks,
                                                  place / sizes.chunkBlocks});
    return kind ? BlockKind(*kind) : BlockKind::Asked;
  }

private:
  PipelineEvaluator &pipeline;
  const AttentionSizes &sizes;
  int64_t first; ///< that may be kept: chunks are counted from it
};
} // namespace

BlockMap heddle::findKinds(PipelineEvaluator &pipeline,
                           const AttentionSizes &sizes, int64_t sequence,
                           int64_t head) {
  BlockMap map{sizes.tiles(), sizes.blocks(), {}};
  map.kinds.resize(map.tiles * map.blocks);
  bool hasMask = pipeline.has(attention::kBlockKind);
  for (int64_t tile = 0; tile < map.tiles; ++tile) {
    BlockKind *kinds = &map.kinds[tile * map.blocks];
    int64_t task = (sequence * sizes.kvHeads + head) * map.tiles + tile;
    for (int64_t split = 0; split < sizes.splits; ++split) {
      std::optional<TaskKinds> known;
      if (hasMask)
        known.emplace(pipeline, sizes, task, split);
      for (int64_t block = split; block < map.blocks; block += sizes.splits)
        kinds[block] = known ? known->of(block) : kindWithoutMask(sizes, block);
    }
  }
  return map;
}

//===-- What the mask keeps -----------------------------------------------===//

static llvm::Error disagree(BlockKind kind, int64_t query, int64_t head,
                            int64_t block, int64_t kept) {
  return llvm::createStringError(
      "--explain-masks: internal error: of block %lld the kernel %s for query "
      "%lld of head %lld, whose mask keeps %lld keys there",
      static_cast<long long>(block),
      kind == BlockKind::Full ? "keeps all" : "keeps none",
      static_cast<long long>(query), static_cast<long long>(head),
      static_cast<long long>(kept));
}

llvm::Expected<int64_t> heddle::countKept(const BlockMap &map,
                                          const reference::Mask *mask,
                                          const AttentionSizes &sizes,
                                          int64_t sequence, int64_t head) {
  int64_t sum = 0;
  llvm::BitVector keys(sizes.keys, true);
  for (int64_t row = 0; row < sizes.rows(); ++row) {
    int64_t query = row / sizes.group();
    int64_t queryHead = head * sizes.group() + row % sizes.group();
    if (mask)
      keys =
          mask->keeps({sequence, queryHead, query, sizes.queries, sizes.keys});
    for (int64_t block = 0; block < map.blocks; ++block) {
      int64_t kept = 0;
      int64_t end = std::min((block + 1) * kBlock, sizes.keys);
      for (int64_t key = block * kBlock; key < end; ++key)
        kept += keys[key];
      BlockKind kind = map.at(row / sizes.rowTile, block);
      bool isWrong = (kind == BlockKind::Full && kept != kBlock) ||
                     (kind == BlockKind::Skipped && kept != 0);
      if (isWrong)
        return disagree(kind, query, queryHead, block, kept);
      sum += kept;
    }
  }
  return sum;
}

//===-- As text -----------------------------------------------------------===//

static char characterOf(BlockKind kind) {
  switch (kind) {
  case BlockKind::Skipped:
    return '.';
  case BlockKind::Partial:
    return '+';
  case BlockKind::Full:
    return '#';
  case BlockKind::Asked:
    return '?';
  }
  llvm_unreachable("all kinds are covered");
}

std::string heddle::draw(const BlockMap &map) {
  constexpr int64_t mostColumns = 100, mostLines = 60;
  int64_t height = (map.tiles + mostLines - 1) / mostLines;
  int64_t width = (map.blocks + mostColumns - 1) / mostColumns;
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (height > 1 || width > 1)
    stream << "    each character stands for " << height << " x " << width
           << " of them: '+' also where they differ, '?' where any is\n";
  for (int64_t tile = 0; tile < map.tiles; tile += height) {
    stream << "    ";
    for (int64_t block = 0; block < map.blocks; block += width) {
      BlockKind first = map.at(tile, block);
      char character = characterOf(first);
      int64_t lastTile = std::min(tile + height, map.tiles);
      int64_t lastBlock = std::min(block + width, map.blocks);
      for (int64_t t = tile; t < lastTile; ++t)
        for (int64_t b = block; b < lastBlock; ++b) {
          BlockKind kind = map.at(t, b);
          if (kind == BlockKind::Asked)
            character = '?';
          else if (kind != first && character != '?')
            character = '+';
        }
      stream << character;
    }
    stream << '\n';
  }
  return text;
}
