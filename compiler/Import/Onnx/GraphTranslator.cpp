// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Onnx/GraphTranslator.h"

#include "compiler/Import/ElementFormats.h"
#include "compiler/Import/Onnx/NodeOrder.h"
#include "compiler/Import/Onnx/Operators.h"
#include "dialect/Heddle/ElementTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

GraphTranslator::GraphTranslator(
    const OnnxFile &file, ModuleOp module,
    const std::map<std::string, int64_t> &fixedSizes)
    : file(file), fixedSizes(fixedSizes), b(module.getContext()),
      declarations(b), constants(b), scopes(1) {
  b.setInsertionPointToEnd(module.getBody());
}

void GraphTranslator::fail(const Twine &message) {
  if (firstError)
    return;
  // The outermost calls, and the innermost ones.
  SmallVector<StringRef> calls;
  for (const Scope &scope : scopes)
    if (scope.call)
      calls.push_back(scope.call->place);
  constexpr size_t few = 4;
  if (calls.size() > few) {
    calls.erase(calls.begin() + few / 2, calls.end() - few / 2);
    calls.insert(calls.begin() + few / 2, "..");
  }
  std::string places;
  for (StringRef call : calls)
    places += (call + ": ").str();
  firstError = (file.path + ": " + places + message).str();
}

llvm::Error GraphTranslator::takeError() const {
  return firstError ? llvm::createStringError(*firstError)
                    : llvm::Error::success();
}

const GraphTranslator::Call *GraphTranslator::currentCall() const {
  for (const Scope &scope : llvm::reverse(scopes))
    if (scope.call)
      return &*scope.call;
  return nullptr;
}

// The first domain has two names.
static StringRef normalDomain(StringRef domain) {
  return domain == "ai.onnx" ? "" : domain;
}

std::optional<int64_t> GraphTranslator::versionOf(StringRef domain) const {
  const Call *call = currentCall();
  for (const OperatorSetIdProto &set :
       call ? call->function->opsetImport : file.model.opsetImport)
    if (normalDomain(set.domain) == normalDomain(domain))
      return set.version;
  return std::nullopt;
}

//===-- values ------------------------------------------------------------===//

// Functions have these names, those of compiler/TextEntries among them.
std::string GraphTranslator::symbolOf(StringRef weight) const {
  static const StringSet<> taken{"run",    "copy",    "trial", "forward",
                                 "encode", "prefill", "decode"};
  std::string symbol = weight.str();
  while (taken.contains(symbol) ||
         (symbol != weight && tensorNames.contains(symbol)))
    symbol += "_";
  return symbol;
}

Value GraphTranslator::weightOf(const TensorEntry &entry) {
  auto type = RankedTensorType::get(
      entry.shape, findElementType(*entry.type)->get(b.getContext()));
  Location loc = NameLoc::get(b.getStringAttr(entry.name));
  // Numbers that a body has as such are easier to read, and need no memory.
  if (entry.data.size() <= size_t(bytesOfElement(*entry.type))) {
    auto value = DenseElementsAttr::getFromRawBuffer(
        type, ArrayRef(reinterpret_cast<const char *>(entry.data.data()),
                       entry.data.size()));
    if (!type.getElementType().isUnsignedInteger() &&
        !isStorageFloat(type.getElementType()))
      return arith::ConstantOp::create(constants, loc, value);
  }
  std::string symbol = symbolOf(entry.name);
  WeightOp::create(declarations, loc, b.getStringAttr(symbol),
                   TypeAttr::get(type), b.getStringAttr(entry.name),
                   ElementsAttr());
  return WeightRefOp::create(constants, loc, type, symbol);
}

Value GraphTranslator::halvesOf(const TensorEntry &entry) {
  Location loc = NameLoc::get(b.getStringAttr(entry.name));
  Type type = b.getIntegerType(4, /*isSigned=*/false);
  int64_t count = 1;
  for (int64_t size : entry.shape)
    count *= size;
  bool isSigned = entry.dtype == "INT4";
  if (isSigned)
    type = b.getIntegerType(4);
  Value bytes = weightOf(*keep(bytesOfHalves(entry)));
  Value all = UnpackOp::create(constants, loc,
                               RankedTensorType::get({count}, type), bytes,
                               /*axis=*/0, /*bits=*/4,
                               /*offset=*/isSigned ? -8 : 0);
  Sizes sizes;
  for (int64_t size : entry.shape)
    sizes.push_back(SizeAttr::number(b.getContext(), size));
  return ReshapeOp::create(constants, loc,
                           RankedTensorType::get(entry.shape, type), all,
                           toArray(b.getContext(), sizes));
}

