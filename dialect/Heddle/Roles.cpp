// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifiers and the syntax of Roles.td.

#include "dialect/Heddle/GenerationDefaults.h"
#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/SizeRange.h"
#include "dialect/Heddle/Verification.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;

//===-- Attributes --------------------------------------------------------===//

LogicalResult SymbolAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringAttr name, int64_t minimum,
                                 int64_t maximum, SymbolRole role) {
  // C1
  std::string error;
  SizeAttr size = SizeAttr::parse(name.getContext(), name, error);
  if (!size || size.getKind() != SizeKind::Symbol)
    return emitError() << "expected the name of a size, found " << name;
  // C2
  if (minimum < 0 || minimum > maximum)
    return emitError() << "expected 0 <= minimum <= maximum of size " << name
                       << ", found " << minimum << " and " << maximum;
  return success();
}

Attribute ValuesAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t minimum;
  SizeAttr maximum, size;
  IntegerAttr lengths;
  if (parser.parseLess() || parser.parseInteger(minimum) ||
      parser.parseKeyword("to") || parseSize(parser, maximum))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("plus"))
      return {};
    if (succeeded(parser.parseOptionalKeyword("argument"))) {
      int64_t number;
      if (parser.parseLParen() || parser.parseInteger(number) ||
          parser.parseRParen())
        return {};
      lengths = parser.getBuilder().getI64IntegerAttr(number);
    } else if (parseSize(parser, size)) {
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  // C3
  SizeAttr most = size ? maximum - size : maximum;
  if (most.asNumber() && *most.asNumber() < minimum) {
    parser.emitError(loc, "expected a value from ")
        << minimum << " to " << *most.asNumber() << ", of which there is none";
    return {};
  }
  return ValuesAttr::get(parser.getContext(), minimum, maximum, lengths, size);
}

void ValuesAttr::print(AsmPrinter &printer) const {
  printer << "<" << getMinimum() << " to \"" << getMaximum().str() << '"';
  if (getLengths())
    printer << ", plus argument(" << getLengths().getInt() << ")";
  else if (getSize())
    printer << ", plus \"" << getSize().str() << '"';
  printer << ">";
}

Attribute BroadcastAttr::parse(AsmParser &parser, Type) {
  SizeAttr size, target;
  if (parser.parseLess() || parseSize(parser, size) ||
      parser.parseKeyword("to") || parseSize(parser, target) ||
      parser.parseGreater())
    return {};
  return BroadcastAttr::get(parser.getContext(), size, target);
}

void BroadcastAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getSize().str() << "\" to \"" << getTarget().str()
          << "\">";
}

//===-- What they say of sizes --------------------------------------------===//

static SizeRange rangeOfSymbol(Operation *op, StringRef name) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto symbols =
      function ? function->getAttrOfType<ArrayAttr>(kSymbolsAttr) : ArrayAttr();
  if (symbols)
    for (auto symbol : symbols.getAsRange<SymbolAttr>())
      if (symbol.getName() == name)
        return {symbol.getMinimum(), symbol.getMaximum()};
  return {1, INT64_MAX};
}

SizeRange heddle::rangeIn(Operation *op, SizeAttr size) {
  return rangeOf(size, [&](StringRef name) { return rangeOfSymbol(op, name); });
}

bool heddle::isNeverNegativeIn(Operation *op, SizeAttr size) {
  auto least = [&](StringRef name) { return rangeOfSymbol(op, name).least; };
  return isNeverNegative(size, least) || rangeIn(op, size).least >= 0;
}

bool heddle::isPositiveIn(Operation *op, SizeAttr size) {
  return isNeverNegativeIn(op, size - SizeAttr::number(op->getContext(), 1));
}

// Whether they differ in all calls, as far as this can tell.
static bool areUnequalIn(Operation *op, SizeAttr a, SizeAttr b) {
  return isPositiveIn(op, a - b) || isPositiveIn(op, b - a);
}

LogicalResult heddle::expectBroadcast(Operation *op, SizeAttr size,
                                      SizeAttr target) {
  SizeAttr one = SizeAttr::number(op->getContext(), 1);
  if (!areUnequalIn(op, size, one) || !areUnequalIn(op, size, target))
    return success();
  return op->emitOpError("expected the size of a dimension to be 1 or \"")
         << target.str() << "\", found \"" << size.str() << '"';
}

LogicalResult heddle::expectBroadcasts(Operation *op, ArrayRef<SizeAttr> sizes,
                                       ArrayRef<SizeAttr> targets) {
  for (auto [size, target] :
       llvm::zip_equal(sizes, targets.take_back(sizes.size())))
    if (failed(expectBroadcast(op, size, target)))
      return failure();
  return success();
}

