// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/SumOfProducts.h"

#include "dialect/Heddle/Coordinates.h"
#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/SetVector.h"

#include <numeric>

using namespace mlir;
using namespace heddle;

bool heddle::isDecoding(Operation *op) {
  return isa<CastOpInterface, arith::MulFOp, arith::SubFOp, arith::SubIOp>(op);
}

// The inputs that decoding makes `value` of, in ascending order; none where
// something else has a part in it. A value with several users is looked at
// once.
static SmallVector<unsigned, 2> inputsOf(GenericOp op, Value value) {
  llvm::SetVector<Value> values;
  values.insert(value);
  SmallVector<unsigned, 2> inputs;
  for (size_t next = 0; next < values.size(); ++next) {
    auto argument = dyn_cast<BlockArgument>(values[next]);
    if (argument && argument.getArgNumber() < op.getInputs().size())
      inputs.push_back(argument.getArgNumber());
    else if (Operation *maker = values[next].getDefiningOp();
             maker && isDecoding(maker))
      values.insert_range(maker->getOperands());
    else
      return {};
  }
  llvm::sort(inputs);
  return inputs;
}

// The terms that are added up in place of products, if they are nearly that.
static const char *nearlyProducts(GenericOp op) {
  Operation *last =
      op.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
  if (isa_and_nonnull<math::FmaOp>(last))
    return "products are added without being rounded";
  auto difference = dyn_cast_or_null<arith::SubFOp>(last);
  if (difference && difference.getRhs().getDefiningOp<arith::MulFOp>())
    return "products are subtracted";
  auto sum = dyn_cast_or_null<arith::AddFOp>(last);
  for (Value term : sum ? sum->getOperands() : ValueRange()) {
    Operation *cast = term.getDefiningOp();
    if (isa_and_nonnull<CastOpInterface>(cast) &&
        isa_and_nonnull<arith::MulFOp, arith::MulIOp>(
            cast->getOperand(0).getDefiningOp()))
      return "products are rounded before they are added";
  }
  return "";
}

std::optional<SumOfProducts> SumOfProducts::of(GenericOp op,
                                               std::string &reason) {
  if (!op.hasReduction() || op.getNumResults() != 1)
    return std::nullopt;
  auto combiner = op.getCombiner(0);
  Operation *product = combiner ? combiner->term.getDefiningOp() : nullptr;
  if (!combiner || !isa<arith::AddFOp, arith::AddIOp>(combiner->op) ||
      !isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product)) {
    reason = nearlyProducts(op);
    return std::nullopt;
  }
  SumOfProducts sum;
  for (auto [factor, operand] :
       llvm::zip_equal(sum.factors, product->getOperands())) {
    factor = {operand, inputsOf(op, operand)};
    if (operand.getDefiningOp<arith::ConstantOp>()) // a sum, multiplied
      return std::nullopt;
    if (factor.inputs.empty()) {
      reason = "a factor is computed by more than casts, products and "
               "differences of inputs";
      return std::nullopt;
    }
  }
  const Factor &left = sum.factors[0], &right = sum.factors[1];
  if (left.inputs == right.inputs) // a sum of squares
    return std::nullopt;
  if (llvm::any_of(left.inputs, [&](unsigned input) {
        return llvm::is_contained(right.inputs, input);
      }))
    reason = "both factors are made of one input";
  else if (!op.getTables().empty())
    reason = "there is a table";
  else
    return sum;
  return std::nullopt;
}

// The input that `value` is.
static std::optional<unsigned> inputOf(GenericOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  bool isInput = argument && argument.getArgNumber() < op.getInputs().size();
  return isInput ? std::optional(argument.getArgNumber()) : std::nullopt;
}

