// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Halide/HalideDialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::halide;

//===-- Names and variables -----------------------------------------------===//

// The variable that an SSA name such as %mo stands for: "mo".
static FailureOr<StringAttr>
parseVariable(OpAsmParser &parser,
              SmallVectorImpl<OpAsmParser::Argument> &args) {
  OpAsmParser::Argument argument;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseArgument(argument))
    return failure();
  StringRef name = argument.ssaName.name.drop_front();
  if (name.empty() || llvm::isDigit(name.front()))
    return parser.emitError(loc, "expected a variable with a name, found ")
           << argument.ssaName.name;
  argument.type = parser.getBuilder().getI32Type();
  args.push_back(argument);
  return parser.getBuilder().getStringAttr(name);
}

static ParseResult
parseVariables(OpAsmParser &parser, StringAttr attribute,
               OperationState &result,
               SmallVectorImpl<OpAsmParser::Argument> &args) {
  SmallVector<Attribute> names;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<StringAttr> name = parseVariable(parser, args);
    if (failed(name))
      return failure();
    names.push_back(*name);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseOne))
    return failure();
  result.addAttribute(attribute, parser.getBuilder().getArrayAttr(names));
  return success();
}

static void printArguments(OpAsmPrinter &printer, ValueRange arguments) {
  printer << '(';
  llvm::interleaveComma(arguments, printer);
  printer << ')';
}

static void nameArguments(Region &region, ArrayAttr vars,
                          OpAsmSetValueNameFn setName) {
  for (auto [argument, name] :
       llvm::zip(region.getArguments(), vars.getAsRange<StringAttr>()))
    setName(argument, name);
}

static LogicalResult verifyArguments(Operation *op, Region &body,
                                     size_t expected) {
  if (body.getNumArguments() == expected)
    return success();
  return op->emitOpError("expected ")
         << expected << " block arguments, found " << body.getNumArguments();
}

static LogicalResult verifyYield(Operation *op, Region &body, ArrayAttr types,
                                 unsigned rank, bool mayScatter) {
  auto yield = cast<YieldOp>(body.front().getTerminator());
  auto expected = types.getAsValueRange<TypeAttr>();
  if (!llvm::equal(yield.getValues().getTypes(), expected)) {
    InFlightDiagnostic diagnostic = op->emitOpError("expected values of types ")
                                    << types;
    diagnostic.attachNote(yield.getLoc())
        << "yields " << yield.getValues().getTypes();
    return diagnostic;
  }
  size_t coordinates = yield.getCoordinates().size();
  if (coordinates && !mayScatter)
    return yield.emitOpError("expected no coordinates in a pure definition");
  if (coordinates && coordinates != rank)
    return yield.emitOpError("expected ")
           << rank << " coordinates, found " << coordinates;
  return success();
}

//===-- halide.param ------------------------------------------------------===//

void ParamOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  std::string name = getSize().str();
  llvm::erase(name, ' ');
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  setName(getResult(), name);
}

//===-- halide.task -------------------------------------------------------===//

void TaskOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "task");
}

LogicalResult TaskOp::verify() {
  // C1
  if (!getCount().getDefiningOp<ParamOp>())
    return emitOpError("expected a count that is a halide.param");
  if (getInOrder() && !getInOrder().getDefiningOp<ParamOp>())
    return emitOpError("expected tasks in order whose number is a "
                       "halide.param");
  // C2
  for (auto other : (*this)->getBlock()->getOps<TaskOp>())
    if (other != *this && other->isBeforeInBlock(*this)) {
      InFlightDiagnostic error =
          emitOpError("expected one task, found a second");
      error.attachNote(other.getLoc()) << "the first one is here";
      return error;
    }
  return success();
}

//===-- halide.input, halide.output ---------------------------------------===//

// Operands stand for the dynamic extents, which the syntax alone cannot get
// wrong.
static LogicalResult verifyExtents(Operation *op,
                                   ArrayRef<int64_t> staticExtents,
                                   ValueRange extents) {
  size_t expected = llvm::count_if(staticExtents, ShapedType::isDynamic);
  if (extents.size() != expected)
    return op->emitOpError("expected ")
           << expected << " dynamic extents, found " << extents.size();
  return success();
}

