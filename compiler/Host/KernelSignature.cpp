// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Host/KernelSignature.h"

#include "compiler/Lowering/Names.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

// halide.input and halide.output count dimensions from the innermost, and a
// stride of 0 is dense.
template <typename Op> static void addLayout(Op op, KernelBuffer &buffer) {
  MLIRContext *context = op.getContext();
  SizeAttr dense = SizeAttr::number(context, 1);
  unsigned nextDynamic = 0;
  for (auto [index, fixed] : llvm::enumerate(op.getStaticExtents())) {
    SizeAttr extent = SizeAttr::number(context, fixed);
    if (ShapedType::isDynamic(fixed)) {
      Value size = op.getExtents()[nextDynamic++];
      llvm::APInt constant;
      extent = matchPattern(size, m_ConstantInt(&constant))
                   ? SizeAttr::number(context, constant.getSExtValue())
                   : size.getDefiningOp<halide::ParamOp>().getSize();
    }
    SizeAttr stride = dense;
    if (int64_t given = op.getStrides() ? (*op.getStrides())[index] : 0) {
      stride = SizeAttr::number(context, given);
      buffer.largestStride = std::max(buffer.largestStride, given);
    }
    dense = stride * extent;
    buffer.extents.insert(buffer.extents.begin(), extent);
    buffer.strides.insert(buffer.strides.begin(), stride);
  }
}

SizeAttr KernelBuffer::elements() const {
  if (extents.empty())
    return SizeAttr::number(elementType.getContext(), 1);
  return extents.front() * strides.front();
}

MemRefType KernelBuffer::type() const {
  auto toNumbers = [](ArrayRef<SizeAttr> sizes) {
    return llvm::map_to_vector(sizes, [](SizeAttr size) {
      return size.asNumber().value_or(ShapedType::kDynamic);
    });
  };
  return MemRefType::get(
      toNumbers(extents), elementType,
      StridedLayoutAttr::get(elementType.getContext(), 0, toNumbers(strides)));
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
      addLayout(input, buffer);
      signature.buffers.push_back(buffer);
    } else if (auto output = dyn_cast<halide::OutputOp>(op)) {
      auto func = pipeline.lookupSymbol<halide::FuncOp>(output.getFunc());
      buffer.elementType = func.getElementType();
      buffer.isWritten = true;
      buffer.value = *output.getResult();
      buffer.part = output.getPart().value_or(0);
      addLayout(output, buffer);
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
