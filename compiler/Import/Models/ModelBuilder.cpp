// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Models/ModelBuilder.h"

#include "compiler/Import/Models/QuantizedMatrices.h"

#include "dialect/Heddle/KernelAttributes.h"
#include "dialect/Heddle/LayerBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace heddle;

//===-- errors ------------------------------------------------------------===//

void ModelBuilder::fail(const Twine &message) {
  if (firstError.empty())
    firstError = message.str();
}

llvm::Error ModelBuilder::takeError() const {
  return failed() ? llvm::createStringError(firstError)
                  : llvm::Error::success();
}

static std::string place(StringRef file, StringRef tensor) {
  return (file + ": tensor '" + tensor + "': ").str();
}

static std::string describe(ArrayRef<int64_t> shape) {
  return llvm::formatv("[{0:$[, ]}]",
                       llvm::make_range(shape.begin(), shape.end()));
}

void ModelBuilder::checkAllRead(ArrayRef<std::string> ignoredEnds,
                                ArrayRef<std::string> ignoredStarts) {
  for (const TensorEntry &entry : tensors.tensors()) {
    StringRef name = entry.name;
    auto isEnd = [&](StringRef end) { return name.ends_with(end); };
    auto isStart = [&](StringRef start) { return name.starts_with(start); };
    // Parts of blocks are read with what they are parts of.
    if (!entry.part && !read.contains(name) &&
        llvm::none_of(ignoredEnds, isEnd) &&
        llvm::none_of(ignoredStarts, isStart))
      return fail(place(entry.file, entry.name) +
                  "expected only tensors that the model reads, found one that "
                  "it does not, of shape " +
                  describe(entry.shape));
  }
}

void ModelBuilder::checkCopy(const Twine &copy, const Twine &tensor) {
  const TensorEntry *entry = tensors.find(copy.str());
  const TensorEntry *original = tensors.find(tensor.str());
  if (!entry || !original)
    return;
  read.insert(entry->name);
  auto differs = [&](const Twine &how) {
    fail(place(entry->file, entry->name) + "expected the same as '" +
         original->name + "', which it repeats, found " + how);
  };
  if (entry->shape != original->shape)
    return differs("shape " + describe(entry->shape) + " instead of " +
                   describe(original->shape));
  if (entry->dtype != original->dtype)
    return differs("type " + entry->dtype + " instead of " + original->dtype);
  if (entry->data != original->data)
    differs("other values");
}

//===-- weights -----------------------------------------------------------===//

Operation *ModelBuilder::begin() {
  return arith::ConstantOp::create(b, at("nothing"), b.getI32IntegerAttr(0));
}

void ModelBuilder::startFunction(Operation *function, Operation *first) {
  declarations.setInsertionPoint(function);
  references.setInsertionPoint(first);
  known.clear();
}

Type ModelBuilder::elementTypeOf(const TensorEntry &entry) {
  bool isMatrix = entry.shape.size() > 1;
  switch (isMatrix ? options.weightType : WeightType::Keep) {
  case WeightType::Keep:
  case WeightType::Int8:
  case WeightType::Int4:
    return findElementType(*entry.type)->get(b.getContext());
  case WeightType::F32:
    return b.getF32Type();
  case WeightType::BF16:
    return b.getBF16Type();
  case WeightType::F16:
    return b.getF16Type();
  }
  llvm_unreachable("covered switch");
}

Value ModelBuilder::refer(const TensorEntry &entry, Type element) {
  Value &value = known[entry.name];
  if (value)
    return value;
  auto type = RankedTensorType::get(entry.shape, element);
  if (read.insert(entry.name).second)
    WeightOp::create(declarations, at(entry.name), b.getStringAttr(entry.name),
                     TypeAttr::get(type), b.getStringAttr(entry.name),
                     ElementsAttr());
  return value =
             WeightRefOp::create(references, at(entry.name), type, entry.name);
}

static std::string namesOf(ArrayRef<heddle_type> types) {
  return llvm::join(
      llvm::map_range(types,
                      [](heddle_type type) {
                        return findElementType(type)->checkpoint.str();
                      }),
      ", ");
}

