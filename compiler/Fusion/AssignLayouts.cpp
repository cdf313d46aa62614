// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// %w = heddle.weight_ref @w : tensor<576x192xf32>, the columns of a contraction
//   -> heddle.weight_ref @w layout(<panels of 64 along 0>)

#include "compiler/Fusion/Contraction.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/ProductOffsets.h"
#include "compiler/Prepare/Views.h"
#include "compiler/Target/MachineModel.h"
#include "compiler/Target/Replacements.h"
#include "dialect/Heddle/Coordinates.h"
#include "dialect/Heddle/StoredWeights.h"

#include "llvm/ADT/MapVector.h"

namespace heddle {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "compiler/Fusion/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

class LayoutAssignment {
public:
  LayoutAssignment(ModuleOp module, const MachineModel &machine,
                   const Replacements::ByName &replaced)
      : module(module), machine(machine), replaced(replaced) {}

  LogicalResult run() {
    for (auto [name, op] : replaced)
      if (failed(checkWidth(op)))
        return failure();
    SmallVector<GenericOp> contractions;
    module.walk([&](GenericOp op) {
      if (Contraction::of(op))
        contractions.push_back(op);
    });
    // Integers come first, as they say what panels their offsets have.
    std::stable_partition(
        contractions.begin(), contractions.end(),
        [](GenericOp op) { return Contraction::of(op)->terms > 0; });
    for (GenericOp op : contractions)
      askForLayout(op);
    for (auto [name, op] : replaced)
      if (!used.contains(name))
        return op.emitOpError("no contraction reads a weight named ")
               << op.getNameAttr() << " along this dimension";
    SmallVector<WeightRefOp> references;
    module.walk([&](WeightRefOp op) { references.push_back(op); });
    for (WeightRefOp reference : references)
      assign(reference);
    return success();
  }

private:
  LogicalResult checkWidth(ConfigureOp op) {
    auto layout = cast<LayoutAttr>(op.getConfiguration());
    int64_t width = layout.getWidth();
    if (width * layout.getGroup() > kMostStraightElements &&
        layout.getGroup() > 1)
      return op.emitOpError("expected panels whose width times the terms of a "
                            "group is at most ")
             << kMostStraightElements << ", found " << width << " times "
             << layout.getGroup();
    if (width % machine.lanes == 0 && width <= kMostStraightElements)
      return success();
    return op.emitOpError("expected panels of a multiple of ")
           << machine.lanes << ", as many f32 as a vector has, and of at most "
           << kMostStraightElements << ", found " << width;
  }

  // Columns of a register tile lie side by side in panels, and so does what
  // they are decoded with.
  void askForLayout(GenericOp op) {
    std::optional<Contraction> contraction = Contraction::of(op);
    OpOperand &columns = storedOperand(op, contraction->columns);
    auto reference = columns.get().getDefiningOp<WeightRefOp>();
    std::optional<unsigned> dimension =
        contraction->columnCoordinate(op, contraction->columns);
    if (!reference || !dimension || wanted.contains(&columns))
      return;
    LayoutAttr layout = chooseLayout(
        reference.getWeightAttr().getAttr(), *contraction, *dimension,
        groupOf(op, *contraction, reference, *dimension));
    // What the sums would be like if the weight had it.
    LayoutAttr before = reference.getLayoutAttr();
    reference.setLayoutAttr(layout);
    bool hasTiles = contraction->hasTiles(op);
    reference.setLayoutAttr(before);
    if (!hasTiles)
      return;
    wantPanels(op, *contraction, layout.getWidth(), layout.getGroup());
    if (layout.getGroup() > 1)
      for (GenericOp offset : offsetsOf(op))
        if (integersOf(offset) == op && !isReplaced(offset))
          wantPanels(offset, *Contraction::of(offset), layout.getWidth(),
                     /*group=*/1);
  }

  // Where an input of a contraction, or all that it is a choice of, is read.
  static OpOperand &storedOperand(GenericOp op, unsigned input) {
    OpOperand *all = choiceOf(op.getInputs()[input]);
    return all ? *all : op.getInputsMutable()[input];
  }

  // Whether a file says how the columns of a contraction lie.
  bool isReplaced(GenericOp op) {
    auto columns = storedOperand(op, Contraction::of(op)->columns)
                       .get()
                       .getDefiningOp<WeightRefOp>();
    return columns && replaced.contains(columns.getWeightAttr().getAttr());
  }

