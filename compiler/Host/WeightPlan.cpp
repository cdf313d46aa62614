// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Host/WeightPlan.h"

#include "dialect/Heddle/StoredWeights.h"
#include "runtime/heddle_abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

// What tells tables apart.
static Attribute keyOfTable(Operation *table) {
  MLIRContext *context = table->getContext();
  return ArrayAttr::get(
      context, {StringAttr::get(context, table->getName().getStringRef()),
                table->getAttrDictionary(),
                TypeAttr::get(table->getResult(0).getType())});
}

WeightPlan WeightPlan::of(ModuleOp module) {
  WeightPlan plan;
  SymbolTable symbols(module);
  // Equal tables of several functions are one, too.
  llvm::DenseMap<std::pair<Attribute, Attribute>, unsigned> known;
  auto add = [&](Operation *constant, Operation *source, Attribute key,
                 ArrayRef<int64_t> first, LayoutAttr layout) {
    unsigned next = plan.packed.size();
    unsigned index = known.try_emplace({key, layout}, next).first->second;
    plan.indices[constant] = index;
    if (index != next)
      return;
    auto type = cast<RankedTensorType>(constant->getResult(0).getType());
    PackedWeight weight{source,
                        type,
                        SmallVector<int64_t>(first),
                        plan.bytes,
                        StoredWeight(type, layout).bytes(),
                        layout};
    plan.bytes += llvm::alignTo(weight.size, HEDDLE_ALIGNMENT);
    plan.packed.push_back(weight);
  };
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](Operation *op) {
      if (auto reference = dyn_cast<WeightRefOp>(op))
        add(op, symbols.lookup(reference.getWeight()), reference.getPart(),
            reference.getFirst(), reference.getLayoutAttr());
      else if (isa<TableOpInterface>(op))
        add(op, op, keyOfTable(op), {}, LayoutAttr());
    });
  return plan;
}
