// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Explain/ExplainMasks.h"

#include "compiler/Explain/BlockKinds.h"
#include "compiler/Explain/CallInputs.h"
#include "compiler/Explain/MaskText.h"
#include "compiler/Lowering/Names.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace heddle;

namespace {

/// Launches of a kernel whose masks read the same values.
struct ExplainedLaunch {
  LaunchOp launch;
  AttentionOp attention;
  int64_t count = 0;
};

/// What the masks of an attention depend on.
struct MaskSpace {
  bool batch = false, heads = false;
};

/// A drawing, and the heads of keys that have it.
struct Drawing {
  BlockMap map;
  SmallVector<std::pair<int64_t, int64_t>> places; ///< sequence, head
};

class EntryExplanation {
public:
  EntryExplanation(ModuleOp module, func::FuncOp function,
                   reference::Evaluator &evaluator)
      : module(module), entry(planEntry(function)), function(function),
        evaluator(evaluator) {}

  llvm::Error run(const ExplainedCall &call, llvm::raw_ostream &stream);

private:
  void findLaunches();
  llvm::Error explain(const ExplainedLaunch &launch);
  std::optional<AttentionSizes> sizesOfAttention(const ExplainedLaunch &launch);
  llvm::Error explainBlocks(const ExplainedLaunch &launch,
                            const AttentionSizes &sizes);
  void describeSizes(const AttentionSizes &sizes);
  void describeDrawings(ArrayRef<Drawing> drawings, const MaskSpace &space,
                        const AttentionSizes &sizes);

  ModuleOp module;
  EntryPlan entry;
  func::FuncOp function;
  reference::Evaluator &evaluator;
  std::optional<CallInputs> inputs;
  SmallVector<ExplainedLaunch> launches;
  llvm::raw_ostream *out = nullptr;
};

} // namespace

//===-- Launches ----------------------------------------------------------===//

// What a launch hands to the arguments that the kernel's mask is computed from.
static SmallVector<mlir::Value> valuesOfMask(LaunchOp launch,
                                             AttentionOp attention) {
  llvm::SetVector<mlir::Value> values;
  if (attention.getMask())
    values.insert(attention.getMask());
  SmallVector<mlir::Value> read;
  for (size_t index = 0; index < values.size(); ++index) {
    mlir::Value value = values[index];
    if (auto argument = dyn_cast<BlockArgument>(value))
      read.push_back(launch.getArguments()[argument.getArgNumber()]);
    else
      values.insert_range(value.getDefiningOp()->getOperands());
  }
  return read;
}

// Layers that differ in what their masks read are told apart.
void EntryExplanation::findLaunches() {
  function.walk([&](LaunchOp launch) {
    auto kernel = module.lookupSymbol<KernelOp>(launch.getKernel());
    auto attentions = kernel.getBody().getOps<AttentionOp>();
    if (attentions.empty())
      return;
    AttentionOp attention = *attentions.begin();
    auto read = valuesOfMask(launch, attention);
    auto same = llvm::find_if(launches, [&](const ExplainedLaunch &other) {
      return other.attention == attention &&
             valuesOfMask(other.launch, attention) == read;
    });
    if (same == launches.end()) {
      launches.push_back({launch, attention, 0});
      same = std::prev(launches.end());
    }
    ++same->count;
  });
}

static MaskSpace spaceOf(AttentionOp attention) {
  MaskSpace space;
  if (!attention.getMask())
    return space;
  walkMasks(attention.getMask(), [&](Operation *op) {
    if (auto dense = dyn_cast<DenseMaskOp>(op)) {
      SizeAttr one = SizeAttr::number(op->getContext(), 1);
      Sizes sizes = sizesOf(dense.getMask());
      auto has = [&](ScoreDim dim) {
        std::optional<unsigned> found = dense.findDim(dim);
        return found && sizes[*found] != one;
      };
      space.batch |= has(ScoreDim::Batch);
      space.heads |= has(ScoreDim::Head);
      return;
    }
    // Others read one number, or several, of each sequence, if any.
    space.batch |= op->getNumOperands() > 0;
  });
  return space;
}

//===-- One attention -----------------------------------------------------===//

