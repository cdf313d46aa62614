// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine model's choice for each kind of kernel, and what a choice of
// somebody else must satisfy. Choices are in the file of their name.

#ifndef HEDDLE_COMPILER_CONFIGURE_CONFIGUREKERNELS_H
#define HEDDLE_COMPILER_CONFIGURE_CONFIGUREKERNELS_H

#include "compiler/Target/MachineModel.h"

namespace heddle {

/// The contractions of a kernel that are computed in register tiles.
llvm::SmallVector<GenericOp> tiledContractions(KernelOp kernel);

ProductTilesAttr chooseProductTiles(llvm::ArrayRef<GenericOp> contractions,
                                    const MachineModel &machine);
/// Null where contractions have tiles of different dimensions, or are too many
/// for a block to share their tiles: then they are sums like any other.
BlockProductAttr chooseProductBlocks(llvm::ArrayRef<GenericOp> contractions,
                                     const MachineModel &machine);
/// Errors where heads are too wide for any tile.
mlir::FailureOr<AttentionTilesAttr>
chooseAttentionTiles(AttentionOp op, const MachineModel &machine);
mlir::FailureOr<BlockAttentionAttr>
chooseAttentionBlocks(AttentionOp op, const DeviceModel &device);

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;
/// Whether `kernel` can be computed with `configuration`, which is of the kind
/// that it has.
mlir::LogicalResult checkConfiguration(KernelOp kernel,
                                       mlir::Attribute configuration,
                                       const MachineModel &machine,
                                       EmitError emitError);
mlir::LogicalResult checkTiles(GenericOp contraction, ProductTilesAttr tiles,
                               EmitError emitError);
mlir::LogicalResult checkTiles(AttentionOp op, AttentionTilesAttr tiles,
                               EmitError emitError);
mlir::LogicalResult checkBlocks(llvm::ArrayRef<GenericOp> contractions,
                                BlockProductAttr blocks,
                                const DeviceModel &device, EmitError emitError);
mlir::LogicalResult checkBlocks(AttentionOp op, BlockAttentionAttr blocks,
                                const DeviceModel &device, EmitError emitError);

} // namespace heddle

#endif // HEDDLE_COMPILER_CONFIGURE_CONFIGUREKERNELS_H
