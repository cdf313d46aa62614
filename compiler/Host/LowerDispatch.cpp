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

#include "compiler/Host/AbiStructs.h"
#include "compiler/Host/Passes.h"
#include "runtime/heddle_abi.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace heddle;

std::string heddle::textSymbol(StringRef prefix, StringRef name) {
  return (prefix + name + ".text").str();
}

namespace {

/// Writes ops of the llvm dialect.
class Code {
public:
  Code(ConversionPatternRewriter &builder, Location loc)
      : b(builder), loc(loc), abi(builder.getContext()) {}

  Value number(unsigned bits, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getIntegerType(bits), value);
  }
  Value null() { return LLVM::ZeroOp::create(b, loc, abi.pointer); }
  Value text(StringRef symbol) {
    return LLVM::AddressOfOp::create(b, loc, abi.pointer, symbol);
  }
  Value field(Type type, Value base, unsigned index) {
    return LLVM::GEPOp::create(b, loc, abi.pointer, type, base,
                               ArrayRef<LLVM::GEPArg>{0, int32_t(index)});
  }
  Value element(Type type, Value base, int64_t index) {
    return LLVM::GEPOp::create(b, loc, abi.pointer, type, base,
                               ArrayRef<LLVM::GEPArg>{int32_t(index)});
  }
  Value load(Type type, Value address) {
    return LLVM::LoadOp::create(b, loc, type, address);
  }
  Value loadPointer(Type type, Value base, unsigned index) {
    return load(abi.pointer, field(type, base, index));
  }
  void store(Type type, Value base, unsigned index, Value value) {
    LLVM::StoreOp::create(b, loc, value, field(type, base, index));
  }
  Value truncate(Value value) {
    return LLVM::TruncOp::create(b, loc, b.getI32Type(), value);
  }

  ConversionPatternRewriter &b;
  Location loc;
  AbiStructs abi;
};

template <typename Op> struct HostPattern : ConvertOpToLLVMPattern<Op> {
  HostPattern(LLVMTypeConverter &converter, StringRef prefix)
      : ConvertOpToLLVMPattern<Op>(converter), prefix(prefix) {}
  std::string prefix;
};

struct LowerSize : HostPattern<FrameSizeOp> {
  using HostPattern::HostPattern;

  LogicalResult
  matchAndRewrite(FrameSizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Code code(rewriter, op.getLoc());
    Value sizes = code.loadPointer(code.abi.frame, adaptor.getFrame(),
                                   AbiStructs::FrameSizes);
    Type i64 = rewriter.getI64Type();
    rewriter.replaceOp(
        op, code.load(i64, code.element(i64, sizes, op.getNumber())));
    return success();
  }
};

/// Bytes that start at a pointer.
template <typename Op> struct LowerBytes : HostPattern<Op> {
  using HostPattern<Op>::HostPattern;

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
    Code code(rewriter, op.getLoc());
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
    Code code(rewriter, op.getLoc());
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
    Code code(rewriter, op.getLoc());
    replace(op,
            code.loadPointer(code.abi.frame, adaptor.getFrame(),
                             AbiStructs::FrameWorkspace),
            adaptor.getBytes(), rewriter);
    return success();
  }
};

struct LowerDescriptors : HostPattern<DescriptorsOp> {
  using HostPattern::HostPattern;

