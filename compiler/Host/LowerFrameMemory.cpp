// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.frame.copy %source, %target in %frame
//   -> if (status = frame->copy(frame, target, source, bytes,
//   HEDDLE_ON_DEVICE))
//        return status
//
// heddle.frame.load and store copy to and from a number in the room.

#include "compiler/Host/AbiCode.h"
#include "compiler/Host/LowerFrame.h"
#include "dialect/Heddle/HeddleDialect.h"
#include "runtime/heddle_abi.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace heddle;

namespace {

/// What the three have in common.
template <typename Op> struct LowerFrameMemory : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;

  static void copy(AbiCode &code, Value frame, Value to, Value from,
                   Value bytes, heddle_direction direction) {
    const AbiStructs &abi = code.abi;
    Type i32 = code.b.getI32Type();
    auto type = LLVM::LLVMFunctionType::get(
        i32, {abi.pointer, abi.pointer, abi.pointer, code.b.getI64Type(), i32});
    Value function = code.loadPointer(abi.frame, frame, AbiStructs::FrameCopy);
    auto call =
        LLVM::CallOp::create(code.b, code.loc, type,
                             ValueRange{function, frame, to, from, bytes,
                                        code.number(32, direction)});
    code.returnFailure(call.getResult());
  }

  /// Where element `index` of the op's memory is.
  template <typename Adaptor>
  Value element(AbiCode &code, Op op, Adaptor adaptor) const {
    return this->getStridedElementPtr(
        code.b, code.loc, cast<MemRefType>(op.getMemory().getType()),
        adaptor.getMemory(), adaptor.getIndex());
  }

  static Value roomNumber(AbiCode &code, Op op, Value room) {
    return code.field(code.abi.room(op.getRoom().getType().getCount()), room,
                      AbiStructs::RoomNumber);
  }
};

struct LowerCopy : LowerFrameMemory<FrameCopyOp> {
  using LowerFrameMemory::LowerFrameMemory;

  LogicalResult
  matchAndRewrite(FrameCopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    AbiCode code(rewriter, op.getLoc());
    Value first =
        LLVM::ConstantOp::create(rewriter, op.getLoc(), getIndexType(), 0);
    auto start = [&](Value memref, Value descriptor) {
      return getStridedElementPtr(rewriter, op.getLoc(),
                                  cast<MemRefType>(memref.getType()),
                                  descriptor, first);
    };
    Value to = start(op.getTarget(), adaptor.getTarget());
    Value from = start(op.getSource(), adaptor.getSource());
    Value bytes = MemRefDescriptor(adaptor.getSource())
                      .size(rewriter, op.getLoc(), /*pos=*/0);
    copy(code, adaptor.getFrame(), to, from, bytes, HEDDLE_ON_DEVICE);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerLoad : LowerFrameMemory<FrameLoadOp> {
  using LowerFrameMemory::LowerFrameMemory;

  LogicalResult
  matchAndRewrite(FrameLoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    AbiCode code(rewriter, op.getLoc());
    Value number = roomNumber(code, op, adaptor.getRoom());
    copy(code, adaptor.getFrame(), number, element(code, op, adaptor),
         code.number(64, bytesOfElement(op.getType())), HEDDLE_TO_HOST);
    rewriter.replaceOp(op, code.load(op.getType(), number));
    return success();
  }
};

struct LowerStore : LowerFrameMemory<FrameStoreOp> {
  using LowerFrameMemory::LowerFrameMemory;

  LogicalResult
  matchAndRewrite(FrameStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    AbiCode code(rewriter, op.getLoc());
    Value number = roomNumber(code, op, adaptor.getRoom());
    LLVM::StoreOp::create(rewriter, op.getLoc(), adaptor.getValue(), number);
    copy(code, adaptor.getFrame(), element(code, op, adaptor), number,
         code.number(64, bytesOfElement(op.getValue().getType())),
         HEDDLE_TO_DEVICE);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void heddle::populateFrameMemoryPatterns(LLVMTypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<LowerCopy, LowerLoad, LowerStore>(converter);
}
