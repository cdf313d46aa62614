// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structs of runtime/heddle_abi.h that the host program works on, as types
// of the llvm dialect.

#ifndef HEDDLE_COMPILER_HOST_ABISTRUCTS_H
#define HEDDLE_COMPILER_HOST_ABISTRUCTS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle {

struct AbiStructs {
  explicit AbiStructs(mlir::MLIRContext *context);

  mlir::LLVM::LLVMPointerType pointer;
  mlir::LLVM::LLVMStructType frame, context, event, buffer, dimension;

  // Positions of fields.
  enum Frame {
    FrameContext,
    FrameWeights,
    FrameBuffers,
    FrameSizes,
    FrameWorkspace,
    FrameLaunch,
    FrameCopy
  };
  enum Context {
    ContextParallelFor,
    ContextParallelForData,
    ContextObserver,
    ContextObserverData,
    ContextError
  };
  enum Event {
    EventEntry,
    EventKernel,
    EventLaunch,
    EventFinished,
    EventBufferCount,
    EventBuffers
  };
  enum Buffer {
    BufferDevice,
    BufferInterface,
    BufferData,
    BufferFlags,
    BufferTypeCode,
    BufferTypeBits,
    BufferTypeLanes,
    BufferRank,
    BufferDimensions,
    BufferReserved
  };
  enum Dimension {
    DimensionMin,
    DimensionExtent,
    DimensionStride,
    DimensionFlags
  };

  /// heddle_buffer's type_code of elements of `type`.
  static uint8_t codeOf(mlir::Type type);

  /// What !heddle.descriptors<count> becomes: an event, pointers to buffers,
  /// buffers, dimensions of each, and a number.
  mlir::LLVM::LLVMStructType room(int64_t count) const;
  enum Room {
    RoomEvent,
    RoomPointers,
    RoomBuffers,
    RoomDimensions,
    RoomNumber
  };
};

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_ABISTRUCTS_H
