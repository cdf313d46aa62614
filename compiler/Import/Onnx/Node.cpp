// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Onnx/Node.h"

#include "compiler/Import/ElementFormats.h"
#include "compiler/Import/Onnx/NodeOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static Location locationOf(MLIRContext *context, const NodeProto &proto) {
  StringRef name = proto.name;
  if (name.empty() && !proto.output.empty())
    name = proto.output.front();
  return NameLoc::get(StringAttr::get(context, name));
}

Node::Node(GraphTranslator &graph, const NodeProto &proto, int64_t version)
    : b(graph.b), loc(locationOf(graph.b.getContext(), proto)), graph(graph),
      proto(proto), opset(version) {}

void Node::fail(const Twine &message) {
  graph.fail(describe(proto) + ": " + message);
}

//===-- inputs ------------------------------------------------------------===//

bool Node::hasInput(int64_t index) const {
  return index < inputCount() && !proto.input[index].empty();
}

GraphValue *Node::find(int64_t index) {
  if (!hasInput(index)) {
    fail("expected input " + Twine(index) + ", found none");
    return nullptr;
  }
  GraphValue *value = graph.lookup(proto.input[index]);
  if (!value)
    fail("expected a value '" + proto.input[index] +
         "', which its node does not give");
  return value;
}

Value Node::input(int64_t index) {
  GraphValue *value = find(index);
  return value ? graph.tensorOf(*value, proto.input[index]) : Value();
}

Value Node::floats(int64_t index) {
  Value x = input(index);
  if (!failed() && !isa<FloatType>(getElementTypeOrSelf(x)))
    fail("expected floats, found integers");
  return x;
}

GraphValue Node::value(int64_t index) {
  GraphValue *value = find(index);
  return value ? *value : GraphValue();
}

Value Node::asTensor(GraphValue &value) {
  return graph.tensorOf(value, proto.opType);
}

bool Node::isStored(int64_t index) {
  GraphValue *value = find(index);
  return value && value->stored;
}

const KnownIntegers *Node::known(int64_t index) {
  GraphValue *value = hasInput(index) ? find(index) : nullptr;
  return value ? graph.knownOf(*value) : nullptr;
}

Sizes Node::sizes(int64_t index) {
  if (const KnownIntegers *integers = known(index))
    return integers->elements;
  fail("expected input " + Twine(index) +
       " to follow from sizes and constants, found what does not");
  return {};
}

SmallVector<int64_t> Node::numbers(int64_t index) {
  SmallVector<int64_t> numbers;
  for (SizeAttr size : sizes(index)) {
    if (!size.asNumber()) {
      fail("expected constants as input " + Twine(index) + ", found " +
           size.str());
      return {};
    }
    numbers.push_back(*size.asNumber());
  }
  return numbers;
}

std::optional<double> Node::constantNumber(int64_t index) {
  if (const KnownIntegers *integers = known(index)) {
    auto number = integers->elements.size() == 1
                      ? integers->elements.front().asNumber()
                      : std::nullopt;
    return number ? std::optional(double(*number)) : std::nullopt;
  }
  GraphValue *value = hasInput(index) ? find(index) : nullptr;
  if (!value)
    return std::nullopt;
  if (const TensorEntry *stored = value->stored)
    return stored->type &&
                   int64_t(stored->data.size()) == bytesOfElement(*stored->type)
               ? std::optional(
                     loadNumber(stored->data.data(), *stored->type, 0))
               : std::nullopt;
  DenseFPElementsAttr constant;
  if (value->tensor && matchPattern(value->tensor, m_Constant(&constant)) &&
      constant.getNumElements() == 1) {
    APFloat number = *constant.begin();
    bool losesInfo = false;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return number.convertToDouble();
  }
  return std::nullopt;
}

bool Node::isOfWeights(int64_t index) {
  Value value = input(index);
  return value && graph.isOfWeights(value);
}

//===-- attributes --------------------------------------------------------===//

bool Node::hasAttribute(StringRef name) const {
  return llvm::any_of(proto.attribute, [&](const AttributeProto &attribute) {
    return attribute.name == name && graph.resolve(attribute);
  });
}

const AttributeProto *Node::attribute(StringRef name,
                                      AttributeProto::Type type) {
  asked.insert(name);
  for (const AttributeProto &attribute : proto.attribute) {
    if (attribute.name != name)
      continue;
    const AttributeProto *given = graph.resolve(attribute);
    if (!given || given->type == type)
      return given;
    fail("attribute '" + name + "': expected one of type " + Twine(type) +
         " (AttributeProto.AttributeType), found " + Twine(given->type));
    return nullptr;
  }
  return nullptr;
}

int64_t Node::integer(StringRef name, int64_t otherwise) {
  const AttributeProto *found = attribute(name, AttributeProto::Int);
  return found ? found->i : otherwise;
}

double Node::number(StringRef name, double otherwise) {
  const AttributeProto *found = attribute(name, AttributeProto::Float);
  return found ? found->f : otherwise;
}

