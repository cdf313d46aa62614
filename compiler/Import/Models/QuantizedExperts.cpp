// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Experts in MXFP4: numbers of F4E2M1, two in a byte, times 2^(scale - 127)

#include "compiler/Import/Models/ModelBuilder.h"
#include "compiler/Import/Models/QuantizedMatrices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

// Elements of a table at integers of `bits` bits, which bytes have along their
// last dimension.
static Value lookUp(ModelBuilder &m, Value bytes, int64_t bits,
                    ArrayRef<double> numbers) {
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(bytes.getType()).getShape());
  shape.back() = shape.back() * 8 / bits;
  Value indices = UnpackOp::create(
      m.b, bytes.getLoc(), RankedTensorType::get(shape, m.b.getI32Type()),
      bytes, int64_t(shape.size()) - 1, bits, /*offset=*/0);
  return GatherOp::create(m.b, bytes.getLoc(),
                          RankedTensorType::get(shape, m.b.getF32Type()),
                          m.constant(numbers), indices,
                          m.b.getI64IntegerAttr(0), IntegerAttr(), UnitAttr());
}

Value heddle::buildQuantizedExperts(ModelBuilder &m,
                                    const QuantizationDescription &quantization,
                                    const Twine &path, int64_t experts,
                                    int64_t outputs, int64_t inputs) {
  std::string name = path.str();
  if (quantization.format != MatrixFormat::MXFP4 ||
      !m.hasTensor(name + "_blocks"))
    return {};
  constexpr heddle_type kByte[] = {HEDDLE_TYPE_U8};
  int64_t blocks = llvm::divideCeil(inputs, 32);
  Value bytes =
      m.stored(name + "_blocks", {experts, outputs, blocks, 16}, kByte);
  Value exponents =
      m.stored(name + "_scales", {experts, outputs, blocks}, kByte);
  if (inputs % 32 != 0)
    m.fail("'" + name +
           "': expected a multiple of 32 inputs, as blocks have "
           "32 of them, found " +
           Twine(inputs));
  if (m.failed())
    return m.zeros({experts, outputs, inputs});
  // Sign, two bits of the exponent, one of the mantissa (OCP Microscaling
  // Formats, version 1.0, table 1).
  constexpr double numbers[] = {0,   0.5,  1,  1.5,  2,  3,  4,  6,
                                -0., -0.5, -1, -1.5, -2, -3, -4, -6};
  SmallVector<double> scales;
  for (int exponent = 0; exponent < 256; ++exponent)
    scales.push_back(exponent == 255 ? std::nan("")
                                     : std::ldexp(1.0, exponent - 127));
  Value elements = lookUp(m, bytes, 4, numbers);
  Value factors = m.reshaped(lookUp(m, exponents, 8, scales),
                             {experts, outputs, blocks, 1});
  factors = m.repeated(factors, {experts, outputs, blocks, 32});
  Value product = arith::MulFOp::create(m.b, bytes.getLoc(), elements, factors);
  product = m.reshaped(product, {experts, outputs, inputs});
  auto type = cast<RankedTensorType>(product.getType());
  return arith::TruncFOp::create(m.b, bytes.getLoc(),
                                 type.clone(m.b.getBF16Type()), product);
}
