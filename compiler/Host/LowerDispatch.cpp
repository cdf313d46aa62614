// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.dispatch @k number(3) in %frame (%n, %buffer)
//   -> if (status = dispatch_k(frame, 3, n, data, size)) return status
//
// dispatch_k, which all launches of the kernel in an entry point call:
//   describe the buffers on the stack
//   if (observer) observer(before)
//   if (status = k(context, n, &descriptor)) return status
//   if (observer) observer(after)

#include "compiler/Host/LowerDispatch.h"

#include "compiler/Host/BufferArguments.h"
#include "compiler/Host/Passes.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace heddle;

std::string heddle::textSymbol(StringRef prefix, StringRef name) {
  return (prefix + name + ".text").str();
}

namespace {

class LowerDispatch : public ConvertOpToLLVMPattern<DispatchOp> {
public:
  LowerDispatch(LLVMTypeConverter &converter, StringRef prefix)
      : ConvertOpToLLVMPattern(converter), prefix(prefix) {}

  LogicalResult
  matchAndRewrite(DispatchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    AbiCode code(rewriter, op.getLoc());
    SmallVector<Value> arguments{adaptor.getFrame(), adaptor.getRoom(),
                                 code.number(32, op.getNumber())};
    for (auto [input, value] :
         llvm::zip_equal(op.getInputs(), adaptor.getInputs())) {
      if (auto type = dyn_cast<MemRefType>(input.getType()))
        llvm::append_range(arguments, BufferArguments(type).flatten(
                                          code, MemRefDescriptor(value)));
      else
        arguments.push_back(value);
    }
    auto call = LLVM::CallOp::create(
        rewriter, op.getLoc(), dispatcher(code, op, arguments), arguments);
    code.returnFailure(call.getResult());
    rewriter.eraseOp(op);
    return success();
  }

private:
  StringRef entryOf(DispatchOp op) const {
    StringRef entry = op->getParentOfType<FunctionOpInterface>().getName();
    entry.consume_front(prefix);
    entry.consume_back(kRunSuffix);
    return entry;
  }

  // The function that launches a kernel of an entry point, whose code is there
  // once for all launches. Its parameters are the frame, the room, the number
  // of the launch, and the inputs.
  LLVM::LLVMFuncOp dispatcher(AbiCode &code, DispatchOp op,
                              ValueRange arguments) const {
    auto module = op->getParentOfType<ModuleOp>();
    std::string name =
        (prefix + entryOf(op) + "." + op.getKernel() + ".dispatch").str();
    if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
      return known;
    ConversionPatternRewriter &b = code.b;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    auto function = LLVM::LLVMFuncOp::create(
        b, code.loc, name,
        LLVM::LLVMFunctionType::get(b.getI32Type(),
                                    llvm::to_vector(arguments.getTypes())),
        LLVM::Linkage::Internal);
    function.setNoInline(true);
    Block *body = function.addEntryBlock(b);
    b.setInsertionPointToStart(body);
    ValueRange rest = body->getArguments();
    Value frame = rest[0], roomAddress = rest[1], number = rest[2];
    rest = rest.drop_front(3);
    Value context =
        code.loadPointer(code.abi.frame, frame, AbiStructs::FrameContext);
    Type room = code.abi.room(op.getRoom().getType().getCount());
    // What a device runs is launched by the frame.
    SmallVector<Value> inputs{isForDevice(module) ? frame : context};
    unsigned buffers = 0;
    for (Value input : op.getInputs()) {
      if (auto type = dyn_cast<MemRefType>(input.getType())) {
        inputs.push_back(BufferArguments(type).describe(code, room, roomAddress,
                                                        buffers++, rest));
        continue;
      }
      inputs.push_back(rest.front());
      rest = rest.drop_front();
    }
    Launch launch{op, number, roomAddress, context, room, buffers};
    observe(code, launch, /*finished=*/false);
    auto call = LLVM::CallOp::create(b, code.loc, b.getI32Type(),
                                     prefix + op.getKernel().str(), inputs);
    code.returnFailure(call.getResult());
    observe(code, launch, /*finished=*/true);
    LLVM::ReturnOp::create(b, code.loc, code.number(32, 0));
    return function;
  }

  struct Launch {
    DispatchOp op;
    Value number, roomAddress, context;
    Type room;
    unsigned buffers;
  };

  // if (context->observer) context->observer(context->observer_data, &event);
  void observe(AbiCode &code, const Launch &launch, bool finished) const {
    ConversionPatternRewriter &b = code.b;
    const AbiStructs &abi = code.abi;
    Value observer = code.loadPointer(abi.context, launch.context,
                                      AbiStructs::ContextObserver);
    Value isSet = LLVM::ICmpOp::create(b, code.loc, LLVM::ICmpPredicate::ne,
                                       observer, code.null());
    Block *before = b.getInsertionBlock();
    Block *after = b.splitBlock(before, b.getInsertionPoint());
    Block *call = b.createBlock(after);
    b.setInsertionPointToEnd(before);
    LLVM::CondBrOp::create(b, code.loc, isSet, call, after);
    b.setInsertionPointToStart(call);
    Value event =
        code.field(launch.room, launch.roomAddress, AbiStructs::RoomEvent);
    auto set = [&](AbiStructs::Event field, Value value) {
      code.store(abi.event, event, field, value);
    };
    DispatchOp op = launch.op;
    set(AbiStructs::EventEntry,
        code.text(textSymbol(prefix, (entryOf(op) + kRunSuffix).str())));
    set(AbiStructs::EventKernel, code.text(textSymbol(prefix, op.getKernel())));
    set(AbiStructs::EventLaunch, launch.number);
    set(AbiStructs::EventFinished, code.number(32, finished));
    set(AbiStructs::EventBufferCount, code.number(32, launch.buffers));
    set(AbiStructs::EventBuffers,
        code.field(launch.room, launch.roomAddress, AbiStructs::RoomPointers));
    Value data = code.loadPointer(abi.context, launch.context,
                                  AbiStructs::ContextObserverData);
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(b.getContext()), {abi.pointer, abi.pointer});
    LLVM::CallOp::create(b, code.loc, type, ValueRange{observer, data, event});
    LLVM::BrOp::create(b, code.loc, after);
    b.setInsertionPointToStart(after);
  }

  std::string prefix;
};

} // namespace

void heddle::populateDispatchPatterns(LLVMTypeConverter &converter,
                                      RewritePatternSet &patterns,
                                      StringRef prefix) {
  patterns.add<LowerDispatch>(converter, prefix);
}