std::string Node::string(StringRef name, StringRef otherwise) {
  const AttributeProto *found = attribute(name, AttributeProto::String);
  return found ? found->s.str() : otherwise.str();
}

SmallVector<int64_t> Node::integerList(StringRef name) {
  const AttributeProto *found = attribute(name, AttributeProto::Ints);
  return found ? SmallVector<int64_t>(found->ints.begin(), found->ints.end())
               : SmallVector<int64_t>();
}

std::vector<StringRef> Node::stringList(StringRef name) {
  const AttributeProto *found = attribute(name, AttributeProto::Strings);
  return found ? found->strings : std::vector<StringRef>();
}

const TensorEntry *Node::tensor(StringRef name) {
  const AttributeProto *found = attribute(name, AttributeProto::Tensor);
  if (!found)
    return nullptr;
  auto read = readTensor(found->t, std::nullopt, graph.file.path,
                         describe(proto) + ": attribute '" + name + "'");
  if (!read) {
    graph.fail(llvm::toString(read.takeError()));
    return nullptr;
  }
  read->entry.name = proto.output.empty() ? "" : proto.output.front().str();
  return graph.keep(std::move(*read));
}

const GraphProto *Node::graphAttribute(StringRef name) {
  const AttributeProto *found = attribute(name, AttributeProto::Graph);
  return found ? found->g.get() : nullptr;
}

SmallVector<Value> Node::translateIsolated(const GraphProto &body,
                                           ValueRange inputs) {
  SmallVector<GraphValue> values;
  for (Value input : inputs)
    values.push_back({input});
  SmallVector<Value> results;
  for (GraphValue &result :
       graph.translateBody(body, values, /*isIsolated=*/true))
    results.push_back(result.tensor);
  return results;
}

SmallVector<GraphValue> Node::translateBody(const GraphProto &body,
                                            ArrayRef<GraphValue> inputs) {
  return graph.translateBody(body, inputs, /*isIsolated=*/false);
}

void Node::checkAttributes() {
  for (const AttributeProto &attribute : proto.attribute)
    if (!asked.contains(attribute.name))
      fail("attribute '" + attribute.name +
           "': expected only attributes that are understood, found this one");
}

//===-- results -----------------------------------------------------------===//

bool Node::hasResult(int64_t index) const {
  return index < resultCount() && !proto.output[index].empty();
}

// A chain of products doubles its factors with each.
void Node::checkSizes(ArrayRef<SizeAttr> sizes) {
  constexpr int64_t most = 256;
  for (SizeAttr size : sizes) {
    int64_t count = 0;
    size.walkSymbols([&](StringRef) { ++count; });
    if (count > most)
      return fail("expected a size of at most " + Twine(most) +
                  " factors, found one of " + Twine(count));
  }
}

void Node::setResult(Value tensor, int64_t index) {
  if (tensor && !failed())
    checkSizes(sizesOf(tensor));
  if (hasResult(index) && !failed())
    graph.define(proto.output[index]).tensor = tensor;
}

void Node::setResult(KnownIntegers integers, int64_t index) {
  if (!failed())
    checkSizes(integers.elements);
  if (hasResult(index) && !failed())
    graph.define(proto.output[index]).integers = std::move(integers);
}

void Node::setResult(const GraphValue &value, int64_t index) {
  if (hasResult(index) && !failed())
    graph.define(proto.output[index]) = value;
}

void Node::setStored(const TensorEntry &tensor) {
  if (hasResult(0) && !failed())
    graph.define(proto.output.front()).stored = &tensor;
}

//===-- ops ---------------------------------------------------------------===//

// What is said of an op, of which a reader of the graph knows nothing.
static StringRef withoutOp(StringRef message) {
  size_t end = message.find(" op ");
  return message.starts_with("'") && end != StringRef::npos
             ? message.drop_front(end + 4)
             : message;
}

void Node::resolve(Operation *op) {
  std::string message;
  ScopedDiagnosticHandler handler(b.getContext(), [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
    return success();
  });
  SmallVector<Sizes> sizes;
  auto known = dyn_cast<SizesOpInterface>(op);
  if (!known || mlir::failed(known.inferSizes(sizes)))
    return fail(withoutOp(message));
  for (auto [result, resultSizes] : llvm::zip_equal(op->getResults(), sizes)) {
    for (SizeAttr size : resultSizes)
      if (!size || size.asNumber().value_or(0) < 0)
        return fail("expected sizes of at least 0, found " +
                    (size ? size.str() : "an unknown one"));
    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
      result.setType(tensorOf(resultSizes, type.getElementType()));
  }
}

void Node::verifyOps(Block::iterator first) {
  std::string message;
  ScopedDiagnosticHandler handler(b.getContext(), [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
    return success();
  });
  for (auto op = first; op != b.getInsertionPoint() && !failed(); ++op)
    if (mlir::failed(verify(&*op)))
      fail(withoutOp(message));
}

