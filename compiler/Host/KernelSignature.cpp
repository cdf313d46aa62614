// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Host/KernelSignature.h"

#include "compiler/Lowering/Names.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

// halide.input and halide.output count dimensions from the innermost.
template <typename Op> static Sizes extentsOf(Op op) {
  MLIRContext *context = op.getContext();
  Sizes extents;
  unsigned nextDynamic = 0;
  for (int64_t fixed : op.getStaticExtents()) {
    SizeAttr extent = SizeAttr::number(context, fixed);
    if (ShapedType::isDynamic(fixed)) {
      Value size = op.getExtents()[nextDynamic++];
      llvm::APInt constant;
      extent = matchPattern(size, m_ConstantInt(&constant))
                   ? SizeAttr::number(context, constant.getSExtValue())
                   : size.getDefiningOp<halide::ParamOp>().getSize();
    }
    extents.insert(extents.begin(), extent);
  }
  return extents;
}

MemRefType KernelBuffer::type() const {
  auto shape = llvm::map_to_vector(extents, [](SizeAttr size) {
    return size.asNumber().value_or(ShapedType::kDynamic);
  });
  return MemRefType::get(shape, elementType);
}

KernelSignature KernelSignature::of(halide::PipelineOp pipeline) {
  KernelSignature signature;
  signature.name = pipeline.getSymNameAttr();
  SmallVector<KernelBuffer> written;
  for (Operation &op : pipeline.getBody().front()) {
    KernelBuffer buffer;
    if (auto param = dyn_cast<halide::ParamOp>(op)) {
      signature.parameters.push_back(param.getSize());
    } else if (auto input = dyn_cast<halide::InputOp>(op)) {
      buffer.elementType = input.getType();
      buffer.value = *input.getArgument();
      buffer.part = input.getPart().value_or(0);
      buffer.extents = extentsOf(input);
      signature.buffers.push_back(buffer);
    } else if (auto output = dyn_cast<halide::OutputOp>(op)) {
      auto func = pipeline.lookupSymbol<halide::FuncOp>(output.getFunc());
      buffer.elementType = output.getType().value_or(func.getElementType());
      buffer.isWritten = true;
      buffer.value = *output.getResult();
      buffer.part = output.getPart().value_or(0);
      buffer.extents = extentsOf(output);
      written.push_back(buffer);
    }
  }
  signature.buffers.append(written);
  return signature;
}

SmallVector<Type> KernelSignature::types(MLIRContext *context) const {
  SmallVector<Type> types(parameters.size(), IntegerType::get(context, 32));
  for (const KernelBuffer &buffer : buffers)
    types.push_back(buffer.type());
  return types;
}