Value GraphTranslator::constantOf(const KnownIntegers &integers) {
  Location loc = b.getUnknownLoc();
  auto type = RankedTensorType::get(integers.shape, integers.type);
  // 0, 1, 2, ..: kernels count, and read no table.
  bool isCount = integers.shape.size() == 1 && integers.shape[0] > 1 &&
                 integers.type.getIntOrFloatBitWidth() > 8;
  for (auto [place, element] : llvm::enumerate(integers.elements))
    isCount &= element.asNumber() == int64_t(place);
  if (isCount)
    return IotaOp::create(
        constants, loc, type, /*axis=*/0,
        toArray(b.getContext(),
                SizeAttr::number(b.getContext(), integers.shape[0])));
  SmallVector<Attribute> numbers;
  for (SizeAttr element : integers.elements)
    if (element.asNumber())
      numbers.push_back(IntegerAttr::get(integers.type, *element.asNumber()));
  if (numbers.size() == integers.elements.size())
    return arith::ConstantOp::create(constants, loc,
                                     DenseElementsAttr::get(type, numbers));
  SmallVector<Value> elements;
  for (SizeAttr element : integers.elements) {
    Value size =
        SizeOp::create(constants, loc, constants.getIndexType(), element);
    elements.push_back(
        arith::IndexCastOp::create(constants, loc, integers.type, size));
  }
  return tensor::FromElementsOp::create(constants, loc, type, elements);
}

Value GraphTranslator::tensorOf(GraphValue &value, StringRef name) {
  if (value.tensor)
    return value.tensor;
  if (value.stored && isHalfBytes(*value.stored))
    return value.tensor = halvesOf(*value.stored);
  if (value.stored && !value.stored->type) {
    fail("tensor '" + name +
         "': expected elements of a type that Heddle has, "
         "found " +
         value.stored->dtype);
    return {};
  }
  return value.tensor = value.stored ? weightOf(*value.stored)
                                     : constantOf(*value.integers);
}

static bool isInteger(heddle_type type) {
  return type == HEDDLE_TYPE_I64 || type == HEDDLE_TYPE_I32 ||
         type == HEDDLE_TYPE_I1;
}

const KnownIntegers *GraphTranslator::knownOf(GraphValue &value) {
  const TensorEntry *stored = value.stored;
  if (!value.integers && stored && stored->type && isInteger(*stored->type)) {
    int64_t count = stored->data.size() / bytesOfElement(*stored->type);
    if (count > kMostKnown)
      return nullptr;
    KnownIntegers integers;
    integers.shape.assign(stored->shape.begin(), stored->shape.end());
    integers.type = findElementType(*stored->type)->get(b.getContext());
    for (int64_t i = 0; i < count; ++i)
      integers.elements.push_back(SizeAttr::number(
          b.getContext(), loadInteger(stored->data.data(), *stored->type, i)));
    value.integers = std::move(integers);
  }
  return value.integers ? &*value.integers : nullptr;
}

GraphValue *GraphTranslator::lookup(StringRef name) {
  bool isOutside = false;
  for (Scope &scope : llvm::reverse(scopes)) {
    auto found = scope.values.find(name);
    if (found != scope.values.end()) {
      GraphValue &value = found->second;
      if (!isOutside)
        return &value;
      // What is no op's value an isolated body makes once more.
      if (!value.stored && !value.integers)
        return nullptr;
      GraphValue &copy = define(name);
      copy = {Value(), value.integers, value.stored};
      return &copy;
    }
    if (scope.call)
      return nullptr;
    isOutside |= scope.isIsolated;
  }
  return nullptr;
}

// Without recursion, as graphs are deep. An op that is met has no answer until
// those of its operands are known.
bool GraphTranslator::isOfWeights(Value value) {
  Operation *root = value.getDefiningOp();
  SmallVector<Operation *> path{root};
  while (root && !path.empty()) {
    Operation *op = path.back();
    bool isOne = true, isKnown = true;
    for (Value operand : op->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      auto known = areOfWeights.find(maker);
      if (maker && known == areOfWeights.end()) {
        path.push_back(maker);
        isKnown = false;
        break;
      }
      isOne &= maker && known->second;
    }
    if (!isKnown)
      continue;
    auto isFixed = [](Value result) {
      return isa<RankedTensorType>(result.getType()) &&
             llvm::all_of(sizesOf(result),
                          [](SizeAttr size) { return size.asNumber(); });
    };
    areOfWeights[op] = isOne && op->getNumRegions() == 0 &&
                       llvm::all_of(op->getResults(), isFixed);
    path.pop_back();
  }
  return root && areOfWeights.lookup(root);
}

const TensorEntry *GraphTranslator::keep(OwnedTensor tensor) {
  std::string name = tensor.entry.name;
  for (int number = 1; !tensorNames.insert(name).second; ++number)
    name = tensor.entry.name + "_" + std::to_string(number);
  tensor.entry.name = name;
  memory.push_back(std::move(tensor.memory));
  keptTensors.push_back(std::move(tensor.entry));
  return &keptTensors.back();
}

