// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/EmitRun.h"

#include "mlir/IR/Matchers.h"
#include "llvm/IR/IRBuilder.h"

using namespace heddle;
using llvm::Constant;
using llvm::Value;

namespace {

/// Emits the function that runs one entry point.
class RunEmitter {
public:
  RunEmitter(llvm::Module &module, const AbiTypes &abi, const EntryPlan &entry,
             const GlueOptions &options)
      : module(module), abi(abi), entry(entry), options(options),
        b(module.getContext()) {}

  llvm::Function *emit() {
    auto *type = llvm::FunctionType::get(abi.i32, {abi.pointer}, false);
    function = llvm::Function::Create(
        type, llvm::GlobalValue::InternalLinkage,
        options.prefix + "_" + entry.name + "_run", module);
    frame = function->getArg(0);
    b.SetInsertPoint(block("entry"));
    context = load(abi.frame, frame, AbiTypes::FrameContext, abi.pointer);
    weights = load(abi.frame, frame, AbiTypes::FrameWeights, abi.pointer);
    workspace = load(abi.frame, frame, AbiTypes::FrameWorkspace, abi.pointer);
    buffers = load(abi.frame, frame, AbiTypes::FrameBuffers, abi.pointer);
    Value *sizes = load(abi.frame, frame, AbiTypes::FrameSizes, abi.pointer);
    for (auto [index, symbol] : llvm::enumerate(entry.symbols))
      symbols.push_back(b.CreateLoad(
          abi.i64, b.CreateConstInBoundsGEP1_64(abi.i64, sizes, index),
          symbol.name));
    emitBounds();
    emitArenas();
    allocateBuffers();
    for (auto [index, launch] : llvm::enumerate(entry.launches))
      emitLaunch(index, launch);
    b.CreateRet(b.getInt32(0));
    return function;
  }

private:
  llvm::BasicBlock *block(const llvm::Twine &name) {
    return llvm::BasicBlock::Create(module.getContext(), name, function);
  }

  Value *load(llvm::StructType *type, Value *base, unsigned field,
              llvm::Type *fieldType) {
    return b.CreateLoad(fieldType, b.CreateStructGEP(type, base, field));
  }

  void store(llvm::StructType *type, Value *base, unsigned field,
             Value *value) {
    b.CreateStore(value, b.CreateStructGEP(type, base, field));
  }

  Value *divideUp(Value *value, int64_t unit) {
    return b.CreateUDiv(b.CreateAdd(value, b.getInt64(unit - 1)),
                        b.getInt64(unit));
  }

  Value *roundUp(Value *value, int64_t multiple) {
    if (multiple == 1)
      return value;
    return b.CreateMul(divideUp(value, multiple), b.getInt64(multiple));
  }

  Value *evaluate(const SizeExpr &size) {
    Value *value = b.getInt64(size.factor);
    for (unsigned symbol : size.symbols)
      value = b.CreateMul(value, symbols[symbol]);
    if (size.divisor != 1)
      value = divideUp(value, size.divisor);
    return b.CreateMul(value, b.getInt64(size.multiplier));
  }

  // if (some product > kLargestCount) return HEDDLE_RUN_TOO_LARGE;
  // Sizes have 32 bits, so that a product that stops there needs 64 at most.
  // Capacities count as the whole blocks that a cache has of them.
  void emitBounds() {
    if (entry.bounds.empty())
      return;
    Value *fits = b.getTrue();
    for (const SizeExpr &bound : entry.bounds) {
      Value *product = b.getInt64(bound.factor);
      for (unsigned symbol : bound.symbols) {
        Value *size = symbols[symbol];
        if (entry.symbols[symbol].role == SizeRole::Capacity)
          size = roundUp(size, HEDDLE_CACHE_BLOCK);
        product = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin,
                                          b.CreateMul(product, size),
                                          b.getInt64(kLargestCount + 1));
      }
      fits = b.CreateAnd(fits,
                         b.CreateICmpULE(product, b.getInt64(kLargestCount)));
    }
    llvm::BasicBlock *tooLarge = block("too_large"), *next = block("fits");
    b.CreateCondBr(fits, next, tooLarge);
    b.SetInsertPoint(tooLarge);
    b.CreateRet(b.getInt32(HEDDLE_RUN_TOO_LARGE));
    b.SetInsertPoint(next);
  }

  // Where each arena starts, as heddle_workspace_size lays them out.
  void emitArenas() {
    Value *offset = b.getInt64(0);
    for (const ArenaPlan &arena : entry.arenas) {
      SizeExpr product = arena.units;
      product.factor = 1;
      Value *units = b.CreateMul(roundUp(evaluate(product), arena.unitMultiple),
                                 b.getInt64(arena.units.factor));
      arenaUnits.push_back(units);
      arenaBases.push_back(b.CreateGEP(abi.i8, workspace, offset));
      Value *bytes = b.CreateMul(units, b.getInt64(arena.bytesPerUnit));
      offset = b.CreateAdd(offset, roundUp(bytes, HEDDLE_ALIGNMENT));
    }
  }