const TensorEntry *ModelBuilder::checked(StringRef name,
                                         ArrayRef<int64_t> shape,
                                         ArrayRef<heddle_type> types,
                                         StringRef why) {
  const TensorEntry *entry = tensors.find(name);
  if (!entry)
    fail(place(tensors.pathOf(name), name) + "expected " +
         (types.size() > 1 ? "" : namesOf(types) + " of ") + "shape " +
         describe(shape) + ", found no such tensor" + why);
  else if (ArrayRef(entry->shape) != shape)
    fail(place(entry->file, name) + "expected shape " + describe(shape) +
         ", found " + describe(entry->shape));
  else if (!entry->type || !llvm::is_contained(types, *entry->type))
    fail(place(entry->file, name) + "expected " +
         (types.size() > 1 ? "one of the types " : "") + namesOf(types) +
         ", found " + entry->dtype);
  return failed() ? nullptr : entry;
}

Value ModelBuilder::stored(const Twine &tensor, ArrayRef<int64_t> shape,
                           ArrayRef<heddle_type> types) {
  std::string name = tensor.str();
  if (const TensorEntry *entry = checked(name, shape, types))
    return refer(*entry, findElementType(*entry->type)->get(b.getContext()));
  auto type = RankedTensorType::get(
      shape, findElementType(types.front())->get(b.getContext()));
  return arith::ConstantOp::create(b, at(name), b.getZeroAttr(type));
}

Value ModelBuilder::storedHalfBytes(const Twine &tensor,
                                    ArrayRef<int64_t> shape) {
  std::string name = tensor.str();
  const TensorEntry *entry =
      checked(name, shape, {HEDDLE_TYPE_I8, HEDDLE_TYPE_U8});
  if (!entry)
    return zeros(shape);
  bool isSigned = entry->type == HEDDLE_TYPE_I8;
  return refer(*entry, isSigned ? b.getIntegerType(4)
                                : b.getIntegerType(4, /*isSigned=*/false));
}

Value ModelBuilder::weight(const Twine &tensor, ArrayRef<int64_t> shape,
                           StringRef why) {
  std::string name = tensor.str();
  if (Value value = known.lookup(name))
    return value;
  constexpr StringLiteral end = ".weight";
  if (quantization && shape.size() > 1 && StringRef(name).ends_with(end))
    if (Value matrix = buildQuantizedMatrix(
            *this, *quantization, StringRef(name).drop_back(end.size()), shape))
      return matrix;
  const TensorEntry *entry = checked(
      name, shape, {HEDDLE_TYPE_F32, HEDDLE_TYPE_BF16, HEDDLE_TYPE_F16}, why);
  return entry ? refer(*entry, elementTypeOf(*entry)) : zeros(shape);
}

Value ModelBuilder::experts(const Twine &name, int64_t count, int64_t inputs,
                            int64_t outputs) {
  if (quantization)
    if (Value matrices = buildQuantizedExperts(*this, *quantization, name,
                                               count, outputs, inputs))
      return transposed(matrices, {0, 2, 1});
  return weight(name, {count, inputs, outputs});
}

Value ModelBuilder::matrix(const Twine &path, int64_t outputs, int64_t inputs) {
  std::string name = (path + ".weight").str();
  if (hasTransposedMatrices && quantization)
    if (Value quantized =
            buildQuantizedMatrix(*this, *quantization, path, {outputs, inputs}))
      return quantized;
  if (!quantization && !hasTensor(name) && hasTensor(path + ".qweight"))
    fail(place(tensor(path + ".qweight")->file, (path + ".qweight").str()) +
         "expected a 'quantization_config' in config.json, as a matrix is "
         "quantised, found none");
  if (!hasTransposedMatrices)
    return weight(name, {outputs, inputs});
  return transposed(weight(name, {inputs, outputs}), {1, 0});
}

Value ModelBuilder::bias(const Twine &path, int64_t outputs, bool exists) {
  return exists ? weight(path + ".bias", {outputs}) : Value();
}

