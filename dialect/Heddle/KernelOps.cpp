// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace heddle;

//===-- heddle.kernel -----------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildFunctionType =
      [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
         function_interface_impl::VariadicFlag,
         std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildFunctionType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult KernelOp::verifyRegions() {
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  if (yield.getOperandTypes() == TypeRange(getResultTypes()))
    return success();
  InFlightDiagnostic diagnostic = emitOpError("expected results of types ")
                                  << getResultTypes();
  diagnostic.attachNote(yield.getLoc())
      << "yields types " << yield.getOperandTypes();
  return diagnostic;
}

//===-- heddle.launch -----------------------------------------------------===//

Type heddle::typeInKernel(Type type) {
  if (auto cache = dyn_cast<CacheType>(type))
    return cache.withLayers(1);
  return type;
}

// Whether a tensor of the type `there` has the elements of one of the type
// `here` in their order, with neighbouring dimensions as one.
static bool isCollapsed(RankedTensorType here, RankedTensorType there) {
  Sizes sizes = sizesOf(here), merged = sizesOf(there);
  if (llvm::is_contained(sizes, SizeAttr()) ||
      llvm::is_contained(merged, SizeAttr()))
    return false;
  auto isOne = [](SizeAttr size) { return size.asNumber() == 1; };
  llvm::erase_if(sizes, isOne);
  llvm::erase_if(merged, isOne);
  auto *size = sizes.begin();
  for (SizeAttr expected : merged) {
    SizeAttr found = SizeAttr::number(here.getContext(), 1);
    while (found != expected && size != sizes.end())
      found = found * *size++;
    if (found != expected)
      return false;
  }
  return size == sizes.end() && here.getElementType() == there.getElementType();
}

static bool isTypeInKernel(Type here, Type there) {
  if (typeInKernel(here) == there)
    return true;
  auto tensor = dyn_cast<RankedTensorType>(here);
  auto other = dyn_cast<RankedTensorType>(there);
  return tensor && other && isCollapsed(tensor, other);
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  // C1
  auto kernel =
      symbolTable.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("expected a heddle.kernel, found nothing named ")
           << getKernelAttr();
  // C2
  auto matches = [](TypeRange here, ArrayRef<Type> there) {
    return llvm::equal(here, there, isTypeInKernel);
  };
  if (!matches(getOperandTypes(), kernel.getArgumentTypes()) ||
      !matches(getResultTypes(), kernel.getResultTypes())) {
    InFlightDiagnostic diagnostic =
        emitOpError("expected the types of the kernel, ")
        << kernel.getFunctionType();
    diagnostic.attachNote(kernel.getLoc()) << "the kernel";
    return diagnostic;
  }
  // C3
  for (Type type : getOperandTypes()) {
    auto cache = dyn_cast<CacheType>(type);
    if (!cache)
      continue;
    if (!getLayer())
      return emitOpError("expected a layer for the cache");
    if (*getLayer() >= (uint64_t)cache.getLayers())
      return emitOpError("expected a layer below ")
             << cache.getLayers() << ", found " << *getLayer();
  }
  // C4
  if (llvm::none_of(getResultTypes(), llvm::IsaPred<CacheType>))
    return success();
  for (OpOperand &operand : (*this)->getOpOperands())
    if (isa<CacheType>(operand.get().getType()) &&
        failed(verifyLastUse(operand, getLayer().value_or(0))))
      return failure();
  return success();
}