StringRef heddle::howToDeclare(SizeAttr size) {
  return size.asNumber() ? ""
                         : "; what sizes may be is declared in heddle.symbols "
                           "of the entry point";
}

//===-- Where they stand --------------------------------------------------===//

static bool isIntegers(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isIndexType(tensor.getElementType());
}

// Whether argument `number` can have the lengths of the sequences of a value of
// `type`: whether sizes are equal is known once they are in the types.
static bool hasLengthsOf(FunctionOpInterface function, int64_t number,
                         Type type) {
  if (number < 0 || number >= function.getNumArguments())
    return false;
  auto lengths =
      dyn_cast<RankedTensorType>(function.getArgumentTypes()[number]);
  auto tensor = dyn_cast<RankedTensorType>(type);
  return lengths && tensor && isIntegers(lengths) && lengths.getRank() == 1 &&
         tensor.getRank() > 0 &&
         sizesOf(lengths).front() == sizesOf(tensor).front();
}

static LogicalResult verifySymbols(Operation *op, Attribute attribute) {
  auto array = dyn_cast<ArrayAttr>(attribute);
  if (!isa<FunctionOpInterface>(op) || !array ||
      !llvm::all_of(array, llvm::IsaPred<SymbolAttr>))
    return op->emitOpError("expected ")
           << kSymbolsAttr << " to be an array of #heddle.symbol of a function";
  // C3
  llvm::StringSet<> names;
  for (auto symbol : array.getAsRange<SymbolAttr>())
    if (!names.insert(symbol.getName()).second)
      return op->emitOpError("expected each size once in ")
             << kSymbolsAttr << ", found " << symbol.getName() << " twice";
  return success();
}

static LogicalResult verifyBroadcasts(Operation *op, Attribute attribute) {
  auto array = dyn_cast<ArrayAttr>(attribute);
  if (isa<FunctionOpInterface>(op) && array &&
      llvm::all_of(array, llvm::IsaPred<BroadcastAttr>))
    return success();
  return op->emitOpError("expected ")
         << kBroadcastsAttr
         << " to be an array of #heddle.broadcast of a function";
}

static LogicalResult verifyCounts(Operation *op, Attribute attribute) {
  auto array = dyn_cast<ArrayAttr>(attribute);
  if (isa<FunctionOpInterface>(op) && array &&
      llvm::all_of(array, llvm::IsaPred<SizeAttr>))
    return success();
  return op->emitOpError("expected ")
         << kCountsAttr << " to be an array of #heddle.size of a function";
}

static bool isRoleOfResult(ArgumentRole role) {
  switch (role) {
  case ArgumentRole::Logits:
  case ArgumentRole::Hidden:
  case ArgumentRole::Pooled:
  case ArgumentRole::Embedding:
    return true;
  default:
    return false;
  }
}

static LogicalResult verifyRole(FunctionOpInterface function, const Twine &what,
                                Type type, bool isResult,
                                NamedAttribute attribute) {
  if (attribute.getName() == kRoleAttr) {
    auto role = dyn_cast<ArgumentRoleAttr>(attribute.getValue());
    bool fits = role && isRoleOfResult(role.getValue()) == isResult;
    if (!fits)
      return function.emitOpError("expected ")
             << kRoleAttr << " of " << what
             << " to be a #heddle.role of such, found " << attribute.getValue();
    bool isOfCache = role.getValue() == ArgumentRole::Pool ||
                     role.getValue() == ArgumentRole::Cross;
    if (isOfCache != isa<CacheType>(type) ||
        (!isOfCache && !isResult && !isIntegers(type)))
      return function.emitOpError("expected ")
             << kRoleAttr
             << (isOfCache ? " of a cache" : " of a tensor of i32 or i64")
             << ", found " << what << " of type " << type;
  }
  if (attribute.getName() == kPaddingAttr) {
    auto number = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!number || !hasLengthsOf(function, number.getInt(), type))
      return function.emitOpError("expected ")
             << kPaddingAttr << " of " << what
             << " to be the number of an i32 or i64 argument with a length "
                "for each of its sequences, found "
             << attribute.getValue();
  }
  return success();
}

static LogicalResult verifyValues(FunctionOpInterface function, unsigned index,
                                  Attribute attribute) {
  Type type = function.getArgumentTypes()[index];
  auto values = dyn_cast<ValuesAttr>(attribute);
  // C1
  if (!values || !isIntegers(type))
    return function.emitOpError("expected ")
           << kValuesAttr
           << " to be #heddle.values of a tensor of i32 or i64, found "
           << attribute << " of argument " << index;
  // C2
  if (values.getLengths() &&
      (values.getLengths().getInt() == index ||
       !hasLengthsOf(function, values.getLengths().getInt(), type)))
    return function.emitOpError("expected what is added to argument ")
           << index
           << " to be another i32 or i64 argument with a length for each of "
              "its "
              "sequences, found argument "
           << values.getLengths().getInt();
  return success();
}