Value ModelBuilder::inF32(Value weight) {
  auto type = cast<RankedTensorType>(weight.getType());
  if (type.getElementType().isF32())
    return weight;
  return arith::ExtFOp::create(b, weight.getLoc(), type.clone(b.getF32Type()),
                               weight);
}

std::string ModelBuilder::nameOfNorm(const NormDescription &norm,
                                     const Twine &path, StringRef name,
                                     StringRef oldName) const {
  bool isOld = norm.mayBeGamma && !hasTensor(path + name);
  return (path + (isOld ? oldName : name)).str();
}

Value ModelBuilder::normWeight(const NormDescription &norm, const Twine &path,
                               ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, b.getF32Type());
  auto ones = [&]() -> Value {
    return arith::ConstantOp::create(
        b, at(path),
        DenseElementsAttr::get(type, b.getF32FloatAttr(1).getValue()));
  };
  if (!norm.hasWeight)
    return ones();
  Value stored = weight(nameOfNorm(norm, path, ".weight", ".gamma"), shape);
  if (!norm.addsOne)
    return stored;
  return arith::AddFOp::create(b, at(path), inF32(stored), ones());
}

Value ModelBuilder::constant(ArrayRef<double> values) {
  SmallVector<float> rounded(values.begin(), values.end());
  auto type = RankedTensorType::get({int64_t(values.size())}, b.getF32Type());
  return arith::ConstantOp::create(
      b, at("constant"), DenseElementsAttr::get(type, ArrayRef(rounded)));
}

//===-- ops ---------------------------------------------------------------===//

Value ModelBuilder::linear(Value x, const Twine &path, int64_t outputs,
                           bool hasBias) {
  std::string name = path.str();
  Value w = matrix(name, outputs, channelsOf(x));
  Value c = bias(name, outputs, hasBias);
  return LinearOp::create(b, at(name), x, w, c);
}

Value ModelBuilder::withLeastBits(Value y, int64_t bits) {
  y.getDefiningOp<LinearOp>()->setAttr(
      kLeastBitsAttr,
      IntegerAttr::get(IntegerType::get(y.getContext(), 64), bits));
  return y;
}

Value ModelBuilder::norm(Value x, const NormDescription &norm,
                         const Twine &path) {
  std::string name = path.str();
  int64_t channels = channelsOf(x);
  Value w = normWeight(norm, name, {channels});
  Value c = norm.kind == NormKind::Layer && norm.hasBias
                ? weight(nameOfNorm(norm, name, ".bias", ".beta"), {channels})
                : Value();
  return createNorm(b, at(name), norm.kind, x, w, c,
                    b.getF64FloatAttr(norm.epsilon));
}

// Both in the type of x, broadcast to one shape.
static BroadcastTensorsOp broadcast(ModelBuilder &m, Location loc, Value x,
                                    Value other) {
  Type type = getElementTypeOrSelf(x);
  auto otherType = cast<RankedTensorType>(other.getType());
  if (otherType.getElementType() != type)
    other = arith::ExtFOp::create(m.b, loc, otherType.clone(type), other);
  return BroadcastTensorsOp::create(
      m.b, loc, TypeRange{x.getType(), x.getType()}, ValueRange{x, other});
}

template <typename Op>
static Value combine(ModelBuilder &m, Value x, Value other, const Twine &path) {
  Location loc = m.at(path);
  auto both = broadcast(m, loc, x, other);
  return Op::create(m.b, loc, both.getResult(0), both.getResult(1));
}

Value ModelBuilder::multiply(Value x, Value other, const Twine &path) {
  return combine<arith::MulFOp>(*this, x, other, path);
}

Value ModelBuilder::plus(Value x, Value other, const Twine &path) {
  return combine<arith::AddFOp>(*this, x, other, path);
}

Value ModelBuilder::divide(Value x, Value other, const Twine &path) {
  return combine<arith::DivFOp>(*this, x, other, path);
}

Value ModelBuilder::atLeast(Value x, double limit, const Twine &path) {
  return combine<arith::MaximumFOp>(*this, x, constant({limit}), path);
}