  // One set of descriptors on the stack serves all launches.
  void allocateBuffers() {
    size_t most = 0;
    for (const LaunchPlan &launch : entry.launches)
      most = std::max(most, launch.buffers.size());
    descriptors = b.CreateAlloca(abi.buffer, b.getInt32(most), "descriptors");
    dimensions = b.CreateAlloca(
        abi.dimension, b.getInt32(most * HEDDLE_MAX_RANK), "dimensions");
    pointers = b.CreateAlloca(abi.pointer, b.getInt32(most), "pointers");
    event = b.CreateAlloca(abi.event, nullptr, "event");
    for (size_t i = 0; i < most; ++i)
      b.CreateStore(descriptor(i),
                    b.CreateConstGEP1_64(abi.pointer, pointers, i));
  }

  Value *descriptor(size_t index) {
    return b.CreateConstGEP1_64(abi.buffer, descriptors, index);
  }

  //===-- Launches --------------------------------------------------------===//

  void emitLaunch(unsigned index, const LaunchPlan &launch) {
    halide::PipelineOp pipeline = launch.pipeline;
    llvm::SmallVector<Value *> arguments = {context};
    llvm::DenseMap<mlir::Value, Value *> params;
    unsigned nextParam = 0, nextBuffer = 0;
    for (mlir::Operation &op : pipeline.getBody().front()) {
      if (auto param = mlir::dyn_cast<halide::ParamOp>(op)) {
        Value *size = evaluate(launch.params[nextParam++]);
        params[param.getResult()] = size;
        arguments.push_back(b.CreateTrunc(size, abi.i32));
      } else if (auto input = mlir::dyn_cast<halide::InputOp>(op)) {
        describe(nextBuffer, launch.buffers[nextBuffer], input, input.getType(),
                 params);
        arguments.push_back(descriptor(nextBuffer++));
      } else if (auto output = mlir::dyn_cast<halide::OutputOp>(op)) {
        auto func = pipeline.lookupSymbol<halide::FuncOp>(output.getFunc());
        describe(nextBuffer, launch.buffers[nextBuffer], output,
                 func.getElementType(), params);
        arguments.push_back(descriptor(nextBuffer++));
      }
    }
    orderArguments(pipeline, arguments);
    observe(index, launch, 0);
    llvm::SmallVector<llvm::Type *> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    llvm::FunctionCallee kernel = module.getOrInsertFunction(
        options.prefix + "_" + pipeline.getSymName().str(),
        llvm::FunctionType::get(abi.i32, types, false));
    Value *status = b.CreateCall(kernel, arguments);
    llvm::BasicBlock *failed = block("failed"), *next = block("next");
    b.CreateCondBr(b.CreateICmpNE(status, b.getInt32(0)), failed, next);
    b.SetInsertPoint(failed);
    b.CreateRet(status);
    b.SetInsertPoint(next);
    observe(index, launch, 1);
  }

  // Kernels take inputs and parameters in the order of their ops, then outputs.
  void orderArguments(halide::PipelineOp pipeline,
                      llvm::SmallVectorImpl<Value *> &arguments) {
    llvm::SmallVector<Value *> inputs = {arguments[0]}, outputs;
    unsigned next = 1;
    for (mlir::Operation &op : pipeline.getBody().front()) {
      if (mlir::isa<halide::ParamOp, halide::InputOp>(op))
        inputs.push_back(arguments[next++]);
      else if (mlir::isa<halide::OutputOp>(op))
        outputs.push_back(arguments[next++]);
    }
    inputs.append(outputs);
    arguments.assign(inputs.begin(), inputs.end());
  }

