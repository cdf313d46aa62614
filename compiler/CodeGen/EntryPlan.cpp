// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/EntryPlan.h"

#include "compiler/CodeGen/Bounds.h"
#include "compiler/CodeGen/Signature.h"
#include "compiler/CodeGen/ValueRules.h"
#include "compiler/CodeGen/WeightLayout.h"
#include "compiler/CodeGen/Workspace.h"
#include "compiler/Fusion/Sizes.h"
#include "compiler/Lowering/Names.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

std::optional<unsigned> EntryPlan::symbol(SizeRole role) const {
  for (auto [index, symbol] : llvm::enumerate(symbols))
    if (symbol.role == role)
      return index;
  return std::nullopt;
}

std::optional<unsigned> EntryPlan::symbol(StringRef name) const {
  for (auto [index, symbol] : llvm::enumerate(symbols))
    if (symbol.name == name)
      return index;
  return std::nullopt;
}

void SizeExpr::scale(int64_t number) {
  if (llvm::MulOverflow(factor, number, factor))
    factor = INT64_MAX;
}

SizeExpr EntryPlan::parse(SizeAttr size) const {
  SizeExpr expr;
  auto [number, factors] = factorsOf(size);
  expr.factor = number;
  for (SizeAttr factor : factors) {
    if (factor.getKind() == SizeKind::CeilDiv) {
      expr.multiplier = expr.factor;
      expr.factor = 1;
      expr.divisor = *cast<SizeAttr>(factor.getOperands()[1]).asNumber();
      factor = cast<SizeAttr>(factor.getOperands()[0]);
    }
    if (std::optional<unsigned> index =
            factor.getName() ? symbol(factor.getName()) : std::nullopt)
      expr.symbols.push_back(*index);
  }
  return expr;
}

namespace {

class EntryPlanner {
public:
  EntryPlanner(func::FuncOp function, ModuleOp module,
               const MachineModel &machine, ModelPlan &model,
               llvm::DenseMap<Operation *, unsigned> &weights)
      : function(function), kernels(module),
        pipelines(module.lookupSymbol<ModuleOp>(kPipelinesModule)),
        machine(machine), model(model), weights(weights), workspace(entry) {}

  FailureOr<EntryPlan> run() {
    if (failed(planSignature(function, kernels, entry)))
      return failure();
    for (auto [index, argument] : llvm::enumerate(entry.arguments))
      if (argument.kind == HEDDLE_ARGUMENT_OUTPUT)
        results[argument.source] = index;
    for (auto [index, launch] :
         llvm::enumerate(function.front().getOps<LaunchOp>()))
      planLaunch(index, launch);
    workspace.finish(machine.rowTile);
    if (failed(planBounds(function, kernels, entry)))
      return failure();
    return std::move(entry);
  }

private:
  //===-- Buffers ---------------------------------------------------------===//

  // A workspace buffer whose rows have the largest stride.
  BufferPlace allocate(halide::OutputOp output, SizeAttr rows, unsigned first,
                       unsigned last) {
    int64_t stride = 1, inner = output.getStaticExtents().front();
    if (!ShapedType::isDynamic(inner))
      stride = machine.rowStride(inner);
    for (int64_t value : output.getStrides().value_or(ArrayRef<int64_t>{}))
      stride = std::max(stride, value);
    return workspace.allocate(rows, stride * 4, first, last);
  }

  unsigned lastUse(Value value, unsigned fallback) {
    unsigned last = fallback;
    for (auto [index, launch] :
         llvm::enumerate(function.front().getOps<LaunchOp>()))
      if (llvm::is_contained(launch.getOperands(), value))
        last = std::max<unsigned>(last, index);
    return last;
  }

  unsigned weightOf(Operation *constant) {
    Operation *source = constant;
    if (auto reference = dyn_cast<WeightRefOp>(constant))
      source = kernels.lookup<WeightOp>(reference.getWeight());
    // Equal tables of several functions are one.
    if (isa<RotaryTableOp>(source))
      for (auto [index, weight] : llvm::enumerate(model.weights))
        if (isa<RotaryTableOp>(weight.source) &&
            weight.source->getAttrDictionary() == source->getAttrDictionary())
          return index;
    auto [known, isNew] = weights.try_emplace(source, model.weights.size());
    if (isNew) {
      PackedWeight weight{source};
      weight.size = packedSize(source, machine);
      weight.offset = model.weightsSize;
      model.weightsSize += llvm::alignTo(weight.size, HEDDLE_ALIGNMENT);
      model.weights.push_back(weight);
    }
    return known->second;
  }

