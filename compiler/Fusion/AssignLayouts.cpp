// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// %w = heddle.weight_ref @w : tensor<576x192xf32>, the columns of a contraction
//   -> heddle.weight_ref @w layout(<panels of 64 along 0>)

#include "compiler/Fusion/Contraction.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Schedule/MachineModel.h"

#include "llvm/ADT/MapVector.h"

namespace heddle {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "compiler/Fusion/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
struct AssignLayouts : heddle::impl::AssignLayoutsBase<AssignLayouts> {
  using AssignLayoutsBase::AssignLayoutsBase;

  void runOnOperation() override {
    llvm::Expected<MachineModel> machine = MachineModel::forCpu(targetCpu);
    if (!machine) {
      getOperation().emitError(llvm::toString(machine.takeError()));
      return signalPassFailure();
    }
    getOperation().walk(
        [&](GenericOp op) { askForLayout(op, machine->panelWidth); });
    SmallVector<WeightRefOp> references;
    getOperation().walk([&](WeightRefOp op) { references.push_back(op); });
    for (WeightRefOp reference : references)
      assign(reference);
  }

  // Columns of a register tile lie side by side in panels.
  void askForLayout(GenericOp op, int64_t width) {
    std::optional<Contraction> contraction = Contraction::of(op);
    if (!contraction)
      return;
    OpOperand &columns = op.getInputsMutable()[contraction->columns];
    auto reference = columns.get().getDefiningOp<WeightRefOp>();
    std::optional<unsigned> dimension = contraction->columnCoordinate(op);
    if (!reference || !dimension)
      return;
    auto layout = LayoutAttr::get(op.getContext(), width, *dimension);
    // What the sums would be like if the weight had it.
    LayoutAttr before = reference.getLayoutAttr();
    reference.setLayoutAttr(layout);
    if (contraction->hasTiles(op)) {
      wanted[&columns] = layout;
      ofWeight.try_emplace(reference.getWeightAttr().getAttr(), layout);
    }
    reference.setLayoutAttr(before);
  }

  // Readers that ask for nothing take the layout that the weight has anyway, so
  // that it is stored once. What leaves the function is dense.
  LayoutAttr layoutFor(OpOperand &use, WeightRefOp reference) {
    if (!isa<GenericOp>(use.getOwner()))
      return {};
    LayoutAttr layout = wanted.lookup(&use);
    return layout ? layout
                  : ofWeight.lookup(reference.getWeightAttr().getAttr());
  }

  void assign(WeightRefOp reference) {
    llvm::SmallMapVector<LayoutAttr, SmallVector<OpOperand *>, 2> uses;
    for (OpOperand &use : reference->getUses())
      uses[layoutFor(use, reference)].push_back(&use);
    OpBuilder builder(reference);
    for (auto &[layout, operands] : uses) {
      auto packed = cast<WeightRefOp>(builder.clone(*reference));
      if (layout)
        packed.setLayoutAttr(layout);
      for (OpOperand *operand : operands)
        operand->set(packed);
    }
    reference.erase();
  }

  llvm::DenseMap<OpOperand *, LayoutAttr> wanted;
  llvm::DenseMap<StringAttr, LayoutAttr> ofWeight;
};
} // namespace
