// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of a kernel become input buffers, in the layout that the machine
// wants.

#include "compiler/Fusion/Sizes.h"
#include "compiler/Lowering/KernelBuilder.h"

using namespace mlir;
using namespace heddle;

namespace {
struct Layout {
  SmallVector<int64_t> extents;
  SmallVector<Value> dynamicExtents;
  std::optional<SmallVector<int64_t>> strides;
};
} // namespace

static void createInput(KernelBuilder &k, StringRef name, const Layout &layout,
                        Type type, unsigned argument) {
  halide::InputOp::create(
      k.builder, k.loc(), name, layout.dynamicExtents, layout.extents,
      layout.strides ? k.builder.getDenseI64ArrayAttr(*layout.strides)
                     : DenseI64ArrayAttr(),
      type, k.builder.getI64IntegerAttr(argument), IntegerAttr());
}

// Of a tensor, all dimensions: rows of f32 in the workspace are padded.
static void lowerTensor(KernelBuilder &k, BlockArgument argument) {
  unsigned index = argument.getArgNumber();
  auto type = cast<RankedTensorType>(argument.getType());
  Layout layout;
  layout.strides =
      tensorStrides(k, type, bool(k.kernel.getArgAttr(index, kExternalAttr)));
  Sizes sizes = sizesOf(type);
  for (SizeAttr size : llvm::reverse(sizes)) {
    std::optional<int64_t> number = size.asNumber();
    layout.extents.push_back(number.value_or(ShapedType::kDynamic));
    if (!number)
      layout.dynamicExtents.push_back(k.param(size));
  }
  std::string name = k.unique("arg" + std::to_string(index));
  createInput(k, name, layout, type.getElementType(), index);
  Field field{name, type.getElementType(), {}};
  field.isTensor = true;
  k.setField(argument, field);
}

SmallVector<int64_t> heddle::tensorStrides(KernelBuilder &k,
                                           RankedTensorType type,
                                           bool isExternal) {
  SmallVector<int64_t> strides(type.getRank(), 0); // dense
  if (strides.empty())
    return strides;
  strides[0] = 1;
  int64_t channels = type.getShape().back();
  if (type.getRank() > 1 && !ShapedType::isDynamic(channels))
    strides[1] = isExternal || !type.getElementType().isF32()
                     ? channels
                     : k.machine.rowStride(channels);
  return strides;
}

void heddle::lowerInput(KernelBuilder &k, BlockArgument argument) {
  unsigned index = argument.getArgNumber();
  // Caches become buffers where they are read or written.
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type)
    return;
  if (!k.kernel.getArgAttr(index, kWeightAttr) &&
      !k.kernel.getBody().getOps<GenericOp>().empty())
    return lowerTensor(k, argument);
  std::string name = k.unique("arg" + std::to_string(index));
  Type element = type.getElementType();
  Layout layout;
  Field field{name, element, {}, /*hasRows=*/false};
  if (k.kernel.getArgAttr(index, kWeightAttr)) {
    if (type.getRank() == 2) { // [panel][input][lane]
      int64_t width = k.machine.panelWidth;
      layout.extents = {width, type.getDimSize(1),
                        (int64_t)llvm::divideCeil(type.getDimSize(0), width)};
    } else {
      for (int64_t extent : llvm::reverse(type.getShape()))
        layout.extents.push_back(extent);
      // Vectors are widened when they are packed.
      field.type = element = Float32Type::get(type.getContext());
    }
    field.channels = layout.extents;
  } else {
    bool isExternal = bool(k.kernel.getArgAttr(index, kExternalAttr));
    if (element.isF32()) {
      int64_t channels = type.getShape().back();
      layout.extents = {channels, ShapedType::kDynamic};
      layout.dynamicExtents = {k.param(rowsOf(type))};
      layout.strides = {1,
                        isExternal ? channels : k.machine.rowStride(channels)};
      field.channels = {channels};
    } else {
      // Ids [batch, length] and counts [batch] are one value for each row.
      layout.extents = {ShapedType::kDynamic};
      layout.dynamicExtents = {
          k.param(product(type.getContext(), sizesOf(type)))};
    }
    field.hasRows = true;
  }
  createInput(k, name, layout, element, index);
  // Tiles read past the last row, which only workspace buffers allow:
  // contractions make a copy of a func (see KernelBuilder::store), never of an
  // input.
  if (element.isF32() && k.kernel.getArgAttr(index, kExternalAttr)) {
    halide::FuncOp copy =
        k.func("copy", {"c", "m"}, element, [&](OpBuilder &b, ValueRange v) {
          return k.read(b, field, v[0], v[1]);
        });
    field.symbol = copy.getSymName().str();
  }
  k.setField(argument, field);
  // Contractions read whole panels, too, and the caller's last row ends before.
  if (field.type.isF32() && !k.kernel.getArgAttr(index, kWeightAttr) &&
      k.kernel.getArgAttr(index, kExternalAttr) &&
      k.machine.rowStride(type.getShape().back()) != type.getShape().back() &&
      !k.kernel.getBody().getOps<LinearOp>().empty())
    k.storeInWorkspace(argument);
}