Value ModelBuilder::atMost(Value x, double limit, const Twine &path) {
  return combine<arith::MinimumFOp>(*this, x, constant({limit}), path);
}

Value ModelBuilder::limited(Value x, double limit, const Twine &path) {
  return atMost(atLeast(x, -limit, path), limit, path);
}

// The type with another last dimension, or without it.
static RankedTensorType withLast(Value x, std::optional<int64_t> last,
                                 Type type) {
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(x.getType()).getShape().drop_back());
  if (last)
    shape.push_back(*last);
  return RankedTensorType::get(shape, type);
}

TopKOp ModelBuilder::topOf(Value x, int64_t count, const Twine &path) {
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  return TopKOp::create(b, at(path),
                        withLast(x, count, getElementTypeOrSelf(x)),
                        withLast(x, count, b.getI32Type()), x, rank - 1,
                        SizeAttr::number(b.getContext(), count),
                        /*smallest=*/false);
}

Value ModelBuilder::reduced(ReductionKind kind, Value x, Location loc,
                            bool keepSizes, std::optional<int64_t> axis) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t reducedAxis = axis.value_or(type.getRank() - 1);
  SmallVector<int64_t> shape(type.getShape());
  if (keepSizes)
    shape[reducedAxis] = 1;
  else
    shape.erase(shape.begin() + reducedAxis);
  return ReduceOp::create(b, loc, type.clone(shape), kind, x,
                          ArrayRef<int64_t>(reducedAxis), keepSizes);
}

Value ModelBuilder::oneHot(Value indices, int64_t depth, Location loc) {
  auto type = cast<RankedTensorType>(indices.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(depth);
  Value each = OneHotOp::create(
      b, loc, RankedTensorType::get(shape, b.getI1Type()), indices,
      SizeAttr::number(b.getContext(), depth), /*wrap=*/false);
  return reduced(ReductionKind::Any, each, loc, /*keepSizes=*/false,
                 type.getRank() - 1);
}

// [batch, length, channels..]
static std::pair<RankedTensorType, ArrayAttr>
typeOfTokens(Value x, ArrayRef<int64_t> channels) {
  MLIRContext *context = x.getContext();
  Sizes sizes = {SizeAttr::symbol(context, "batch"),
                 SizeAttr::symbol(context, "length")};
  SmallVector<int64_t> shape(2, ShapedType::kDynamic);
  for (int64_t size : channels) {
    sizes.push_back(SizeAttr::number(context, size));
    shape.push_back(size);
  }
  return {RankedTensorType::get(shape, getElementTypeOrSelf(x)),
          heddle::toArray(context, sizes)};
}

Value ModelBuilder::reshapedTokens(Value x, ArrayRef<int64_t> channels) {
  auto [type, sizes] = typeOfTokens(x, channels);
  return ReshapeOp::create(b, x.getLoc(), type, x, sizes);
}

Value ModelBuilder::repeatedTokens(Value x, ArrayRef<int64_t> channels) {
  auto [type, sizes] = typeOfTokens(x, channels);
  return BroadcastOp::create(b, x.getLoc(), type, x, sizes);
}

Value ModelBuilder::scaled(Value x, double factor, const Twine &path) {
  return factor == 1 ? x : multiply(x, constant({factor}), path);
}

Value ModelBuilder::concat(ValueRange parts, int64_t axis) {
  auto type = cast<RankedTensorType>(parts.front().getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 0;
  for (Value part : parts)
    shape[axis] += cast<RankedTensorType>(part.getType()).getDimSize(axis);
  return ConcatOp::create(b, parts.front().getLoc(), type.clone(shape), parts,
                          b.getI64IntegerAttr(axis));
}

std::string ModelBuilder::numbered(StringRef pattern, int64_t number) {
  auto [before, after] = pattern.split('#');
  return (before + Twine(number) + after).str();
}

Value ModelBuilder::add(Value x, Value y, const Twine &path) {
  return arith::AddFOp::create(b, at(path), x, y);
}
