// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddlec/ImportReport.h"

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

// The name of a node, or of a tensor.
static StringRef nameOf(Location loc) {
  auto name = dyn_cast<NameLoc>(loc);
  return name ? name.getName().getValue() : "a node without a name";
}

ImportReport::ImportReport(const ImportedModel &model) : nodes(*model.nodes) {
  for (auto function : model.module.get().getOps<func::FuncOp>())
    function.walk([&](Operation *op) {
      ops += !op->hasTrait<OpTrait::IsTerminator>() && op != function;
      if (isa<AttentionOp>(op))
        stated.push_back(nameOf(op->getLoc()).str());
    });
}

void ImportReport::addRemark(const Diagnostic &remark) {
  std::string text = remark.str();
  std::string line = nameOf(remark.getLocation()).str() + ": " + text;
  bool isObstacle = StringRef(text).starts_with("attention ") ||
                    StringRef(text).contains(" is no attention: ");
  // Phases of a decoder have the same.
  if (isObstacle && !llvm::is_contained(refused, line))
    refused.push_back(line);
}

void ImportReport::setTextEntries(ModuleOp module,
                                  const std::optional<std::string> &obstacle) {
  if (obstacle)
    entries = "no decoder of a cache: " + *obstacle + "\n";
  else if (module.lookupSymbol("forward"))
    entries = "decoder: prefill and decode read and fill a cache\n";
  else if (module.lookupSymbol("encode"))
    entries = "encoder: encode takes lengths in place of a mask\n";
}

// "Add 3, MatMul 2", the most frequent first.
static std::string say(const llvm::StringMap<int64_t> &counts) {
  std::vector<std::pair<int64_t, StringRef>> all;
  for (const auto &entry : counts)
    all.emplace_back(-entry.second, entry.first());
  llvm::sort(all);
  return llvm::join(
      llvm::map_range(
          all,
          [](auto &entry) {
            return (entry.second + " " + llvm::Twine(-entry.first)).str();
          }),
      ", ");
}

// The nodes of attention in @run.
static std::vector<std::string> attentionOf(ModuleOp module) {
  std::vector<std::string> places;
  module.lookupSymbol<func::FuncOp>("run").walk([&](LaunchOp launch) {
    auto kernel = module.lookupSymbol<KernelOp>(launch.getKernel());
    kernel.walk(
        [&](AttentionOp op) { places.push_back(nameOf(op.getLoc()).str()); });
  });
  return places;
}

// Ops that compute weights of others, when these are packed.
static llvm::StringMap<int64_t> foldedOps(ModuleOp module) {
  llvm::StringMap<int64_t> counts;
  for (auto weight : module.getOps<WeightOp>())
    weight.getBody().walk([&](Operation *op) {
      if (!isa<WeightRefOp, YieldOp>(op))
        ++counts[op->getName().stripDialect()];
    });
  return counts;
}

// The nodes that the ops of a kernel come from, in its first place.
static std::string nodesOf(KernelOp kernel) {
  llvm::SetVector<StringRef> names;
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (isa<NameLoc>(op.getLoc()) && !isa<WeightRefOp>(op))
      names.insert(nameOf(op.getLoc()));
  return llvm::join(names, ", ");
}

std::string ImportReport::write(ModuleOp module, StringRef path) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  int64_t count = 0;
  for (const auto &entry : nodes.operators)
    count += entry.second;
  stream << path << ": " << count << " nodes became " << ops << " ops\n  "
         << say(nodes.operators) << "\n  " << nodes.known
         << " give sizes and constants that are known, for which there is no "
            "op\n";

  std::vector<std::string> found = attentionOf(module);
  stream << "attention: " << found.size() << "\n";
  llvm::erase_if(found, [&](const std::string &place) {
    return llvm::is_contained(stated, place);
  });
  auto list = [&](StringRef what, const std::vector<std::string> &places) {
    if (!places.empty())
      stream << "  " << what << ": " << places.size() << " ("
             << llvm::join(places, ", ") << ")\n";
  };
  list("as an operator of its own", stated);
  list("found as products and a softmax", found);
  for (const std::string &place : refused)
    stream << "  none at " << place << "\n";

  stream << entries;
  llvm::StringMap<int64_t> folded = foldedOps(module);
  stream << "computed when weights are packed: "
         << (folded.empty() ? "nothing" : say(folded)) << "\n";

  llvm::StringMap<int64_t> launches;
  int64_t allLaunches = 0;
  module.walk([&](LaunchOp launch) {
    ++launches[launch.getKernel()];
    ++allLaunches;
  });
  auto kernels = llvm::to_vector(module.getOps<KernelOp>());
  stream << "kernels: " << kernels.size() << ", launched in " << allLaunches
         << " places\n";
  for (KernelOp kernel : kernels)
    stream << "  " << kernel.getName() << ", "
           << launches.lookup(kernel.getName()) << ": " << nodesOf(kernel)
           << "\n";
  return text;
}