TensorSource GraphTranslator::takeConstants() {
  return TensorSource(file.path,
                      {std::make_move_iterator(keptTensors.begin()),
                       std::make_move_iterator(keptTensors.end())},
                      {}, std::move(memory));
}

//===-- inputs and outputs ------------------------------------------------===//

Type GraphTranslator::elementTypeOf(int32_t dataType, const Twine &place) {
  const DataType *known = findDataType(dataType);
  if (known && known->type)
    return findElementType(*known->type)->get(b.getContext());
  fail(place + ": expected elements of a type that Heddle has, found " +
       nameOfDataType(dataType));
  return b.getF32Type();
}

// Names of sizes are any text: those that are expressions say how sizes depend
// on each other.
SizeAttr GraphTranslator::sizeOf(const TensorShapeProto::Dimension &dimension,
                                 StringRef input, int64_t axis) {
  MLIRContext *context = b.getContext();
  if (dimension.dimValue) {
    if (*dimension.dimValue < 0)
      fail("input '" + input + "': expected sizes of at least 0, found " +
           Twine(*dimension.dimValue));
    return SizeAttr::number(context, *dimension.dimValue);
  }
  std::string name = dimension.dimParam.str(), error;
  if (name.empty())
    name = (input + "_" + Twine(axis)).str();
  SizeAttr size = SizeAttr::parse(context, name, error);
  if (!size) {
    for (char &c : name)
      if (!llvm::isAlnum(c))
        c = '_';
    size = SizeAttr::symbol(context, name);
  }
  return size.substitute([&](StringRef symbol) {
    symbols[symbol] = true;
    auto fixed = fixedSizes.find(symbol.str());
    return fixed == fixedSizes.end() ? SizeAttr()
                                     : SizeAttr::number(context, fixed->second);
  });
}

void GraphTranslator::checkFixedSizes() {
  for (const auto &[name, value] : fixedSizes) {
    if (!symbols.contains(name)) {
      SmallVector<StringRef> names(symbols.keys());
      llvm::sort(names);
      return fail("--size: the model has no size '" + Twine(name) + "'" +
                  (names.empty()
                       ? ", nor any other"
                       : ", expected one of: " + llvm::join(names, ", ")));
    }
    if (value < 0)
      return fail("--size: expected a size '" + Twine(name) +
                  "' of at least 0, found " + Twine(value));
  }
}

Type GraphTranslator::typeOf(const ValueInfoProto &input) {
  std::string place = ("input '" + input.name + "'").str();
  if (input.kind != "a tensor" || !input.shape) {
    fail(place + ": expected a tensor with a shape, found " +
         (input.kind == "a tensor" ? "one without" : input.kind));
    return {};
  }
  Sizes sizes;
  for (const TensorShapeProto::Dimension &dimension : input.shape->dim)
    sizes.push_back(sizeOf(dimension, input.name, sizes.size()));
  return heddle::tensorOf(sizes, elementTypeOf(input.elemType, place));
}

// Exporters merge a decoder with a past and one without in one graph. That with
// a past is both, as a past may have no tokens; --size=use_cache_branch=0
// chooses the other one.
bool GraphTranslator::addBranch(const ValueInfoProto &input) {
  constexpr llvm::StringLiteral name = "use_cache_branch";
  const DataType *type = findDataType(input.elemType);
  if (input.name != name || !type || type->type != HEDDLE_TYPE_I1)
    return false;
  symbols[name] = true;
  auto fixed = fixedSizes.find(name.str());
  int64_t choice = fixed == fixedSizes.end() ? 1 : fixed->second;
  define(name).integers = {
      {1}, {SizeAttr::number(b.getContext(), choice)}, b.getI1Type()};
  return true;
}

