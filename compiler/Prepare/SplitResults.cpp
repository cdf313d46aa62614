// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of arith and math with two results become ops with one:
//
//   %s, %c = math.sincos %x  ->  %s = math.sin %x
//                                %c = math.cos %x

#include "compiler/Prepare/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;

using Results = SmallVectorImpl<Value>;

//===-- On numbers --------------------------------------------------------===//

static void split(math::SincosOp op, ImplicitLocOpBuilder &b,
                  Results &results) {
  results.push_back(math::SinOp::create(b, op.getOperand()));
  results.push_back(math::CosOp::create(b, op.getOperand()));
}

// The sum wraps around where it is below what was added.
static void split(arith::AddUIExtendedOp op, ImplicitLocOpBuilder &b,
                  Results &results) {
  Value sum = arith::AddIOp::create(b, op.getLhs(), op.getRhs());
  results.push_back(sum);
  results.push_back(
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, sum, op.getLhs()));
}

static Value constant(ImplicitLocOpBuilder &b, Type type, int64_t number) {
  return arith::ConstantIntOp::create(b, type, number);
}

// The upper half of the product of two unsigned i64, of those of their halves:
//   x y = 2^64 x1 y1 + 2^32 (x1 y0 + x0 y1) + x0 y0
static Value upperHalf(ImplicitLocOpBuilder &b, Value x, Value y) {
  Type i64 = b.getI64Type();
  auto lower = [&](Value value) -> Value {
    return arith::AndIOp::create(b, value, constant(b, i64, 0xffffffff));
  };
  auto upper = [&](Value value) -> Value {
    return arith::ShRUIOp::create(b, value, constant(b, i64, 32));
  };
  auto add = [&](Value one, Value other) -> Value {
    return arith::AddIOp::create(b, one, other);
  };
  auto multiply = [&](Value one, Value other) -> Value {
    return arith::MulIOp::create(b, one, other);
  };
  // None of these sums is 2^64 or more.
  Value carried =
      add(multiply(upper(x), lower(y)), upper(multiply(lower(x), lower(y))));
  Value middle = add(multiply(lower(x), upper(y)), lower(carried));
  return add(multiply(upper(x), upper(y)), add(upper(carried), upper(middle)));
}

// A negative number is 2^64 less than the unsigned one of its bits.
static Value upperHalfSigned(ImplicitLocOpBuilder &b, Value x, Value y) {
  Value zero = constant(b, b.getI64Type(), 0);
  auto ifNegative = [&](Value number, Value value) -> Value {
    Value isNegative =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, number, zero);
    return arith::SelectOp::create(b, isNegative, value, zero);
  };
  Value upper = arith::SubIOp::create(b, upperHalf(b, x, y), ifNegative(x, y));
  return arith::SubIOp::create(b, upper, ifNegative(y, x));
}

// The product as a number of twice the width, in two halves.
template <typename Op>
static void splitProduct(Op op, ImplicitLocOpBuilder &b, Results &results) {
  constexpr bool isSigned = std::is_same_v<Op, arith::MulSIExtendedOp>;
  using Extend = std::conditional_t<isSigned, arith::ExtSIOp, arith::ExtUIOp>;
  Value x = op.getLhs(), y = op.getRhs();
  Type type = x.getType();
  results.push_back(arith::MulIOp::create(b, x, y));
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 64) {
    results.push_back(isSigned ? upperHalfSigned(b, x, y) : upperHalf(b, x, y));
    return;
  }
  Type wide = b.getI64Type();
  Value product = arith::MulIOp::create(b, Extend::create(b, wide, x),
                                        Extend::create(b, wide, y));
  Value upper = arith::ShRUIOp::create(b, product, constant(b, wide, width));
  results.push_back(arith::TruncIOp::create(b, type, upper));
}

static void split(arith::MulSIExtendedOp op, ImplicitLocOpBuilder &b,
                  Results &results) {
  splitProduct(op, b, results);
}

static void split(arith::MulUIExtendedOp op, ImplicitLocOpBuilder &b,
                  Results &results) {
  splitProduct(op, b, results);
}

//===-- On tensors --------------------------------------------------------===//

// The same op on each element.
static LogicalResult generalize(Operation *op, OpBuilder &b, Results &results) {
  SmallVector<Sizes> sizes;
  if (failed(cast<SizesOpInterface>(op).inferSizes(sizes)))
    return failure();
  const Sizes &over = sizes.front();
  Location loc = op->getLoc();
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    types.push_back(tensorOf(over, getElementTypeOrSelf(type)));
  llvm::SetVector<Value> inputs(op->operand_begin(), op->operand_end());
  SmallVector<AffineMap> maps(inputs.size(),
                              b.getMultiDimIdentityMap(over.size()));
  auto generic = GenericOp::create(
      b, loc, types, inputs.getArrayRef(), ValueRange(),
      toArray(b.getContext(), over), b.getArrayAttr({}),
      b.getAffineMapArrayAttr(maps), b.getArrayAttr({}), b.getArrayAttr({}));
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&generic.getBody());
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body->addArgument(getElementTypeOrSelf(input), loc));
  Operation *inside = b.clone(*op, mapping);
  for (Value result : inside->getResults())
    result.setType(getElementTypeOrSelf(result));
  YieldOp::create(b, loc, inside->getResults());
  llvm::append_range(results, generic.getResults());
  return success();
}

namespace {
template <typename Op>
struct Splitting : ConvertOpInterface::ExternalModel<Splitting<Op>, Op> {
  LogicalResult convert(Operation *op, OpBuilder &b,
                        SmallVectorImpl<Value> &results) const {
    if (isa<RankedTensorType>(op->getResult(0).getType()))
      return generalize(op, b, results);
    Type type = op->getOperand(0).getType();
    if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 64)
      return op->emitOpError("expected tensors, or numbers of at most 64 bits, "
                             "found ")
             << type;
    ImplicitLocOpBuilder builder(op->getLoc(), b);
    split(cast<Op>(op), builder, results);
    return success();
  }
};
} // namespace

void heddle::registerSplitResults(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    arith::AddUIExtendedOp::attachInterface<Splitting<arith::AddUIExtendedOp>>(
        *context);
    arith::MulSIExtendedOp::attachInterface<Splitting<arith::MulSIExtendedOp>>(
        *context);
    arith::MulUIExtendedOp::attachInterface<Splitting<arith::MulUIExtendedOp>>(
        *context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    math::SincosOp::attachInterface<Splitting<math::SincosOp>>(*context);
  });
}