  void wantPanels(GenericOp op, const Contraction &contraction, int64_t width,
                  int64_t group) {
    for (unsigned input : contraction.columnInputs)
      if (std::optional<unsigned> own = contraction.columnCoordinate(op, input))
        want(storedOperand(op, input), width, *own,
             input == contraction.columns ? group : 1);
  }

  // Terms that one instruction adds up, if sums have whole places of them: as
  // many as there can be.
  int64_t groupOf(GenericOp op, const Contraction &contraction,
                  WeightRefOp columns, unsigned dimension) {
    auto type = cast<RankedTensorType>(columns.getType());
    auto ofPairs =
        LayoutAttr::get(module.getContext(), machine.groupedPanelWidth,
                        dimension, /*group=*/kPair);
    unsigned grouped = *StoredWeight(type, ofPairs).groupedDimension();
    SizeAttr at = op.getCoordinates(contraction.columns)[grouped];
    unsigned depth = op.getOver().size() + op.getReduce().size() - 1;
    if (asDimension(at) != depth)
      return 1;
    if (contraction.pairs)
      return machine.productPairs();
    bool areAdded =
        areBytes(op, contraction) || contraction.fitsTileRegisters(op, machine);
    for (int64_t group :
         {areAdded ? machine.byteTerms : 1, machine.integerTerms}) {
      auto layout = LayoutAttr::get(
          module.getContext(), machine.groupedPanelWidth, dimension, group);
      int64_t step = group * StoredWeight(type, layout).shares();
      if (group > 1 && contraction.terms > 0 && contraction.terms % step == 0)
        return group;
    }
    return 1;
  }

  // Whether rows are bytes with a sign, and columns bytes or halves without.
  static bool areBytes(GenericOp op, const Contraction &contraction) {
    Type rows = getElementTypeOrSelf(op.getInputs()[contraction.rows]),
         columns = getElementTypeOrSelf(op.getInputs()[contraction.columns]);
    return rows.isSignlessInteger(8) && columns.isUnsignedInteger() &&
           columns.getIntOrFloatBitWidth() <= 8;
  }

  void want(OpOperand &input, int64_t width, unsigned dimension,
            int64_t group) {
    auto reference = input.get().getDefiningOp<WeightRefOp>();
    if (!reference)
      return;
    auto layout = LayoutAttr::get(module.getContext(), width, dimension, group);
    wanted[&input] = layout;
    ofPart.try_emplace(reference.getPart(), layout);
  }

  LayoutAttr chooseLayout(StringAttr weight, const Contraction &contraction,
                          unsigned dimension, int64_t group) {
    if (ConfigureOp other = replaced.lookup(weight)) {
      auto layout = cast<LayoutAttr>(other.getConfiguration());
      if (layout.getDimension() == dimension) {
        used.insert(weight);
        return layout;
      }
    }
    int64_t width = group == 1 ? machine.panelWidth
                    : contraction.hasShortBlocks(machine)
                        ? machine.shortBlockPanelWidth
                        : machine.groupedPanelWidth;
    return LayoutAttr::get(module.getContext(), width, dimension, group);
  }

  // Readers that ask for nothing take the layout that the weight, or the part
  // of it, has anyway, so that it is stored once. What leaves the function is
  // dense.
  LayoutAttr layoutFor(OpOperand &use, WeightRefOp reference) {
    if (!isa<GenericOp>(use.getOwner()))
      return {};
    LayoutAttr layout = wanted.lookup(&use);
    return layout ? layout : ofPart.lookup(reference.getPart());
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

  ModuleOp module;
  const MachineModel &machine;
  const Replacements::ByName &replaced;
  llvm::DenseSet<StringAttr> used; ///< of those
  llvm::DenseMap<OpOperand *, LayoutAttr> wanted;
  llvm::DenseMap<Attribute, LayoutAttr> ofPart;
};

struct AssignLayouts : heddle::impl::AssignLayoutsBase<AssignLayouts> {
  using AssignLayoutsBase::AssignLayoutsBase;

  void runOnOperation() override {
    FailureOr<MachineModel> machine = MachineModel::of(getOperation());
    auto replacements = Replacements::read(&getContext(), file);
    if (failed(machine) || failed(replacements) ||
        failed(LayoutAssignment(getOperation(), *machine, replacements->weights)
                   .run()))
      signalPassFailure();
  }
};

} // namespace
