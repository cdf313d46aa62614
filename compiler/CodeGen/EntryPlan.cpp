// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/EntryPlan.h"

#include "compiler/CodeGen/WeightLayout.h"
#include "compiler/Fusion/Sizes.h"
#include "compiler/Lowering/Passes.h"

using namespace mlir;
using namespace heddle;

std::optional<unsigned> EntryPlan::symbol(StringRef name) const {
  for (auto [index, symbol] : llvm::enumerate(symbols))
    if (symbol.name == name)
      return index;
  return std::nullopt;
}

SizeExpr EntryPlan::parse(StringRef size) const {
  SizeExpr expr;
  auto [product, divisor] = size.split('/');
  if (!divisor.empty())
    divisor.getAsInteger(10, expr.divisor);
  SmallVector<StringRef> factors;
  product.split(factors, '*');
  for (StringRef factor : factors) {
    int64_t number;
    if (!factor.getAsInteger(10, number))
      expr.factor *= number;
    else if (std::optional<unsigned> index = symbol(factor))
      expr.symbols.push_back(*index);
  }
  return expr;
}

namespace {

/// Parts of an arena that are reused once what they held is dead.
class SlotAllocator {
public:
  // Takes a slot from launch `first` to launch `last`; returns its index.
  unsigned allocate(int64_t bytesPerRow, unsigned first, unsigned last) {
    // The free slot that has to grow least, or wastes least.
    std::optional<unsigned> best;
    auto cost = [&](unsigned slot) {
      int64_t growth = std::max<int64_t>(bytesPerRow - slots[slot].bytes, 0);
      int64_t waste = std::max<int64_t>(slots[slot].bytes - bytesPerRow, 0);
      return std::pair(growth, waste);
    };
    for (unsigned slot = 0; slot < slots.size(); ++slot)
      if (slots[slot].lastUse < int64_t(first) &&
          (!best || cost(slot) < cost(*best)))
        best = slot;
    if (!best) {
      slots.push_back({0, 0});
      best = slots.size() - 1;
    }
    slots[*best].bytes = std::max(slots[*best].bytes, bytesPerRow);
    slots[*best].lastUse = last;
    return *best;
  }

  // Byte offsets per row of all slots, and their total.
  SmallVector<int64_t> offsets() const {
    SmallVector<int64_t> result{0};
    for (const Slot &slot : slots)
      result.push_back(result.back() + slot.bytes);
    return result;
  }

private:
  struct Slot {
    int64_t bytes;
    int64_t lastUse;
  };
  SmallVector<Slot> slots;
};

class EntryPlanner {
public:
  EntryPlanner(func::FuncOp function, ModuleOp module,
               const MachineModel &machine, ModelPlan &model,
               llvm::DenseMap<Operation *, unsigned> &weights)
      : function(function), module(module), kernels(module),
        pipelines(module.lookupSymbol<ModuleOp>(kPipelinesModule)),
        machine(machine), model(model), weights(weights) {}

  FailureOr<EntryPlan> run() {
    entry.name = function.getName().str();
    for (BlockArgument argument : function.getArguments())
      planArgument(argument);
    planOutputs();
    for (auto [index, launch] :
         llvm::enumerate(function.front().getOps<LaunchOp>()))
      planLaunch(index, launch);
    for (auto [index, arena] : llvm::enumerate(entry.arenas))
      arena.bytesPerUnit = allocators[index].offsets().back();
    // Slots have their offsets only now that all sizes are known.
    for (LaunchPlan &launch : entry.launches)
      for (BufferPlace &place : launch.buffers)
        if (place.kind == BufferPlace::Workspace)
          place.offset = allocators[place.arena].offsets()[place.offset];
    return std::move(entry);
  }

private:
  //===-- Arguments and symbols -------------------------------------------===//

  int64_t moduleInteger(StringRef name, int64_t fallback) {
    auto attribute = module->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : fallback;
  }