// Those that have no initializer, which stands for a caller's default.
llvm::Error GraphTranslator::addInputs() {
  for (const TensorEntry &entry : file.tensors.tensors()) {
    define(entry.name).stored = &entry;
    tensorNames.insert(entry.name);
  }
  SmallVector<Type> types;
  SmallVector<const ValueInfoProto *> inputs;
  for (const ValueInfoProto &input : file.graph().input) {
    if (file.tensors.find(input.name) || addBranch(input))
      continue;
    inputs.push_back(&input);
    types.push_back(typeOf(input));
    if (firstError)
      return takeError();
  }
  checkFixedSizes();
  function =
      func::FuncOp::create(b, NameLoc::get(b.getStringAttr(file.graph().name)),
                           "run", b.getFunctionType(types, {}));
  declarations.setInsertionPoint(function);
  Block *body = function.addEntryBlock();
  b.setInsertionPointToEnd(body);
  Operation *end = func::ReturnOp::create(b, function.getLoc());
  b.setInsertionPoint(end);
  constants.setInsertionPointToStart(body);
  for (auto [index, input] : llvm::enumerate(inputs)) {
    SmallVector<std::string> texts;
    for (SizeAttr size : sizesOf(types[index]))
      if (!size.asNumber())
        texts.push_back(size.str());
    function.setArgAttr(index, kNameAttr, b.getStringAttr(input->name));
    function.setArgAttr(
        index, kSizesAttr,
        b.getStrArrayAttr(SmallVector<StringRef>(texts.begin(), texts.end())));
    bool isNew = !input->name.empty() && !lookup(input->name);
    define(input->name).tensor = body->getArgument(index);
    if (!isNew)
      fail("input '" + input->name + "': expected a name that no other has");
  }
  return takeError();
}

void GraphTranslator::addOutputs() {
  Operation *end = function.getBody().front().getTerminator();
  SmallVector<Value> results;
  for (const ValueInfoProto &output : file.graph().output) {
    GraphValue *found = lookup(output.name);
    if (!found)
      return fail("output '" + output.name +
                  "': expected the result of a node, found no such value");
    results.push_back(tensorOf(*found, output.name));
  }
  if (firstError)
    return;
  end->setOperands(results);
  // Tensors of what turned out to be known, for one.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  // Types say no more than a person would write: sizes follow.
  auto simplify = [](ValueRange values) {
    for (Value value : values)
      if (auto type = dyn_cast<RankedTensorType>(value.getType()))
        value.setType(type.dropEncoding());
  };
  function.walk([&](Operation *op) {
    simplify(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        simplify(block.getArguments());
  });
  function.setType(b.getFunctionType(function.getBody().getArgumentTypes(),
                                     end->getOperandTypes()));
  for (auto [index, output] : llvm::enumerate(file.graph().output))
    function.setResultAttr(index, kNameAttr, b.getStringAttr(output.name));
}

void GraphTranslator::declareLimits() {
  SmallVector<StringRef> names(limits.keys());
  llvm::sort(names);
  SmallVector<Attribute> symbols;
  for (StringRef name : names) {
    auto [least, most] = limits.lookup(name);
    symbols.push_back(SymbolAttr::get(b.getContext(), b.getStringAttr(name),
                                      least, most, SymbolRole::Other));
  }
  function->setAttr(kSymbolsAttr, b.getArrayAttr(symbols));
}

//===-- nodes -------------------------------------------------------------===//

void GraphTranslator::translateNode(const NodeProto &proto) {
  constexpr int64_t most = 1 << 18;
  if (++nodeCount > most)
    return fail("expected at most " + Twine(most) +
                " nodes, with those of functions at each call and those of "
                "loops at each turn");
  if (const FunctionProto *function = findFunction(proto))
    return translateCall(proto, *function);
  const Operator *known = findOperator(proto.domain, proto.opType);
  if (!known)
    return fail(describe(proto) +
                ": expected an operator that is translated, "
                "found " +
                proto.domain + (proto.domain.empty() ? "" : ".") +
                proto.opType +
                "; these are: " + llvm::join(operatorNames(), ", "));
  std::optional<int64_t> version = versionOf(proto.domain);
  if (!version)
    return fail(describe(proto) + ": expected an opset_import of domain '" +
                proto.domain + "', found none");
  Node node(*this, proto, *version);
  Block *block = b.getInsertionBlock();
  Block::iterator place = b.getInsertionPoint();
  Operation *last = place == block->begin() ? nullptr : &*std::prev(place);
  known->translate(node);
  node.checkAttributes();
  node.verifyOps(last ? std::next(last->getIterator()) : block->begin());
  count(proto);
}

void GraphTranslator::count(const NodeProto &node) {
  ++nodeCounts.operators[node.opType];
  bool isKnown = llvm::all_of(node.output, [&](StringRef output) {
    GraphValue *value = output.empty() ? nullptr : lookup(output);
    return !value || value->integers || value->stored;
  });
  nodeCounts.known += isKnown;
}

void GraphTranslator::translateNodes(ArrayRef<NodeProto> nodes,
                                     ArrayRef<StringRef> outputs) {
  auto order = orderNodes(
      nodes, outputs, [&](StringRef name) { return lookup(name) != nullptr; });
  if (!order)
    return fail(llvm::toString(order.takeError()));
  for (const NodeProto *node : *order)
    if (!firstError)
      translateNode(*node);
}

llvm::Error GraphTranslator::translate() {
  if (llvm::Error error = addInputs())
    return error;
  translateNodes(file.graph().node, outputNames(file.graph()));
  if (!firstError)
    addOutputs();
  return takeError();
}
