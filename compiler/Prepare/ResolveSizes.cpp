// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/ControlFlowSizes.h"
#include "compiler/Prepare/ConvertElements.h"
#include "compiler/Prepare/Passes.h"
#include "compiler/Prepare/ScalarSizes.h"
#include "dialect/Heddle/DeclaredSize.h"
#include "dialect/Heddle/KernelAttributes.h"

#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle {
#define GEN_PASS_DEF_RESOLVESIZES
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// Neither scalars nor vectors have sizes.
static bool hasSizes(Type type) {
  return isa<RankedTensorType, CacheType, MaskType>(type);
}

static bool areKnown(ArrayRef<SizeAttr> sizes) {
  return !llvm::is_contained(sizes, SizeAttr());
}

// The expressions of an argument's attribute, one for each unknown size.
static FailureOr<Sizes> parseSizes(FunctionOpInterface function, unsigned index,
                                   ArrayAttr texts) {
  Sizes sizes;
  for (Attribute text : texts) {
    std::string error;
    SizeAttr size = parseDeclaredSize(text, error);
    if (!size)
      return function.emitOpError("in ")
             << kSizesAttr << " of argument " << index << ", " << text << ": "
             << error;
    if (size.asNumber() && *size.asNumber() < 0)
      return function.emitOpError("in ")
             << kSizesAttr << " of argument " << index
             << ": expected a size of at least 0, found " << size.str();
    sizes.push_back(size);
  }
  return sizes;
}

static LogicalResult resolveBlock(Block &block);
static LogicalResult convertBody(GenericOp op);
static LogicalResult resolveRegions(AttentionOp op);
static LogicalResult resolveScores(Operation *op, Region &score);

// Whether what `type` holds satisfies `isValid`, if it is a tensor.
static bool hasElements(Type type, bool (&isValid)(Type)) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return !tensor || isValid(tensor.getElementType());
}

static LogicalResult checkElements(Operation *op) {
  for (auto [index, type] : llvm::enumerate(op->getResultTypes()))
    if (!hasElements(type, isWeightElementType))
      return op->emitOpError("expected result ")
             << index << " to have elements of " << kElementTypes << ", found "
             << type;
  return success();
}

// Takes the attribute of an argument into its type.
static LogicalResult resolveArgument(FunctionOpInterface function,
                                     BlockArgument argument) {
  unsigned index = argument.getArgNumber();
  if (!hasSizes(argument.getType()))
    return function.emitOpError("expected argument ")
           << index << " to be a ranked tensor, a cache or a mask, found "
           << argument.getType();
  bool isWeight = function.getArgAttr(index, kWeightAttr) != nullptr;
  if (!hasElements(argument.getType(),
                   isWeight ? isWeightElementType : isElementType))
    return emitError(argument.getLoc())
           << "expected argument " << index << " to have elements of "
           << kElementTypes << ", found " << argument.getType();
  Sizes sizes = sizesOf(argument);
  auto texts = function.getArgAttrOfType<ArrayAttr>(index, kSizesAttr);
  size_t expected = llvm::count(sizes, SizeAttr());
  if (expected != (texts ? texts.size() : 0))
    return function.emitOpError("expected ") << kSizesAttr << " of " << expected
                                             << " sizes on argument " << index;
  if (!texts)
    return success();
  FailureOr<Sizes> known = parseSizes(function, index, texts);
  if (failed(known))
    return failure();
  unsigned next = 0;
  for (SizeAttr &size : sizes)
    if (!size)
      size = (*known)[next++];
  argument.setType(withSizes(argument.getType(), sizes));
  function.removeArgAttr(index,
                         StringAttr::get(function.getContext(), kSizesAttr));
  return success();
}

// Checks that a result may have these sizes: what its type says, it has.
static LogicalResult checkDeclared(Operation *op, unsigned index,
                                   ArrayRef<SizeAttr> sizes) {
  Type type = op->getResult(index).getType();
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (!shaped)
    return success();
  bool fits = shaped.getRank() == int64_t(sizes.size());
  if (fits)
    for (auto [declared, size] : llvm::zip_equal(shaped.getShape(), sizes))
      fits &= ShapedType::isDynamic(declared) || size.asNumber() == declared;
  if (fits)
    return success();
  return op->emitOpError("expected result ")
         << index << " of type " << withSizes(type, sizes) << ", found "
         << type;
}

