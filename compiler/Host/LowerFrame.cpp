// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Host/LowerFrame.h"

#include "compiler/Host/AbiCode.h"
#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace heddle;

namespace {

struct LowerSize : ConvertOpToLLVMPattern<FrameSizeOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(FrameSizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    AbiCode code(rewriter, op.getLoc());
    Value sizes = code.loadPointer(code.abi.frame, adaptor.getFrame(),
                                   AbiStructs::FrameSizes);
    Type i64 = rewriter.getI64Type();
    rewriter.replaceOp(
        op, code.load(i64, code.element(i64, sizes, op.getNumber())));
    return success();
  }
};

/// Bytes that start at a pointer.
template <typename Op> struct LowerBytes : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;

  void replace(Op op, Value pointer, Value bytes,
               ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getType());
    if (type.hasStaticShape()) {
      Value descriptor = MemRefDescriptor::fromStaticShape(
          rewriter, loc, *this->getTypeConverter(), type, pointer);
      rewriter.replaceOp(op, descriptor);
      return;
    }
    auto descriptor = MemRefDescriptor::poison(
        rewriter, loc, this->getTypeConverter()->convertType(type));
    descriptor.setAllocatedPtr(rewriter, loc, pointer);
    descriptor.setAlignedPtr(rewriter, loc, pointer);
    descriptor.setConstantOffset(rewriter, loc, 0);
    descriptor.setSize(rewriter, loc, 0, bytes);
    descriptor.setConstantStride(rewriter, loc, 0, 1);
    rewriter.replaceOp(op, Value(descriptor));
  }
};

struct LowerArgument : LowerBytes<FrameArgumentOp> {
  using LowerBytes::LowerBytes;

  LogicalResult
  matchAndRewrite(FrameArgumentOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    AbiCode code(rewriter, op.getLoc());
    Value buffers = code.loadPointer(code.abi.frame, adaptor.getFrame(),
                                     AbiStructs::FrameBuffers);
    Value pointer =
        code.load(code.abi.pointer,
                  code.element(code.abi.pointer, buffers, op.getNumber()));
    replace(op, pointer, adaptor.getBytes(), rewriter);
    return success();
  }
};

struct LowerWeights : LowerBytes<FrameWeightsOp> {
  using LowerBytes::LowerBytes;

  LogicalResult
  matchAndRewrite(FrameWeightsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    AbiCode code(rewriter, op.getLoc());
    replace(op,
            code.loadPointer(code.abi.frame, adaptor.getFrame(),
                             AbiStructs::FrameWeights),
            Value(), rewriter);
    return success();
  }
};

struct LowerWorkspace : LowerBytes<FrameWorkspaceOp> {
  using LowerBytes::LowerBytes;

  LogicalResult
  matchAndRewrite(FrameWorkspaceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    AbiCode code(rewriter, op.getLoc());
    replace(op,
            code.loadPointer(code.abi.frame, adaptor.getFrame(),
                             AbiStructs::FrameWorkspace),
            adaptor.getBytes(), rewriter);
    return success();
  }
};

struct LowerDescriptors : ConvertOpToLLVMPattern<DescriptorsOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(DescriptorsOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    AbiCode code(rewriter, op.getLoc());
    int64_t count = op.getType().getCount();
    Type type = code.abi.room(count);
    Value room = LLVM::AllocaOp::create(rewriter, op.getLoc(), code.abi.pointer,
                                        type, code.number(32, 1));
    Value pointers = code.field(type, room, AbiStructs::RoomPointers);
    Value buffers = code.field(type, room, AbiStructs::RoomBuffers);
    for (int64_t i = 0; i < count; ++i)
      LLVM::StoreOp::create(rewriter, op.getLoc(),
                            code.element(code.abi.buffer, buffers, i),
                            code.element(code.abi.pointer, pointers, i));
    rewriter.replaceOp(op, room);
    return success();
  }
};

} // namespace

void heddle::addFrameConversions(LLVMTypeConverter &converter) {
  auto toPointer = [](Type type) {
    return LLVM::LLVMPointerType::get(type.getContext());
  };
  converter.addConversion([=](FrameType type) { return toPointer(type); });
  converter.addConversion(
      [=](DescriptorsType type) { return toPointer(type); });
}

void heddle::populateFramePatterns(LLVMTypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<LowerSize, LowerArgument, LowerWeights, LowerWorkspace,
               LowerDescriptors>(converter);
}