  BufferPlace placeOf(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      BufferPlace place{BufferPlace::Argument};
      place.argument = argument.getArgNumber();
      return place;
    }
    Operation *producer = value.getDefiningOp();
    if (isa<WeightRefOp, RotaryTableOp>(producer)) {
      BufferPlace place{BufferPlace::Weight};
      place.offset = model.weights[weightOf(producer)].offset;
      return place;
    }
    return places.lookup(value);
  }

  // The entry point's cache that `value` is a later state of.
  unsigned cacheArgument(Value value) {
    while (auto launch = value.getDefiningOp<LaunchOp>())
      value = *llvm::find_if(launch.getOperands(), [](Value operand) {
        return isa<CacheType>(operand.getType());
      });
    return cast<BlockArgument>(value).getArgNumber();
  }

  BufferPlace cachePlace(Value value, LaunchOp launch,
                         std::optional<uint64_t> part) {
    BufferPlace place{BufferPlace::Cache};
    place.argument = cacheArgument(value);
    place.layer = launch.getLayer().value_or(0);
    place.part = part.value_or(0);
    return place;
  }

  void planLaunch(unsigned index, LaunchOp launch) {
    LaunchPlan plan;
    plan.pipeline = pipelines.lookup<halide::PipelineOp>(launch.getKernel());
    for (Operation &op : plan.pipeline.getBody().front()) {
      if (auto param = dyn_cast<halide::ParamOp>(op)) {
        plan.params.push_back(entry.parse(param.getSize()));
        if (!param->hasAttr(kFewRowsAttr))
          workspace.readInTiles(param.getSize());
      } else if (auto input = dyn_cast<halide::InputOp>(op)) {
        Value value = launch.getOperand(*input.getArgument());
        plan.buffers.push_back(isa<CacheType>(value.getType())
                                   ? cachePlace(value, launch, input.getPart())
                                   : placeOf(value));
      } else if (auto output = dyn_cast<halide::OutputOp>(op)) {
        plan.buffers.push_back(planOutput(index, launch, output));
      }
    }
    entry.launches.push_back(plan);
  }

  BufferPlace planOutput(unsigned index, LaunchOp launch,
                         halide::OutputOp output) {
    if (!output.getResult()) {
      // Scratch: its last extent is the parameter that counts its rows.
      auto rows = output.getExtents().back().getDefiningOp<halide::ParamOp>();
      return allocate(output, rows.getSize(), index, index);
    }
    Value value = launch.getResult(*output.getResult());
    if (isa<CacheType>(value.getType()))
      return cachePlace(value, launch, output.getPart());
    if (auto found = results.find(value); found != results.end()) {
      BufferPlace place{BufferPlace::Argument};
      place.argument = found->second;
      return places[value] = place;
    }
    auto type = cast<RankedTensorType>(value.getType());
    // Rows whose length is not known are dense.
    SizeAttr rows = type.isDynamicDim(type.getRank() - 1)
                        ? product(type.getContext(), sizesOf(type))
                        : rowsOf(type);
    return places[value] = allocate(output, rows, index, lastUse(value, index));
  }

  func::FuncOp function;
  SymbolTable kernels, pipelines;
  const MachineModel &machine;
  ModelPlan &model;
  llvm::DenseMap<Operation *, unsigned> &weights;
  EntryPlan entry;
  WorkspacePlanner workspace;
  llvm::DenseMap<Value, BufferPlace> places;
  llvm::DenseMap<Value, unsigned> results;
};

} // namespace

FailureOr<ModelPlan> heddle::planModel(ModuleOp module,
                                       const MachineModel &machine) {
  ModelPlan model;
  llvm::DenseMap<Operation *, unsigned> weights;
  for (auto kernel : module.getOps<KernelOp>())
    if (failed(checkComputedIndices(kernel)))
      return failure();
  for (auto function : module.getOps<func::FuncOp>()) {
    FailureOr<EntryPlan> entry =
        EntryPlanner(function, module, machine, model, weights).run();
    if (failed(entry))
      return failure();
    model.entries.push_back(std::move(*entry));
  }
  return model;
}