static LogicalResult resolveOp(Operation *op) {
  if (isNumbersOnly(op))
    return checkNumbers(op);
  if (isControlFlow(op))
    return resolveControlFlow(op, resolveBlock);
  auto known = dyn_cast<SizesOpInterface>(op);
  if (!known)
    return isa<CallOpInterface>(op)
               ? op->emitOpError(
                     "expected a call that ends: the function calls "
                     "itself, or has no body")
               : op->emitOpError(
                     "is not supported: expected ops of heddle, arith "
                     "and math, or those of linalg, tensor and scf "
                     "that become such");
  // Numbers are operands of what stands between kernels, and of nothing else.
  auto fused = dyn_cast<FusionOpInterface>(op);
  bool takesNumbers = fused && fused.getFusionRole() == FusionRole::Control;
  auto check = [&](StringRef what, ValueRange values) -> LogicalResult {
    for (auto [index, type] : llvm::enumerate(values.getTypes()))
      if (!hasSizes(type) && !(takesNumbers && type.isIntOrIndexOrFloat()))
        return op->emitOpError("expected ")
               << what << " " << index
               << " to be a ranked tensor, a cache or a mask, found " << type;
    return success();
  };
  if (failed(check("operand", op->getOperands())) ||
      failed(check("result", op->getResults())))
    return failure();
  SmallVector<Sizes> sizes;
  if (failed(known.inferSizes(sizes)))
    return failure();
  for (auto [result, resultSizes] : llvm::zip_equal(op->getResults(), sizes)) {
    if (!areKnown(resultSizes))
      return op->emitOpError("has a dynamic dimension whose size is not known");
    for (SizeAttr size : resultSizes)
      if (size.asNumber().value_or(0) < 0)
        return op->emitOpError("expected sizes of at least 0, found ")
               << size.str();
    if (failed(checkDeclared(op, result.getResultNumber(), resultSizes)))
      return failure();
    result.setType(withSizes(result.getType(), resultSizes));
  }
  if (auto attention = dyn_cast<AttentionOp>(op))
    return resolveRegions(attention);
  if (auto attention = dyn_cast<MultiHeadAttentionOp>(op))
    return resolveScores(attention, attention.getScore());
  auto generic = dyn_cast<GenericOp>(op);
  return generic ? convertBody(generic) : success();
}

// What is computed of scores, or terms, whose sizes attention has given them.
static LogicalResult resolveRegion(Operation *op, StringRef what,
                                   Region &region) {
  if (region.empty())
    return success();
  Block &body = region.front();
  if (failed(resolveBlock(body)))
    return failure();
  Type expected = body.getArgument(0).getType();
  Type found = body.getTerminator()->getOperand(0).getType();
  if (found != expected)
    return op->emitOpError("expected ")
           << what << " of type " << expected << ", found " << found;
  return success();
}

static LogicalResult resolveScores(Operation *op, Region &score) {
  return resolveRegion(op, "changed scores", score);
}

static LogicalResult resolveRegions(AttentionOp op) {
  return failure(failed(resolveRegion(op, "terms", op.getTerm())) ||
                 failed(resolveScores(op, op.getScore())) ||
                 failed(resolveRegion(op, "factors", op.getFactors())));
}

// Replaces ops of other dialects on its numbers.
static LogicalResult convertBody(GenericOp op) {
  Block &body = op.getBody().front();
  for (Operation &inside :
       llvm::make_early_inc_range(body.without_terminator())) {
    auto foreign = dyn_cast<ConvertOpInterface>(inside);
    if (!foreign)
      continue;
    OpBuilder builder(foreign);
    SmallVector<Value> results;
    if (failed(foreign.convert(builder, results)))
      return failure();
    foreign->replaceAllUsesWith(results);
    foreign->erase();
  }
  return success();
}

// tensor.empty says nothing but the sizes of a result.
static LogicalResult resolveEmpty(tensor::EmptyOp op) {
  FailureOr<Sizes> sizes = sizesOfScalars(op, op.getMixedSizes());
  if (succeeded(sizes))
    op.getResult().setType(tensorOf(*sizes, op.getType().getElementType()));
  return sizes;
}

// Resolves the ops that `create` creates before `op`.
static LogicalResult
resolveCreated(Operation *op,
               llvm::function_ref<LogicalResult(OpBuilder &)> create) {
  Block &block = *op->getBlock();
  Operation *before = op->getPrevNode();
  OpBuilder builder(op);
  if (failed(create(builder)))
    return failure();
  auto first = before ? std::next(before->getIterator()) : block.begin();
  for (Operation &created : llvm::make_range(first, op->getIterator()))
    if (failed(resolveOp(&created)))
      return failure();
  return success();
}