LogicalResult InputOp::verify() {
  return verifyExtents(*this, getStaticExtents(), getExtents());
}

LogicalResult OutputOp::verify() {
  return verifyExtents(*this, getStaticExtents(), getExtents());
}

//===-- halide.func -------------------------------------------------------===//

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<Type> types;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      parseVariables(parser, getVarsAttrName(result.name), result, args) ||
      parser.parseColonTypeList(types))
    return failure();
  result.addAttribute(getTypesAttrName(result.name),
                      parser.getBuilder().getTypeArrayAttr(types));
  if (succeeded(parser.parseOptionalKeyword("reduction"))) {
    StringRef keyword;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseLParen() || parser.parseKeyword(&keyword) ||
        parser.parseRParen())
      return failure();
    std::optional<Reduction> kind = symbolizeReduction(keyword);
    if (!kind)
      return parser.emitError(loc, "unknown reduction '") << keyword << "'";
    result.addAttribute(getReductionAttrName(result.name),
                        ReductionAttr::get(parser.getContext(), *kind));
  }
  return failure(parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
                 parser.parseRegion(*result.addRegion(), args));
}

void FuncOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printArguments(printer, getBody().getArguments());
  printer << " : ";
  llvm::interleaveComma(getTypes().getAsValueRange<TypeAttr>(), printer);
  if (getReduction())
    printer << " reduction(" << stringifyReduction(*getReduction()) << ')';
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getSymNameAttrName(), getVarsAttrName(),
                            getTypesAttrName(), getReductionAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

void FuncOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  nameArguments(region, getVars(), setName);
}

LogicalResult FuncOp::verifyRegions() {
  if (failed(verifyArguments(*this, getBody(), getRank())))
    return failure();
  // C2
  llvm::StringSet<> names;
  for (StringRef name : getVars().getAsValueRange<StringAttr>())
    if (!names.insert(name).second)
      return emitOpError("expected distinct variables, found '")
             << name << "' twice";
  // C1
  return verifyYield(*this, getBody(), getTypes(), getRank(),
                     /*mayScatter=*/false);
}

//===-- halide.update -----------------------------------------------------===//

ParseResult UpdateOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  FlatSymbolRefAttr func;
  SmallVector<OpAsmParser::Argument> args;
  if (parser.parseAttribute(func, getFuncAttrName(result.name),
                            result.attributes) ||
      parseVariables(parser, getVarsAttrName(result.name), result, args))
    return failure();
  SmallVector<Attribute> reductionVars;
  SmallVector<int64_t> staticExtents;
  SmallVector<OpAsmParser::UnresolvedOperand> extents;
  // %k < 64 or %k < %extent
  auto parseRange = [&]() -> ParseResult {
    FailureOr<StringAttr> name = parseVariable(parser, args);
    if (failed(name) || parser.parseLess())
      return failure();
    reductionVars.push_back(*name);
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
    if (isOperand.has_value()) {
      extents.push_back(operand);
      staticExtents.push_back(ShapedType::kDynamic);
      return *isOperand;
    }
    return parser.parseInteger(staticExtents.emplace_back());
  };
  if (succeeded(parser.parseOptionalKeyword("reduce")) &&
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseRange))
    return failure();
  result.addAttribute(getReductionVarsAttrName(result.name),
                      builder.getArrayAttr(reductionVars));
  result.addAttribute(getStaticExtentsAttrName(result.name),
                      builder.getDenseI64ArrayAttr(staticExtents));
  return failure(
      parser.resolveOperands(extents, builder.getI32Type(), result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion(), args));
}