// The float input that widening makes `value` of.
static std::optional<unsigned> scaleOf(GenericOp op, Value value) {
  if (auto widened = value.getDefiningOp<arith::ExtFOp>())
    value = widened.getIn();
  std::optional<unsigned> input = inputOf(op, value);
  bool isFloat =
      input && isa<FloatType>(getElementTypeOrSelf(op.getInputs()[*input]));
  return isFloat ? input : std::nullopt;
}

// Codes of 4 to 16 bits that are made floats.
static std::optional<ScaledIntegers> codesOf(GenericOp op, Value value) {
  Operation *cast = value.getDefiningOp();
  if (!isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(cast))
    return std::nullopt;
  std::optional<unsigned> input = inputOf(op, cast->getOperand(0));
  if (!input)
    return std::nullopt;
  Type type = getElementTypeOrSelf(op.getInputs()[*input]);
  unsigned bits = type.getIntOrFloatBitWidth();
  bool hasSign = isa<arith::SIToFPOp>(cast);
  // Half bytes are numbers of their type, and not what bodies take them for.
  bool isOther = isHalfByte(type) && type.isUnsignedInteger() == hasSign;
  // i16 holds what is multiplied.
  bool isTooLarge = bits > 16 || (bits == 16 && !hasSign);
  if (bits < 4 || isTooLarge || isOther)
    return std::nullopt;
  int64_t largest =
      hasSign ? -llvm::minIntN(bits) : int64_t(llvm::maxUIntN(bits));
  return ScaledIntegers{*input, hasSign, {}, 0, largest};
}

// How many terms in a row read one element of `input`: 0 for all, and none
// where they read it in another way.
static std::optional<int64_t> groupOf(GenericOp op, unsigned input) {
  unsigned depth = op.getOver().size();
  SizeAttr symbol = dimensionSymbol(op.getContext(), depth);
  int64_t group = 0;
  for (SizeAttr coordinate : op.getCoordinates(input)) {
    if (!usesDimension(coordinate, depth))
      continue;
    bool isQuotient = coordinate.getKind() == SizeKind::FloorDiv &&
                      coordinate.getOperands()[0] == Attribute(symbol);
    auto divisor = isQuotient
                       ? cast<SizeAttr>(coordinate.getOperands()[1]).asNumber()
                       : std::nullopt;
    if (!divisor || group != 0)
      return std::nullopt;
    group = *divisor;
  }
  return group;
}

std::optional<ScaledIntegers>
ScaledIntegers::of(GenericOp op, const SumOfProducts::Factor &factor) {
  auto product = factor.value.getDefiningOp<arith::MulFOp>();
  if (!product || op.getReduce().size() != 1)
    return std::nullopt;
  Value parts[] = {product.getLhs(), product.getRhs()};
  for (int first : {0, 1}) {
    auto integers = codesOf(op, parts[first]);
    auto scale = scaleOf(op, parts[1 - first]);
    if (!integers || !scale)
      continue;
    auto group = groupOf(op, *scale);
    if (!group)
      return std::nullopt;
    integers->scale = parts[1 - first];
    integers->group = *group;
    return integers;
  }
  return std::nullopt;
}

int64_t heddle::integerTerms(GenericOp op, const SumOfProducts &sum) {
  auto left = ScaledIntegers::of(op, sum.factors[0]),
       right = ScaledIntegers::of(op, sum.factors[1]);
  if (!left || !right)
    return 0;
  std::optional<int64_t> depth = cast<SizeAttr>(op.getReduce()[0]).asNumber();
  if (!depth)
    return 0;
  int64_t terms = *depth;
  for (int64_t group : {left->group, right->group})
    if (group)
      terms = std::gcd(terms, group);
  int64_t most = INT32_MAX / (left->largest * right->largest);
  for (int64_t count = std::min(terms, most); count > 0; --count)
    if (terms % count == 0)
      return count;
  return 0;
}