std::optional<AttentionSizes>
EntryExplanation::sizesOfAttention(const ExplainedLaunch &explained) {
  AttentionOp attention = explained.attention;
  auto kernel = attention->getParentOfType<KernelOp>();
  AttentionTask task = attentionTaskOf(kernel->getAttr(kConfigurationAttr));
  SmallVector<int64_t> values;
  for (SizeAttr size : attention.getScoreSpace()) {
    std::optional<int64_t> value = inputs->values().evaluate(size);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return AttentionSizes{values[0],
                        values[1],
                        values[2],
                        values[3],
                        int64_t(attention.getKvHeads()),
                        task.rows,
                        task.chunk,
                        attention.getSplitCount()};
}

void EntryExplanation::describeSizes(const AttentionSizes &sizes) {
  *out << "  heads " << sizes.heads;
  if (sizes.group() > 1)
    *out << ", of which " << sizes.group() << " read the same keys";
  *out << "; batch " << sizes.batch << ", queries " << sizes.queries
       << ", keys " << sizes.keys << "\n  a tile is " << sizes.rowTile
       << " rows, ";
  if (sizes.group() > 1)
    *out << sizes.group() << " for each query";
  else
    *out << "one for each query";
  *out << "; a block is " << AttentionSizes::kBlock << " keys\n";
}

llvm::Error EntryExplanation::explain(const ExplainedLaunch &explained) {
  AttentionOp attention = explained.attention;
  LaunchOp launch = explained.launch;
  *out << entry.name << ": kernel @" << launch.getKernel();
  if (explained.count > 1)
    *out << ", " << explained.count << " times";
  *out << "\n  mask: ";
  if (attention.getMask())
    *out << describeMask(attention.getMask(), [&](mlir::Value value) {
      return inputs->nameOf(launch, value);
    });
  else
    *out << "none";
  *out << '\n';
  std::optional<AttentionSizes> sizes = sizesOfAttention(explained);
  if (!sizes) {
    *out << "  sizes: known at run time only\n\n";
    return llvm::Error::success();
  }
  describeSizes(*sizes);
  std::string described = inputs->describe(launch, attention);
  if (!described.empty())
    *out << "  inputs: " << described << '\n';
  if (attention.hasTerm() || attention.hasScore())
    *out << "  scores change: full blocks in which a score becomes -inf are "
            "computed as partial ones\n";
  if (llvm::Error error = explainBlocks(explained, *sizes))
    return error;
  *out << '\n';
  return llvm::Error::success();
}

// An upper bound of how long this takes: some seconds.
static llvm::Error checkWork(const AttentionSizes &sizes, double maps) {
  constexpr double most = 1 << 22;
  double found = maps * double(sizes.tiles()) * double(sizes.blocks());
  if (found <= most)
    return llvm::Error::success();
  return llvm::createStringError(
      "--explain-masks: %lld queries and %lld keys have %.0f pairs of a tile "
      "and a block, expected at most %.0f; give smaller ones with --size",
      static_cast<long long>(sizes.queries), static_cast<long long>(sizes.keys),
      found, most);
}

llvm::Error EntryExplanation::explainBlocks(const ExplainedLaunch &explained,
                                            const AttentionSizes &sizes) {
  AttentionOp attention = explained.attention;
  LaunchOp launch = explained.launch;
  MaskSpace space = spaceOf(attention);
  int64_t sequences = space.batch ? sizes.batch : 1;
  int64_t heads = space.heads ? sizes.kvHeads : 1;
  if (llvm::Error error = checkWork(sizes, double(sequences) * heads))
    return error;

  auto pipelines = module.lookupSymbol<ModuleOp>(kPipelinesModule);
  auto kernel = attention->getParentOfType<KernelOp>();
  llvm::DenseMap<unsigned, std::shared_ptr<const reference::Tensor>> tensors;
  KnownValues &values = inputs->values();
  PipelineEvaluator pipeline(
      pipelines.lookupSymbol<halide::PipelineOp>(launch.getKernel()),
      [&](SizeAttr size) { return values.evaluate(size); },
      [&](unsigned index) {
        auto [found, isNew] = tensors.try_emplace(index);
        if (isNew)
          if (auto known = values.of(launch, kernel.getArgument(index)))
            found->second = known->tensor();
        return found->second;
      });
  KnownValues::Known mask;
  if (attention.getMask())
    mask = values.of(launch, attention.getMask());
  bool isKnown = mask || !attention.getMask();

  SmallVector<Drawing> drawings;
  int64_t counts[4] = {}, kept = 0;
  for (int64_t sequence = 0; sequence < sequences; ++sequence)
    for (int64_t head = 0; head < heads; ++head) {
      BlockMap map = findKinds(pipeline, sizes, sequence, head);
      for (BlockKind kind : {BlockKind::Skipped, BlockKind::Partial,
                             BlockKind::Full, BlockKind::Asked})
        counts[size_t(kind)] += map.count(kind);
      if (isKnown) {
        auto found = countKept(map, mask ? &mask->mask() : nullptr, sizes,
                               sequence, head);
        if (!found)
          return found.takeError();
        kept += *found;
      }
      auto same = llvm::find_if(
          drawings, [&](const Drawing &other) { return other.map == map; });
      if (same == drawings.end()) {
        drawings.push_back({std::move(map), {}});
        same = std::prev(drawings.end());
      }
      same->places.emplace_back(sequence, head);
    }

  int64_t copies = sizes.batch / sequences * (sizes.kvHeads / heads);
  for (int64_t &count : counts)
    count *= copies;
  kept *= copies;
  auto [skipped, partial, full, asked] = counts;
  *out << "  blocks of all tiles: " << skipped + partial + full + asked << " = "
       << skipped << " skipped + " << partial << " partial + " << full
       << " full";
  if (asked)
    *out << " + " << asked << " asked at run time";
  *out << '\n';
  double computed = double(partial + full) * double(sizes.rowTile) *
                    double(AttentionSizes::kBlock);
  if (isKnown && !asked && computed > 0)
    *out << "  kept: " << llvm::format("%.1f%%", 100 * double(kept) / computed)
         << " of the scores that are computed, " << kept << " of "
         << llvm::format("%.0f", computed) << '\n';
  describeDrawings(drawings, space, sizes);
  return llvm::Error::success();
}

void EntryExplanation::describeDrawings(ArrayRef<Drawing> drawings,
                                        const MaskSpace &space,
                                        const AttentionSizes &sizes) {
  constexpr size_t most = 4;
  for (const Drawing &drawing : drawings.take_front(most)) {
    auto [sequence, head] = drawing.places.front();
    SmallVector<std::string> where;
    if (space.batch && sizes.batch > 1)
      where.push_back("sequence " + std::to_string(sequence));
    if (space.heads && sizes.kvHeads > 1) {
      int64_t first = head * sizes.group(), last = first + sizes.group() - 1;
      where.push_back(first == last ? "head " + std::to_string(first)
                                    : "heads " + std::to_string(first) +
                                          " to " + std::to_string(last));
    }
    if (!where.empty()) {
      *out << "  " << llvm::join(where, ", ");
      if (size_t others = drawing.places.size() - 1)
        *out << ", and " << others << " more alike";
      *out << ":\n";
    }
    *out << draw(drawing.map);
  }
  if (drawings.size() > most)
    *out << "  and " << drawings.size() - most << " more drawings\n";
}

//===-- A module ----------------------------------------------------------===//

llvm::Error EntryExplanation::run(const ExplainedCall &call,
                                  llvm::raw_ostream &stream) {
  out = &stream;
  findLaunches();
  if (launches.empty())
    return llvm::Error::success();
  auto created = CallInputs::create(module, function, entry, evaluator, call);
  if (!created)
    return created.takeError();
  inputs.emplace(std::move(*created));
  for (const ExplainedLaunch &launch : launches)
    if (llvm::Error error = inputs->assume(launch.launch, launch.attention))
      return error;
  for (const ExplainedLaunch &launch : launches)
    if (llvm::Error error = explain(launch))
      return error;
  return llvm::Error::success();
}

llvm::Expected<std::string> heddle::explainMasks(ModuleOp module,
                                                 const TensorSource *tensors,
                                                 const ExplainedCall &call) {
  reference::Evaluator evaluator(module, tensors);
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!call.entry.empty() && function.getName() != call.entry)
      continue;
    if (llvm::Error error =
            EntryExplanation(module, function, evaluator).run(call, stream))
      return error;
  }
  if (text.empty())
    return "no heddle.attention\n";
  text.pop_back();
  return "'.' skipped, '+' partial, '#' full, '?' asked at run time; a line is "
         "a tile of queries, a character a block of keys\n\n" +
         text;
}