void UpdateOp::print(OpAsmPrinter &printer) {
  size_t rank = getVars().size();
  printer << ' ' << getFuncAttr();
  printArguments(printer, getBody().getArguments().take_front(rank));
  if (!getReductionVars().empty()) {
    printer << " reduce(";
    unsigned nextDynamic = 0;
    auto arguments = getBody().getArguments().drop_front(rank);
    llvm::interleaveComma(llvm::zip(arguments, getStaticExtents()), printer,
                          [&](auto range) {
                            auto [argument, extent] = range;
                            printer << argument << " < ";
                            if (ShapedType::isDynamic(extent))
                              printer << getExtents()[nextDynamic++];
                            else
                              printer << extent;
                          });
    printer << ')';
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getFuncAttrName(), getVarsAttrName(), getReductionVarsAttrName(),
       getStaticExtentsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

void UpdateOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  SmallVector<Attribute> names(getVars().getValue());
  llvm::append_range(names, getReductionVars());
  nameArguments(region, ArrayAttr::get(getContext(), names), setName);
}

LogicalResult UpdateOp::verify() {
  if (getStaticExtents().size() != getReductionVars().size())
    return emitOpError("expected ")
           << getReductionVars().size() << " extents, found "
           << getStaticExtents().size();
  if (failed(verifyExtents(*this, getStaticExtents(), getExtents())))
    return failure();
  return verifyArguments(*this, getBody(),
                         getVars().size() + getReductionVars().size());
}

//===-- halide.pipeline ---------------------------------------------------===//

// The checks that look a symbol up are here rather than in each op, so that the
// symbol table is built once for each pipeline.
namespace {
struct PipelineVerifier {
  PipelineOp pipeline;
  SymbolTable symbols;

  explicit PipelineVerifier(PipelineOp pipeline)
      : pipeline(pipeline), symbols(pipeline) {}

  LogicalResult verify(OutputOp op) {
    auto func = symbols.lookup<FuncOp>(op.getFunc());
    // C2
    if (!func || !func->isBeforeInBlock(op))
      return op.emitOpError(
                 "expected a halide.func before it, found nothing named ")
             << op.getFuncAttr();
    if (func.getTypes().size() != 1)
      return op.emitOpError("expected a func with one value, found ")
             << func.getTypes().size();
    if (func.getRank() != op.getStaticExtents().size())
      return op.emitOpError("expected ") << func.getRank() << " extents, found "
                                         << op.getStaticExtents().size();
    return success();
  }

  LogicalResult verify(UpdateOp op) {
    auto func = symbols.lookup<FuncOp>(op.getFunc());
    // C1
    if (!func || !func->isBeforeInBlock(op))
      return op.emitOpError(
                 "expected a halide.func before it, found nothing named ")
             << op.getFuncAttr();
    // C2
    if (func.getVars() != op.getVars()) {
      InFlightDiagnostic diagnostic = op.emitOpError("expected variables ")
                                      << func.getVars() << ", found "
                                      << op.getVars();
      diagnostic.attachNote(func.getLoc()) << "the func";
      return diagnostic;
    }
    // C3
    return verifyYield(op, op.getBody(), func.getTypes(), func.getRank(),
                       /*mayScatter=*/true);
  }

  LogicalResult verify(AccessOp op) {
    Operation *source = symbols.lookup(op.getSource());
    // C1
    if (!isa_and_nonnull<FuncOp, InputOp>(source) ||
        !source->isBeforeInBlock(op->getParentOp()))
      return op.emitOpError(
                 "expected a func or input before it, found nothing named ")
             << op.getSourceAttr();
    auto func = dyn_cast<FuncOp>(source);
    size_t rank =
        func ? func.getRank() : cast<InputOp>(source).getStaticExtents().size();
    // C2
    if (op.getCoordinates().size() != rank)
      return op.emitOpError("expected ")
             << rank << " coordinates, found " << op.getCoordinates().size();
    // C3
    size_t values = func ? func.getTypes().size() : 1;
    if (op.getIndex() >= values)
      return op.emitOpError("expected an index below ")
             << values << ", found " << op.getIndex();
    Type type = func ? func.getElementType(op.getIndex())
                     : heddle::scalarTypeOf(cast<InputOp>(source).getType());
    if (op.getType() != type)
      return op.emitOpError("expected type ")
             << type << ", found " << op.getType();
    return success();
  }
};
} // namespace

LogicalResult PipelineOp::verifyRegions() {
  PipelineVerifier verifier(*this);
  WalkResult result = walk([&](Operation *op) -> WalkResult {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<OutputOp, UpdateOp, AccessOp>(
            [&](auto op) { return verifier.verify(op); })
        .Default(success());
  });
  return failure(result.wasInterrupted());
}
