// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.kernel @f  ->  heddle.kernel @f attributes {heddle.configuration =
// ...}

#include "compiler/Configure/ConfigureKernels.h"

#include "compiler/Configure/Passes.h"
#include "compiler/Fusion/Contraction.h"
#include "compiler/Target/Replacements.h"

namespace heddle {
#define GEN_PASS_DEF_CONFIGUREKERNELS
#include "compiler/Configure/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

SmallVector<GenericOp> heddle::tiledContractions(KernelOp kernel) {
  return llvm::filter_to_vector(
      kernel.getBody().getOps<GenericOp>(),
      [](GenericOp op) { return Contraction::inTiles(op).has_value(); });
}

// A kernel has one attention at most.
static AttentionOp attentionOf(KernelOp kernel) {
  auto attentions = kernel.getBody().getOps<AttentionOp>();
  return attentions.empty() ? AttentionOp() : *attentions.begin();
}

static FailureOr<Attribute> choose(KernelOp kernel,
                                   const MachineModel &machine) {
  if (AttentionOp attention = attentionOf(kernel)) {
    if (machine.device) {
      auto blocks = chooseAttentionBlocks(attention, *machine.device);
      if (failed(blocks))
        return failure();
      return Attribute(*blocks);
    }
    auto tiles = chooseAttentionTiles(attention, machine);
    if (failed(tiles))
      return failure();
    return Attribute(*tiles);
  }
  SmallVector<GenericOp> contractions = tiledContractions(kernel);
  if (!contractions.empty() && machine.device)
    if (BlockProductAttr blocks = chooseProductBlocks(contractions, machine))
      return Attribute(blocks);
  if (!contractions.empty() && !machine.device)
    return Attribute(chooseProductTiles(contractions, machine));
  if (machine.device)
    return Attribute(BlockRowsAttr::get(kernel.getContext(),
                                        machine.device->rowThreads,
                                        machine.device->lanes));
  return Attribute(RowTilesAttr::get(kernel.getContext(),
                                     machine.longTaskElements,
                                     machine.stripWidth, machine.lanes));
}

LogicalResult heddle::checkConfiguration(KernelOp kernel,
                                         Attribute configuration,
                                         const MachineModel &machine,
                                         EmitError emitError) {
  if (auto tiles = dyn_cast<AttentionTilesAttr>(configuration))
    return checkTiles(attentionOf(kernel), tiles, emitError);
  if (auto blocks = dyn_cast<BlockAttentionAttr>(configuration))
    return checkBlocks(attentionOf(kernel), blocks, *machine.device, emitError);
  if (auto blocks = dyn_cast<BlockProductAttr>(configuration))
    return checkBlocks(tiledContractions(kernel), blocks, *machine.device,
                       emitError);
  if (auto tiles = dyn_cast<ProductTilesAttr>(configuration))
    for (GenericOp contraction : tiledContractions(kernel))
      if (failed(checkTiles(contraction, tiles, emitError)))
        return failure();
  return success();
}

static LogicalResult check(KernelOp kernel, ConfigureOp replacement,
                           Attribute own, const MachineModel &machine) {
  Attribute other = replacement.getConfiguration();
  if (other.getTypeID() != own.getTypeID())
    return replacement.emitOpError("expected a configuration like that of the "
                                   "kernel, ")
           << own << ", found " << other;
  return checkConfiguration(kernel, other, machine,
                            [&] { return replacement.emitOpError(); });
}

namespace {
struct ConfigureKernels : heddle::impl::ConfigureKernelsBase<ConfigureKernels> {
  using ConfigureKernelsBase::ConfigureKernelsBase;

  void runOnOperation() override {
    FailureOr<MachineModel> machine = MachineModel::of(getOperation());
    auto replacements = Replacements::read(&getContext(), file);
    if (failed(machine) || failed(replacements))
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      FailureOr<Attribute> configuration = choose(kernel, *machine);
      if (failed(configuration))
        return signalPassFailure();
      auto *replacement = replacements->kernels.find(kernel.getSymNameAttr());
      if (replacement != replacements->kernels.end()) {
        if (failed(
                check(kernel, replacement->second, *configuration, *machine)))
          return signalPassFailure();
        configuration = replacement->second.getConfiguration();
      }
      kernel->setAttr(kConfigurationAttr, *configuration);
    }
    for (auto [name, op] : replacements->kernels)
      if (!getOperation().lookupSymbol<KernelOp>(name)) {
        op.emitOpError("no kernel is named ") << op.getNameAttr();
        return signalPassFailure();
      }
  }
};
} // namespace