Value Node::constant(double number, Type type) {
  auto tensor = RankedTensorType::get({}, type);
  auto value =
      isa<FloatType>(type)
          ? DenseElementsAttr::get(tensor,
                                   Attribute(FloatAttr::get(type, number)))
          : DenseElementsAttr::get(
                tensor, Attribute(IntegerAttr::get(type, int64_t(number))));
  return arith::ConstantOp::create(b, loc, value);
}

Value Node::like(Value x, double number) {
  if (failed())
    return {};
  return broadcastTo(constant(number, getElementTypeOrSelf(x)), sizesOf(x));
}

Value Node::fromSize(SizeAttr size, Type type) {
  return graph.constantOf({{}, {size}, type});
}

Value Node::reshaped(Value x, ArrayRef<SizeAttr> sizes) {
  if (failed() || sizesOf(x) == Sizes(sizes))
    return x;
  return make<ReshapeOp>(getElementTypeOrSelf(x), x, array(sizes));
}

Value Node::transposed(Value x, ArrayRef<int64_t> permutation) {
  if (failed() ||
      llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return x;
  return make<TransposeOp>(getElementTypeOrSelf(x), x, permutation);
}

Value Node::cast(Value x, Type type) {
  if (failed() || getElementTypeOrSelf(x) == type)
    return x;
  return make<CastOp>(type, x);
}

// Of two sizes that are broadcast together, one that a caller chooses is that
// which others make up.
static bool yieldsTo(SizeAttr symbol, SizeAttr other) {
  if (symbol.getKind() != SizeKind::Symbol || other.asNumber() ||
      other.getKind() == SizeKind::Symbol)
    return false;
  bool isPart = false;
  other.walkSymbols(
      [&](StringRef name) { isPart |= name == symbol.getName(); });
  return !isPart;
}

SmallVector<Value> Node::withComputedSizes(ValueRange tensors) {
  SmallVector<Value> values(tensors);
  if (failed())
    return values;
  for (Value &value : values) {
    Sizes own = sizesOf(value);
    for (Value other : tensors) {
      Sizes others = sizesOf(other);
      for (auto [size, computed] :
           llvm::zip(llvm::reverse(own), llvm::reverse(others)))
        if (yieldsTo(size, computed))
          size = computed;
    }
    value = broadcastTo(value, own);
  }
  return values;
}

SmallVector<Value> Node::broadcast(ValueRange tensors) {
  SmallVector<Value> values = withComputedSizes(tensors);
  if (failed() || llvm::all_of(values, [&](Value value) {
        return sizesOf(value) == sizesOf(values.front());
      }))
    return values;
  SmallVector<Type> types =
      llvm::map_to_vector(values, [](Value value) -> Type {
        return RankedTensorType::get({}, getElementTypeOrSelf(value));
      });
  auto op = BroadcastTensorsOp::create(b, loc, types, values);
  resolve(op);
  return SmallVector<Value>(op.getResults());
}

Value Node::broadcastTo(Value x, ArrayRef<SizeAttr> sizes) {
  if (failed() || sizesOf(x) == Sizes(sizes))
    return x;
  return make<BroadcastOp>(getElementTypeOrSelf(x), x, array(sizes));
}

void Node::limitSize(SizeAttr size, int64_t least, int64_t most) {
  if (size.getKind() != SizeKind::Symbol)
    return;
  auto [limit, isNew] =
      graph.limits.try_emplace(size.getName(), 0, kLargestCount);
  auto &[lowest, highest] = limit->second;
  lowest = std::max(lowest, least);
  highest = std::min(highest, most);
  if (lowest > highest)
    return fail("expected a size '" + size.str() + "' of at least " +
                Twine(lowest) + " and at most " + Twine(highest));
  graph.declareLimits();
}

Value Node::firstOf(Value x, int64_t axis, SizeAttr count) {
  Sizes sizes = sizesOf(x);
  std::optional<int64_t> most = sizes[axis].asNumber(),
                         number = count.asNumber();
  bool isCallers = count.getKind() == SizeKind::Symbol;
  if (!most || (!isCallers && (!number || *number > *most)))
    return {};
  limitSize(count, /*least=*/0, *most);
  sizes[axis] = count;
  return make<SliceOp>(getElementTypeOrSelf(x), x,
                       array(Sizes(sizes.size(), size(0))), array(sizes),
                       SmallVector<int64_t>(sizes.size(), 1));
}

int64_t Node::axis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  fail("expected an axis from " + Twine(-rank) + " to " + Twine(rank - 1) +
       ", found " + Twine(axis));
  return 0;
}

SmallVector<int64_t> Node::axes(ArrayRef<int64_t> list, int64_t rank) {
  SmallVector<int64_t> all;
  for (int64_t each : list)
    all.push_back(axis(each, rank));
  llvm::sort(all);
  if (llvm::adjacent_find(all) != all.end())
    fail("expected axes that differ");
  return all;
}

Type Node::elementType(int64_t dataType) {
  return graph.elementTypeOf(int32_t(dataType), describe(proto));
}