  LogicalResult
  matchAndRewrite(DescriptorsOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Code code(rewriter, op.getLoc());
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

/// A memref as a function takes it: its address and the sizes and strides that
/// its type does not have.
class BufferArguments {
public:
  BufferArguments(MemRefType type) : type(type) {
    std::tie(strides, std::ignore) = type.getStridesAndOffset();
  }

  SmallVector<Value> flatten(Code &code, MemRefDescriptor memref) const {
    SmallVector<Value> values{memref.alignedPtr(code.b, code.loc)};
    for (int64_t axis = 0; axis < type.getRank(); ++axis) {
      if (type.isDynamicDim(axis))
        values.push_back(memref.size(code.b, code.loc, axis));
      if (ShapedType::isDynamic(strides[axis]))
        values.push_back(memref.stride(code.b, code.loc, axis));
    }
    return values;
  }

  /// Takes what `flatten` gives from the front of `arguments`, and fills
  /// descriptor `index` with it. Halide counts dimensions from the innermost.
  Value describe(Code &code, Type room, Value roomAddress, unsigned index,
                 ValueRange &arguments) const {
    const AbiStructs &abi = code.abi;
    auto next = [&] {
      Value value = arguments.front();
      arguments = arguments.drop_front();
      return value;
    };
    Value buffer = code.element(
        abi.buffer, code.field(room, roomAddress, AbiStructs::RoomBuffers),
        index);
    Value dimensions =
        code.element(abi.dimension,
                     code.field(room, roomAddress, AbiStructs::RoomDimensions),
                     index * HEDDLE_MAX_RANK);
    Type element = type.getElementType();
    auto store = [&](AbiStructs::Buffer field, Value value) {
      code.store(abi.buffer, buffer, field, value);
    };
    store(AbiStructs::BufferDevice, code.number(64, 0));
    store(AbiStructs::BufferInterface, code.null());
    store(AbiStructs::BufferData, next());
    store(AbiStructs::BufferFlags, code.number(64, 0));
    store(AbiStructs::BufferTypeCode,
          code.number(8, AbiStructs::codeOf(element)));
    store(AbiStructs::BufferTypeBits,
          code.number(8, element.getIntOrFloatBitWidth()));
    store(AbiStructs::BufferTypeLanes, code.number(16, 1));
    store(AbiStructs::BufferRank, code.number(32, type.getRank()));
    store(AbiStructs::BufferDimensions, dimensions);
    store(AbiStructs::BufferReserved, code.null());
    for (int64_t axis = 0; axis < type.getRank(); ++axis) {
      Value dimension =
          code.element(abi.dimension, dimensions, type.getRank() - 1 - axis);
      auto set = [&](AbiStructs::Dimension field, int64_t number) {
        Value value = ShapedType::isDynamic(number) ? code.truncate(next())
                                                    : code.number(32, number);
        code.store(abi.dimension, dimension, field, value);
      };
      set(AbiStructs::DimensionMin, 0);
      set(AbiStructs::DimensionExtent, type.getDimSize(axis));
      set(AbiStructs::DimensionStride, strides[axis]);
      set(AbiStructs::DimensionFlags, 0);
    }
    return buffer;
  }

private:
  MemRefType type;
  SmallVector<int64_t> strides;
};

struct LowerDispatch : HostPattern<DispatchOp> {
  using HostPattern::HostPattern;

  LogicalResult
  matchAndRewrite(DispatchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Code code(rewriter, op.getLoc());
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
    returnFailure(code, call.getResult());
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
  LLVM::LLVMFuncOp dispatcher(Code &code, DispatchOp op,
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
    SmallVector<Value> inputs{context};
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
    returnFailure(code, call.getResult());
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
  void observe(Code &code, const Launch &launch, bool finished) const {
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

  static void returnFailure(Code &code, Value status) {
    ConversionPatternRewriter &b = code.b;
    Value failed = LLVM::ICmpOp::create(b, code.loc, LLVM::ICmpPredicate::ne,
                                        status, code.number(32, 0));
    Block *before = b.getInsertionBlock();
    Block *next = b.splitBlock(before, b.getInsertionPoint());
    Block *exit = b.createBlock(next);
    LLVM::ReturnOp::create(b, code.loc, status);
    b.setInsertionPointToEnd(before);
    LLVM::CondBrOp::create(b, code.loc, failed, exit, next);
    b.setInsertionPointToStart(next);
  }
};

} // namespace

void heddle::addHostConversions(LLVMTypeConverter &converter) {
  auto toPointer = [](Type type) {
    return LLVM::LLVMPointerType::get(type.getContext());
  };
  converter.addConversion([=](FrameType type) { return toPointer(type); });
  converter.addConversion(
      [=](DescriptorsType type) { return toPointer(type); });
}

void heddle::populateHostPatterns(LLVMTypeConverter &converter,
                                  RewritePatternSet &patterns,
                                  StringRef prefix) {
  patterns.add<LowerSize, LowerArgument, LowerWeights, LowerWorkspace,
               LowerDescriptors, LowerDispatch>(converter, prefix);
}