  template <typename Op>
  void describe(unsigned index, const BufferPlace &place, Op op,
                mlir::Type type,
                const llvm::DenseMap<mlir::Value, Value *> &params) {
    Value *buffer = descriptor(index);
    Value *dims = b.CreateConstGEP1_64(abi.dimension, dimensions,
                                       index * HEDDLE_MAX_RANK);
    unsigned rank = op.getStaticExtents().size(), nextDynamic = 0;
    Value *dense = b.getInt64(1);
    Value *elements = b.getInt64(1);
    for (unsigned i = 0; i < rank; ++i) {
      int64_t fixed = op.getStaticExtents()[i];
      Value *extent = b.getInt64(fixed);
      if (mlir::ShapedType::isDynamic(fixed)) {
        mlir::Value size = op.getExtents()[nextDynamic++];
        llvm::APInt constant;
        extent = mlir::matchPattern(size, mlir::m_ConstantInt(&constant))
                     ? b.getInt64(constant.getSExtValue())
                     : params.lookup(size);
        assert(extent && "verified: extents are parameters or constants");
      }
      Value *stride = dense;
      if (op.getStrides() && (*op.getStrides())[i])
        stride = b.getInt64((*op.getStrides())[i]);
      dense = b.CreateMul(stride, extent);
      elements = dense;
      Value *dim = b.CreateConstGEP1_64(abi.dimension, dims, i);
      store(abi.dimension, dim, 0, b.getInt32(0));
      store(abi.dimension, dim, 1, b.CreateTrunc(extent, abi.i32));
      store(abi.dimension, dim, 2, b.CreateTrunc(stride, abi.i32));
      store(abi.dimension, dim, 3, b.getInt32(0));
    }
    auto [code, bits] = AbiTypes::elementCode(type);
    b.CreateStore(Constant::getNullValue(abi.buffer), buffer);
    store(abi.buffer, buffer, AbiTypes::BufferData, address(place, elements));
    store(abi.buffer, buffer, AbiTypes::BufferTypeCode, b.getInt8(code));
    store(abi.buffer, buffer, AbiTypes::BufferTypeBits, b.getInt8(bits));
    store(abi.buffer, buffer, AbiTypes::BufferTypeLanes, b.getInt16(1));
    store(abi.buffer, buffer, AbiTypes::BufferRank, b.getInt32(rank));
    store(abi.buffer, buffer, AbiTypes::BufferDimensions, dims);
  }

  Value *address(const BufferPlace &place, Value *elements) {
    switch (place.kind) {
    case BufferPlace::Argument:
      return argumentPointer(place.argument);
    case BufferPlace::Weight:
      return b.CreateConstGEP1_64(abi.i8, weights, place.offset);
    case BufferPlace::Workspace:
      return b.CreateGEP(
          abi.i8, arenaBases[place.arena],
          b.CreateMul(arenaUnits[place.arena], b.getInt64(place.offset)));
    case BufferPlace::Cache: {
      // [layer][keys, values][batch][head]...; both parts have `elements` f32.
      Value *index =
          b.CreateMul(elements, b.getInt64(place.layer * 2 + place.part));
      return b.CreateGEP(abi.f32, argumentPointer(place.argument), index);
    }
    }
    llvm_unreachable("all places are covered");
  }

  Value *argumentPointer(unsigned index) {
    return b.CreateLoad(abi.pointer,
                        b.CreateConstGEP1_64(abi.pointer, buffers, index));
  }

  // if (context->observer) context->observer(context->observer_data, &event);
  void observe(unsigned index, const LaunchPlan &launch, unsigned finished) {
    Value *observer =
        load(abi.context, context, AbiTypes::ContextObserver, abi.pointer);
    llvm::BasicBlock *call = block("observe"), *next = block("go");
    b.CreateCondBr(b.CreateIsNotNull(observer), call, next);
    b.SetInsertPoint(call);
    halide::PipelineOp pipeline = launch.pipeline;
    store(abi.event, event, 0, abi.string(entry.name));
    store(abi.event, event, 1, abi.string(pipeline.getSymName()));
    store(abi.event, event, 2, b.getInt32(index));
    store(abi.event, event, 3, b.getInt32(finished));
    store(abi.event, event, 4, b.getInt32(launch.buffers.size()));
    store(abi.event, event, 5, pointers);
    Value *data =
        load(abi.context, context, AbiTypes::ContextObserverData, abi.pointer);
    b.CreateCall(llvm::FunctionType::get(llvm::Type::getVoidTy(b.getContext()),
                                         {abi.pointer, abi.pointer}, false),
                 observer, {data, event});
    b.CreateBr(next);
    b.SetInsertPoint(next);
  }

  llvm::Module &module;
  const AbiTypes &abi;
  const EntryPlan &entry;
  const GlueOptions &options;
  llvm::IRBuilder<> b;
  llvm::Function *function = nullptr;
  Value *frame = nullptr, *context = nullptr, *weights = nullptr;
  Value *workspace = nullptr, *buffers = nullptr;
  Value *descriptors = nullptr, *dimensions = nullptr, *pointers = nullptr;
  Value *event = nullptr;
  llvm::SmallVector<Value *> symbols, arenaUnits, arenaBases;
};

} // namespace

llvm::Function *heddle::emitRun(llvm::Module &module, const AbiTypes &abi,
                                const EntryPlan &entry,
                                const GlueOptions &options) {
  return RunEmitter(module, abi, entry, options).emit();
}