  unsigned symbolOf(StringRef name) {
    if (std::optional<unsigned> known = entry.symbol(name))
      return *known;
    // Row counts, extents and strides are 32-bit in kernels: tokens of all
    // sequences times heads (of which no model has more than 256), and a
    // cache's elements of one sequence, have to fit.
    int64_t positions = moduleInteger("heddle.positions", 1 << 16);
    int64_t maximum = positions;
    if (name == "batch")
      maximum = std::clamp<int64_t>(INT32_MAX / (positions * 256), 1, 1024);
    if (name == "capacity")
      for (Type type : function.getArgumentTypes())
        if (auto cache = dyn_cast<CacheType>(type))
          maximum = std::min(
              maximum, INT32_MAX / (cache.getKvHeads() * cache.getHeadDim()) /
                           HEDDLE_CACHE_BLOCK * HEDDLE_CACHE_BLOCK);
    entry.symbols.push_back({name.str(), 1, maximum});
    return entry.symbols.size() - 1;
  }

  SmallVector<int64_t> extentsOf(RankedTensorType type, ArrayAttr names) {
    SmallVector<int64_t> extents;
    unsigned nextName = 0;
    for (int64_t extent : type.getShape())
      extents.push_back(
          ShapedType::isDynamic(extent)
              ? -1 - (int64_t)symbolOf(
                         cast<StringAttr>(names[nextName++]).getValue())
              : extent);
    return extents;
  }

  static std::string nameOf(DictionaryAttr attributes, StringRef fallback,
                            unsigned index) {
    if (attributes)
      if (auto name = attributes.getAs<StringAttr>("heddle.name"))
        return name.getValue().str();
    return (fallback + Twine(index)).str();
  }

  void planArgument(BlockArgument argument) {
    unsigned index = argument.getArgNumber();
    auto names = function.getArgAttrOfType<ArrayAttr>(index, kSizesAttr);
    ArgumentPlan plan;
    plan.name = nameOf(function.getArgAttrDict(index), "argument", index);
    if (auto cache = dyn_cast<CacheType>(argument.getType())) {
      plan.kind = HEDDLE_ARGUMENT_CACHE;
      plan.type = HEDDLE_TYPE_F32;
      plan.cache = cache;
      for (StringRef name : names.getAsValueRange<StringAttr>())
        plan.extents.push_back(-1 - (int64_t)symbolOf(name));
      plan.extents.push_back(cache.getBytesPerPosition());
    } else {
      auto type = cast<RankedTensorType>(argument.getType());
      plan.kind = HEDDLE_ARGUMENT_INPUT;
      plan.type = type.getElementType().isInteger(32) ? HEDDLE_TYPE_I32
                                                      : HEDDLE_TYPE_F32;
      plan.extents = extentsOf(type, names);
      planRule(plan);
    }
    entry.arguments.push_back(plan);
  }

  // What token ids, lengths and starts must satisfy.
  void planRule(ArgumentPlan &plan) {
    if (plan.type != HEDDLE_TYPE_I32)
      return;
    if (plan.name == "ids") {
      plan.rule = HEDDLE_RULE_BELOW_LIMIT;
      plan.limit = moduleInteger("heddle.vocabulary", INT32_MAX);
    } else if (plan.name == "lengths") {
      plan.rule = HEDDLE_RULE_LENGTH;
      // Where every call has one token, `limit` is that number, negated.
      std::optional<unsigned> length = entry.symbol("length");
      plan.limit = length ? int64_t(*length) : -1;
    } else if (plan.name == "starts") {
      plan.rule = HEDDLE_RULE_START;
    }
  }

  void planOutputs() {
    auto terminator = cast<func::ReturnOp>(function.front().getTerminator());
    for (OpOperand &operand : terminator->getOpOperands()) {
      unsigned index = operand.getOperandNumber();
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type)
        continue; // A cache is the argument that it came from.
      ArgumentPlan plan;
      plan.name = nameOf(function.getResultAttrDict(index), "result", index);
      plan.kind = HEDDLE_ARGUMENT_OUTPUT;
      plan.type = HEDDLE_TYPE_F32;
      plan.extents = extentsOf(type, sizesOf(operand.get()));
      results[operand.get()] = entry.arguments.size();
      entry.arguments.push_back(plan);
    }
  }

