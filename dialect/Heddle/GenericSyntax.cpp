// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of heddle.generic and heddle.read.

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace heddle;

//===-- Parts -------------------------------------------------------------===//

ParseResult heddle::parseSizeList(OpAsmParser &parser, ArrayAttr &list) {
  SmallVector<Attribute> sizes;
  auto parseOne = [&]() -> ParseResult {
    SizeAttr size;
    if (parseSize(parser, size))
      return failure();
    sizes.push_back(size);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  list = parser.getBuilder().getArrayAttr(sizes);
  return success();
}

ParseResult heddle::parseOperandTypes(OpAsmParser &parser,
                                      SmallVectorImpl<Type> &types) {
  bool isInside = succeeded(parser.parseOptionalLParen());
  if (parser.parseCommaSeparatedList(
          [&] { return parser.parseType(types.emplace_back()); }))
    return failure();
  return isInside ? parser.parseRParen() : success();
}

ParseResult
heddle::parseOperandTypes(OpAsmParser &parser,
                          ArrayRef<std::reference_wrapper<Type>> types) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> found;
  if (parseOperandTypes(parser, found))
    return failure();
  if (found.size() != types.size())
    return parser.emitError(loc, "expected types of ")
           << types.size() << " operands, found " << found.size();
  for (auto [target, type] : llvm::zip_equal(types, found))
    target.get() = type;
  return success();
}

void heddle::printOperandTypes(OpAsmPrinter &printer, Operation *,
                               TypeRange types) {
  llvm::interleaveComma(types, printer.getStream(),
                        [&](Type type) { printer << type; });
}

void heddle::printSizeList(OpAsmPrinter &printer, Operation *,
                           ArrayAttr sizes) {
  printer << '[';
  llvm::interleaveComma(sizes, printer, [&](Attribute attribute) {
    auto size = cast<SizeAttr>(attribute);
    if (std::optional<int64_t> number = size.asNumber())
      printer << *number;
    else
      printer << '"' << size.str() << '"';
  });
  printer << ']';
}

ParseResult OperandList::parse(OpAsmParser &parser, StringRef name) {
  if (failed(parser.parseOptionalKeyword(name)))
    return success();
  return failure(parser.parseLParen() || parser.parseOperandList(operands) ||
                 parser.parseColonTypeList(types) || parser.parseRParen());
}

ParseResult OperandList::resolve(OpAsmParser &parser, OperationState &result) {
  return parser.resolveOperands(operands, types, parser.getCurrentLocation(),
                                result.operands);
}

void OperandList::print(OpAsmPrinter &printer, StringRef name,
                        OperandRange operands) {
  if (!operands.empty())
    printer << ' ' << name << '(' << operands << " : " << operands.getTypes()
            << ')';
}

//===-- heddle.generic ----------------------------------------------------===//

// over SIZES (reduce SIZES initial NUMBERS)? (ins(...) maps MAPS (symbols
// SIZES)?)? (tables(...))? attributes REGION (: TYPES)?
ParseResult GenericOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  ArrayAttr none = builder.getArrayAttr({}), reduce = none, initial = none,
            maps = none, symbols = none;
  ArrayAttr over;
  if (parser.parseKeyword("over") || parseSizeList(parser, over))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("reduce")))
    if (parseSizeList(parser, reduce) || parser.parseKeyword("initial") ||
        parser.parseAttribute(initial))
      return failure();
  OperandList inputs, tables;
  if (inputs.parse(parser, "ins"))
    return failure();
  if (!inputs.operands.empty()) {
    if (parser.parseKeyword("maps") || parser.parseAttribute(maps))
      return failure();
    if (succeeded(parser.parseOptionalKeyword("symbols")) &&
        parseSizeList(parser, symbols))
      return failure();
  }
  if (tables.parse(parser, "tables") ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion()) ||
      parser.parseColonTypeList(result.types) ||
      inputs.resolve(parser, result) || tables.resolve(parser, result))
    return failure();
  ensureTerminator(*result.regions.front(), builder, result.location);
  result.addAttribute(getOverAttrName(result.name), over);
  result.addAttribute(getReduceAttrName(result.name), reduce);
  result.addAttribute(getMapsAttrName(result.name), maps);
  result.addAttribute(getSymbolsAttrName(result.name), symbols);
  result.addAttribute(getInitialAttrName(result.name), initial);
  result.getOrAddProperties<Properties>().operandSegmentSizes = {
      int32_t(inputs.operands.size()), int32_t(tables.operands.size())};
  return success();
}

void GenericOp::print(OpAsmPrinter &printer) {
  printer << " over ";
  printSizeList(printer, *this, getOver());
  if (hasReduction()) {
    printer << " reduce ";
    printSizeList(printer, *this, getReduce());
    printer << " initial " << getInitial();
  }
  OperandList::print(printer, "ins", getInputs());
  if (!getInputs().empty()) {
    printer << " maps " << getMaps();
    if (!getSymbols().empty()) {
      printer << " symbols ";
      printSizeList(printer, *this, getSymbols());
    }
  }
  OperandList::print(printer, "tables", getTables());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getOverAttrName(), getReduceAttrName(), getMapsAttrName(),
       getSymbolsAttrName(), getInitialAttrName(), "operandSegmentSizes"});
  printer << ' ';
  printer.printRegion(getBody());
  printer << " : " << getResultTypes();
}

//===-- heddle.read -------------------------------------------------------===//

// %table[%i, %j] (fill(%zero))? attributes : TYPE
ParseResult ReadOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand table, fill;
  SmallVector<OpAsmParser::UnresolvedOperand> coordinates;
  if (parser.parseOperand(table) ||
      parser.parseOperandList(coordinates, OpAsmParser::Delimiter::Square))
    return failure();
  bool hasFill = succeeded(parser.parseOptionalKeyword("fill"));
  if (hasFill && (parser.parseLParen() || parser.parseOperand(fill) ||
                  parser.parseRParen()))
    return failure();
  RankedTensorType type;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperand(table, type, result.operands) ||
      parser.resolveOperands(coordinates, parser.getBuilder().getI32Type(),
                             result.operands) ||
      (hasFill &&
       parser.resolveOperand(fill, scalarTypeOf(type.getElementType()),
                             result.operands)))
    return failure();
  result.addTypes(scalarTypeOf(type.getElementType()));
  result.getOrAddProperties<Properties>().operandSegmentSizes = {
      1, int32_t(coordinates.size()), int32_t(hasFill)};
  return success();
}

void ReadOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getTable() << '[' << getCoordinates() << ']';
  if (getFill())
    printer << " fill(" << getFill() << ')';
  printer.printOptionalAttrDict((*this)->getAttrs(), {"operandSegmentSizes"});
  printer << " : " << getTable().getType();
}