// An input of bf16 that becomes f32.
static bool isWidened(GenericOp op, const SumOfProducts::Factor &factor) {
  auto widened = factor.value.getDefiningOp<arith::ExtFOp>();
  std::optional<unsigned> input =
      widened ? inputOf(op, widened.getIn()) : std::nullopt;
  return input && getElementTypeOrSelf(op.getInputs()[*input]).isBF16() &&
         widened.getType().isF32();
}

bool heddle::multipliesPairs(GenericOp op, const SumOfProducts &sum) {
  if (op.getReduce().size() != 1 || !isWidened(op, sum.factors[0]) ||
      !isWidened(op, sum.factors[1]))
    return false;
  std::optional<int64_t> depth = cast<SizeAttr>(op.getReduce()[0]).asNumber();
  return depth && *depth % kPair == 0;
}

bool heddle::readDimension(GenericOp op, ArrayRef<unsigned> inputs,
                           unsigned dimension) {
  return llvm::any_of(inputs, [&](unsigned input) {
    return llvm::any_of(op.getCoordinates(input), [&](SizeAttr coordinate) {
      return usesDimension(coordinate, dimension);
    });
  });
}

// C5, C6
static LogicalResult verifyDimensions(GenericOp op,
                                      ContractionAttr contraction) {
  Sizes extents = op.getExtents();
  std::optional<unsigned> last;
  for (auto [dimension, extent] : llvm::enumerate(extents)) {
    if (extent.asNumber() == 1)
      continue;
    if (dimension < op.getOver().size())
      last = dimension;
    else if (!readDimension(op, contraction.getRows(), dimension) ||
             !readDimension(op, contraction.getColumns(), dimension))
      return op.emitOpError("expected rows and columns to have dimension ")
             << dimension << ", which is summed up";
  }
  if (last && readDimension(op, contraction.getColumns(), *last) &&
      !readDimension(op, contraction.getRows(), *last))
    return success();
  return op.emitOpError("expected the last dimension of the result, of those "
                        "with more than one element, to be one of columns, "
                        "and not of rows");
}

LogicalResult heddle::verifyContraction(Operation *op, Attribute attribute) {
  auto contraction = dyn_cast<ContractionAttr>(attribute);
  auto generic = dyn_cast<GenericOp>(op);
  if (!contraction || !generic)
    return op->emitOpError("expected ")
           << kContractionAttr
           << " to be a #heddle.contraction of a heddle.generic, found "
           << attribute;
  // C1, C2
  std::string reason;
  auto sum = SumOfProducts::of(generic, reason);
  if (!sum)
    return op->emitOpError("expected a sum of products")
           << (reason.empty() ? "" : ", but ") << reason;
  // C4
  if (!cast<TypedAttr>(generic.getInitial()[0]).getType().isF32())
    return op->emitOpError("expected a contraction of f32, found ")
           << op->getResultTypes();
  // C3
  auto sorted = [](ArrayRef<unsigned> inputs) {
    SmallVector<unsigned, 2> result(inputs);
    llvm::sort(result);
    return result;
  };
  auto rows = sorted(contraction.getRows());
  auto columns = sorted(contraction.getColumns());
  const auto &[left, right] = sum->factors;
  if (!(rows == left.inputs && columns == right.inputs) &&
      !(rows == right.inputs && columns == left.inputs))
    return op->emitOpError("expected rows and columns to be the inputs of one "
                           "factor each, found ")
           << attribute;
  // C7
  int64_t terms = contraction.getTerms(), most = integerTerms(generic, *sum);
  if (terms != 0 && (terms < 0 || most % terms != 0 || most == 0))
    return op->emitOpError("expected i32 sums of 0 terms, or of a divisor of ")
           << most << ", found " << attribute;
  // C8
  if (contraction.getPairs() && (terms != 0 || !multipliesPairs(generic, *sum)))
    return op->emitOpError("expected pairs of inputs of bf16 along one "
                           "dimension of an even number of elements, found ")
           << attribute;
  return verifyDimensions(generic, contraction);
}