  // Names of the dynamic dimensions of a launch's result, as its kernel has
  // them.
  ArrayAttr sizesOf(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                  kSizesAttr);
    auto result = cast<OpResult>(value);
    auto launch = cast<LaunchOp>(result.getOwner());
    auto kernel = kernels.lookup<KernelOp>(launch.getKernel());
    return kernel.getResultAttrOfType<ArrayAttr>(result.getResultNumber(),
                                                 kSizesAttr);
  }

  //===-- Buffers ---------------------------------------------------------===//

  unsigned arenaOf(StringRef rows) {
    for (auto [index, arena] : llvm::enumerate(entry.arenas))
      if (arena.rows == rows)
        return index;
    // Tiles of many rows read (never write) past the last row.
    int64_t multiple = rows.contains("length") ? machine.rowTile : 1;
    entry.arenas.push_back({rows.str(), entry.parse(rows), multiple});
    allocators.emplace_back();
    return entry.arenas.size() - 1;
  }

  // A workspace buffer of an output whose rows have its last dimension's
  // stride.
  BufferPlace allocate(halide::OutputOp output, StringRef rows, unsigned first,
                       unsigned last) {
    BufferPlace place{BufferPlace::Workspace};
    place.arena = arenaOf(rows);
    int64_t stride = 1;
    for (int64_t value : output.getStrides().value_or(ArrayRef<int64_t>{}))
      stride = std::max(stride, value);
    place.offset = allocators[place.arena].allocate(stride * 4, first, last);
    return place;
  }

  unsigned lastUse(Value value, unsigned fallback) {
    unsigned last = fallback;
    for (auto [index, launch] :
         llvm::enumerate(function.front().getOps<LaunchOp>()))
      if (llvm::is_contained(launch.getOperands(), value))
        last = std::max<unsigned>(last, index);
    return last;
  }

  // Rows of a scratch output: its last extent is the parameter that counts
  // them.
  static StringRef rowsOfScratch(halide::OutputOp output) {
    return output.getExtents()
        .back()
        .getDefiningOp<halide::ParamOp>()
        .getSize();
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
    auto kernel = kernels.lookup<KernelOp>(launch.getKernel());
    for (Operation &op : plan.pipeline.getBody().front()) {
      if (auto param = dyn_cast<halide::ParamOp>(op)) {
        plan.params.push_back(entry.parse(param.getSize()));
      } else if (auto input = dyn_cast<halide::InputOp>(op)) {
        Value value = launch.getOperand(*input.getArgument());
        plan.buffers.push_back(isa<CacheType>(value.getType())
                                   ? cachePlace(value, launch, input.getPart())
                                   : placeOf(value));
      } else if (auto output = dyn_cast<halide::OutputOp>(op)) {
        plan.buffers.push_back(planOutput(index, launch, kernel, output));
      }
    }
    entry.launches.push_back(plan);
  }

  BufferPlace planOutput(unsigned index, LaunchOp launch, KernelOp kernel,
                         halide::OutputOp output) {
    if (!output.getResult())
      return allocate(output, rowsOfScratch(output), index, index);
    Value value = launch.getResult(*output.getResult());
    if (isa<CacheType>(value.getType()))
      return cachePlace(value, launch, output.getPart());
    if (auto found = results.find(value); found != results.end()) {
      BufferPlace place{BufferPlace::Argument};
      place.argument = found->second;
      return places[value] = place;
    }
    std::string rows =
        rowsOf(cast<RankedTensorType>(value.getType()), sizesOf(value));
    return places[value] = allocate(output, rows, index, lastUse(value, index));
  }

  func::FuncOp function;
  ModuleOp module;
  SymbolTable kernels, pipelines;
  const MachineModel &machine;
  ModelPlan &model;
  llvm::DenseMap<Operation *, unsigned> &weights;
  EntryPlan entry;
  SmallVector<SlotAllocator> allocators;
  llvm::DenseMap<Value, BufferPlace> places;
  llvm::DenseMap<Value, unsigned> results;
};

} // namespace

FailureOr<ModelPlan> heddle::planModel(ModuleOp module,
                                       const MachineModel &machine) {
  ModelPlan model;
  llvm::DenseMap<Operation *, unsigned> weights;
  for (auto function : module.getOps<func::FuncOp>()) {
    FailureOr<EntryPlan> entry =
        EntryPlanner(function, module, machine, model, weights).run();
    if (failed(entry))
      return failure();
    model.entries.push_back(std::move(*entry));
  }
  return model;
}
