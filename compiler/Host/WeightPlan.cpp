// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Host/WeightPlan.h"

#include "dialect/Heddle/HeddleDialect.h"
#include "runtime/heddle_abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

// Kernels may read up to a panel past the end of a vector, which this includes.
static int64_t packedSize(Operation *source, const MachineModel &machine,
                          bool isDense) {
  if (auto table = dyn_cast<RotaryTableOp>(source))
    return table.getType().getNumElements() * 4;
  RankedTensorType type = cast<WeightOp>(source).getTensorType();
  if (isDense)
    return type.getNumElements() * 4;
  int64_t outputs = machine.rowStride(type.getDimSize(0));
  if (type.getRank() == 1)
    return outputs * 4;
  return outputs * type.getDimSize(1) *
         (type.getElementType().getIntOrFloatBitWidth() / 8);
}

// Kernels read constants in layouts of theirs.
static bool isDenseFor(Operation *user) { return !isa<LaunchOp>(user); }

WeightPlan WeightPlan::of(ModuleOp module, const MachineModel &machine) {
  WeightPlan plan;
  SymbolTable symbols(module);
  // Equal tables of several functions are one.
  llvm::DenseMap<std::pair<Attribute, unsigned>, unsigned> tables;
  llvm::DenseMap<std::pair<Operation *, unsigned>, unsigned> weights;
  auto add = [&](Operation *constant, bool isDense) {
    auto reference = dyn_cast<WeightRefOp>(constant);
    Operation *source =
        reference ? symbols.lookup<WeightOp>(reference.getWeight()) : constant;
    unsigned next = plan.packed.size();
    unsigned index =
        reference
            ? weights.try_emplace({source, isDense}, next).first->second
            : tables.try_emplace({source->getAttrDictionary(), isDense}, next)
                  .first->second;
    plan.indices[{constant, isDense}] = index;
    if (index != next)
      return;
    PackedWeight weight{source, plan.bytes,
                        packedSize(source, machine, isDense), isDense};
    plan.bytes += llvm::alignTo(weight.size, HEDDLE_ALIGNMENT);
    plan.packed.push_back(weight);
  };
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](Operation *user) {
      for (Value operand : user->getOperands())
        if (Operation *constant = operand.getDefiningOp();
            constant && isa<WeightRefOp, RotaryTableOp>(constant))
          add(constant, isDenseFor(user));
    });
  return plan;
}

int64_t WeightPlan::offsetOf(Operation *constant, Operation *user) const {
  return packed[indices.at({constant, isDenseFor(user)})].offset;
}