// An attribute that is not known would change nothing, whatever it was meant
// to.
static LogicalResult verifyName(Operation *op, const Twine &what,
                                NamedAttribute attribute,
                                ArrayRef<StringLiteral> known) {
  if (llvm::is_contained(known, attribute.getName()))
    return success();
  InFlightDiagnostic error = op->emitOpError("expected attributes of ")
                             << what << " to be ";
  llvm::interleaveComma(known, error);
  return error << ", found " << attribute.getName().getValue();
}

// Private functions become part of those that call them, and what they declare
// would be lost.
static LogicalResult verifyIsEntryPoint(FunctionOpInterface function,
                                        NamedAttribute attribute) {
  if (!function.isPrivate() ||
      llvm::is_contained({kNameAttr, kSizesAttr}, attribute.getName()))
    return success();
  return function.emitOpError("expected ")
         << attribute.getName().getValue()
         << " on entry points alone, found it on a private function";
}

static LogicalResult verifyNameAttr(FunctionOpInterface function,
                                    const Twine &what,
                                    NamedAttribute attribute) {
  if (attribute.getName() != kNameAttr || isa<StringAttr>(attribute.getValue()))
    return success();
  return function.emitOpError("expected ")
         << kNameAttr << " of " << what << " to be a string, found "
         << attribute.getValue();
}

// Of an argument or a result, `what`, of a function.
static LogicalResult verifyKnown(FunctionOpInterface function,
                                 const Twine &what, NamedAttribute attribute,
                                 ArrayRef<StringLiteral> known) {
  if (isa<KernelOp>(function))
    return success();
  return success(succeeded(verifyName(function, what, attribute, known)) &&
                 succeeded(verifyIsEntryPoint(function, attribute)) &&
                 succeeded(verifyNameAttr(function, what, attribute)));
}

// What a module says of texts and answers.
static LogicalResult verifyGeneration(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kBosAttr || name == kEosAttr) {
    auto ids = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
    if (ids && areIds(ids))
      return success();
    return op->emitOpError("expected ")
           << name << " to be array<i64: ...> of ids from 0 to " << INT32_MAX
           << ", found " << attribute.getValue();
  }
  if (name != kGenerationAttr)
    return success();
  auto fields = dyn_cast<DictionaryAttr>(attribute.getValue());
  if (!fields)
    return op->emitOpError("expected ")
           << name << " to be a dictionary, found " << attribute.getValue();
  return success(succeeded(
      GenerationDefaults::read(fields, [&] { return op->emitOpError(); })));
}

LogicalResult
HeddleDialect::verifyOperationAttribute(Operation *op,
                                        NamedAttribute attribute) {
  if (isa<ModuleOp>(op) &&
      (failed(verifyName(op, "a module", attribute,
                         {kNameAttr, kPositionsAttr, kBosAttr, kEosAttr,
                          kGenerationAttr, kTargetAttr})) ||
       failed(verifyGeneration(op, attribute))))
    return failure();
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    if (failed(verifyKnown(
            function, "a function", attribute,
            {kSymbolsAttr, kBroadcastsAttr, kCountsAttr, kDecoderAttr})))
      return failure();
  if (attribute.getName() == kSymbolsAttr)
    return verifySymbols(op, attribute.getValue());
  if (attribute.getName() == kBroadcastsAttr)
    return verifyBroadcasts(op, attribute.getValue());
  if (attribute.getName() == kCountsAttr)
    return verifyCounts(op, attribute.getValue());
  if (attribute.getName() == kContractionAttr)
    return verifyContraction(op, attribute.getValue());
  return verifyConfiguration(op, attribute);
}

LogicalResult
HeddleDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index,
                                        NamedAttribute attribute) {
  auto function = cast<FunctionOpInterface>(op);
  if (failed(verifyKnown(
          function, "argument " + Twine(index), attribute,
          {kNameAttr, kSizesAttr, kRoleAttr, kValuesAttr, kPaddingAttr})))
    return failure();
  if (attribute.getName() == kValuesAttr)
    return verifyValues(function, index, attribute.getValue());
  return verifyRole(function, "argument " + Twine(index),
                    function.getArgumentTypes()[index], /*isResult=*/false,
                    attribute);
}

LogicalResult HeddleDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned index, NamedAttribute attribute) {
  auto function = cast<FunctionOpInterface>(op);
  if (failed(verifyKnown(function, "result " + Twine(index), attribute,
                         {kNameAttr, kRoleAttr, kPaddingAttr})))
    return failure();
  return verifyRole(function, "result " + Twine(index),
                    function.getResultTypes()[index], /*isResult=*/true,
                    attribute);
}