// Replaces an op of another dialect. Its own verifier knows nothing of sizes:
// those of the new ops say whether they fit.
static LogicalResult convertOp(ConvertOpInterface op) {
  SmallVector<Value> results;
  auto convert = [&](OpBuilder &builder) {
    return op.convert(builder, results);
  };
  if (failed(resolveCreated(op, convert)))
    return failure();
  op->replaceAllUsesWith(results);
  return success();
}

// Control flow reads numbers at constants alone; at others a kernel does, which
// stays inside of the tensor.
static LogicalResult convertComputedIndices(tensor::ExtractOp op) {
  auto isConstant = [](Value index) {
    return getConstantIntValue(index).has_value();
  };
  if (llvm::all_of(op.getIndices(), isConstant))
    return success();
  Value element;
  auto convert = [&](OpBuilder &builder) {
    FailureOr<Value> made = heddle::convert(op, builder);
    if (succeeded(made))
      element = *made;
    return LogicalResult(made);
  };
  if (failed(resolveCreated(op, convert)))
    return failure();
  op.getTensorMutable().assign(element);
  op.getIndicesMutable().clear();
  return success();
}

// What control flow and its numbers are made of is the size alone.
static LogicalResult convertDim(tensor::DimOp op) {
  SizeAttr size = sizeOfScalar(op.getResult());
  if (!size)
    return op.emitOpError("expected a constant that is a dimension of ")
           << op.getSource().getType();
  OpBuilder builder(op);
  op.replaceAllUsesWith(
      SizeOp::create(builder, op.getLoc(), op.getType(), size).getResult());
  return success();
}

// Resolves an op, or creates what replaces it. One that `isReplaced` goes once
// its users have gone.
static LogicalResult resolveOrReplace(Operation &op, bool &isReplaced) {
  auto empty = dyn_cast<tensor::EmptyOp>(op);
  auto dim = dyn_cast<tensor::DimOp>(op);
  auto foreign = dyn_cast<ConvertOpInterface>(op);
  isReplaced = empty || dim || foreign || isNumbersOnly(&op);
  if (empty)
    return resolveEmpty(empty);
  if (dim)
    return success();
  if (failed(checkElements(&op)))
    return failure();
  if (foreign)
    return convertOp(foreign);
  return isReplaced ? success() : resolveOp(&op);
}

// Of an op that is replaced: erases it, or keeps a number that is still used.
static LogicalResult finish(Operation *op) {
  auto dim = dyn_cast<tensor::DimOp>(op);
  if (dim && !dim->use_empty() && failed(convertDim(dim)))
    return failure();
  if (op->use_empty()) {
    op->erase();
    return success();
  }
  if (!isNumbersOnly(op))
    return op->emitOpError("cannot be compiled: it is used as a value");
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  if (extract && failed(convertComputedIndices(extract)))
    return failure();
  return checkNumbers(op);
}

// Resolves all ops of a block; those of other dialects are replaced.
static LogicalResult resolveBlock(Block &block) {
  SmallVector<Operation *> replaced;
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    bool isReplaced = false;
    if (failed(resolveOrReplace(op, isReplaced)))
      return failure();
    if (isReplaced)
      replaced.push_back(&op);
  }
  for (Operation *op : llvm::reverse(replaced))
    if (failed(finish(op)))
      return failure();
  return success();
}

LogicalResult heddle::resolveSizes(FunctionOpInterface function) {
  if (function.isExternal())
    return success();
  size_t blocks = function.getFunctionBody().getBlocks().size();
  if (blocks != 1)
    return function.emitOpError("expected one block, as branches and loops are "
                                "those of scf, found ")
           << blocks;
  for (BlockArgument argument : function.getArguments())
    if (failed(resolveArgument(function, argument)))
      return failure();
  Block &body = function.getFunctionBody().front();
  if (failed(resolveBlock(body)))
    return failure();
  function.setType(FunctionType::get(function.getContext(),
                                     body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
  return success();
}

namespace {
struct ResolveSizes : heddle::impl::ResolveSizesBase<ResolveSizes> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (failed(resolveSizes(function)))
        return signalPassFailure();
    for (auto weight : getOperation().getOps<WeightOp>())
      if (weight.isDerived() && failed(resolveBlock(weight.getBody().front())))
        return signalPassFailure();
    // Front ends leave variables behind that nothing uses.
    for (auto global : llvm::make_early_inc_range(
             getOperation().getOps<ml_program::GlobalOp>()))
      if (SymbolTable::symbolKnownUseEmpty(global, getOperation()))
        global.erase();
  }
};
} // namespace
