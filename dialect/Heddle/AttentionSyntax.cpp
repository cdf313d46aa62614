// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of heddle.attention.

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/OptionSyntax.h"
#include "dialect/Keyword.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace heddle;

using Parse = llvm::function_ref<ParseResult()>;

// NAME(...)
static ParseResult parseOption(OpAsmParser &parser, StringRef name,
                               Parse parse) {
  return failure(parser.parseKeyword(name) || parser.parseLParen() || parse() ||
                 parser.parseRParen());
}

static ParseResult parseOptional(OpAsmParser &parser, StringRef name,
                                 Parse parse) {
  if (failed(parser.parseOptionalKeyword(name)))
    return success();
  return failure(parser.parseLParen() || parse() || parser.parseRParen());
}

ParseResult heddle::parseOperandsAndRegion(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
    SmallVectorImpl<Type> &types, Region &region) {
  if (succeeded(parser.parseOptionalLParen()) &&
      (parser.parseOperandList(operands) || parser.parseColonTypeList(types) ||
       parser.parseRParen()))
    return failure();
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseRegion(region))
    return failure();
  if (region.empty())
    return parser.emitError(at, "expected a region that yields a tensor");
  return success();
}

void heddle::printOperandsAndRegion(OpAsmPrinter &printer, Operation *,
                                    OperandRange operands, TypeRange types,
                                    Region &region) {
  if (!operands.empty())
    printer << '(' << operands << " : " << types << ')';
  printer << ' ';
  printer.printRegion(region);
}

// (NAME(OPERANDS : TYPES)? REGION)?
static ParseResult parseRegion(OpAsmParser &parser, StringRef name,
                               OperandList &operands, Region &region) {
  if (failed(parser.parseOptionalKeyword(name)))
    return success();
  return parseOperandsAndRegion(parser, operands.operands, operands.types,
                                region);
}

static void printRegion(OpAsmPrinter &printer, Operation *op, StringRef name,
                        OperandRange operands, Region &region) {
  if (region.empty())
    return;
  printer << ' ' << name;
  printOperandsAndRegion(printer, op, operands, operands.getTypes(), region);
}

static void printDims(OpAsmPrinter &printer, StringRef name, ArrayAttr dims) {
  if (!dims)
    return;
  printer << ' ' << name << '(';
  printKeywordList<AttentionDimAttr>(printer, dims);
  printer << ')';
}

// %q, %k, %v (mask(%m))? (sinks(%s : TYPE))? (packed(%k, %v : TYPES))?
// heads(H, kv = G) (scale(X))? (layout(LIST))? (output_layout(LIST))?
// (normalize(WORD))? (results(LIST))? (splits(N))? (products(TYPE))?
// (term(OPERANDS)? REGION)? (score(OPERANDS)? REGION)?
// (factors(OPERANDS)? REGION)? attributes : TYPES
ParseResult AttentionOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  OpAsmParser::UnresolvedOperand query, key, value, mask;
  bool hasMask = false;
  OperandList sinks, packed;
  int64_t heads, kvHeads;
  FloatAttr scale;
  ArrayAttr layout, outputLayout, wanted;
  IntegerAttr splits;
  TypeAttr products;
  auto normalize =
      NormalizationAttr::get(b.getContext(), Normalization::Softmax);
  if (parser.parseOperand(query) || parser.parseComma() ||
      parser.parseOperand(key) || parser.parseComma() ||
      parser.parseOperand(value) ||
      parseOptional(parser, "mask",
                    [&] {
                      hasMask = true;
                      return parser.parseOperand(mask);
                    }) ||
      sinks.parse(parser, "sinks") || packed.parse(parser, "packed") ||
      parseOption(parser, "heads",
                  [&]() -> ParseResult {
                    return failure(
                        parser.parseInteger(heads) || parser.parseComma() ||
                        parser.parseKeyword("kv") || parser.parseEqual() ||
                        parser.parseInteger(kvHeads));
                  }) ||
      parseOptional(
          parser, "scale",
          [&] { return parser.parseAttribute(scale, b.getF64Type()); }) ||
      parseOptional(
          parser, "layout",
          [&] { return parseKeywordList<AttentionDimAttr>(parser, layout); }) ||
      parseOptional(parser, "output_layout",
                    [&] {
                      return parseKeywordList<AttentionDimAttr>(parser,
                                                                outputLayout);
                    }) ||
      parseOptional(parser, "normalize",
                    [&] { return parseKeyword(parser, normalize); }) ||
      parseOptional(parser, "results",
                    [&] {
                      return parseKeywordList<AttentionResultAttr>(parser,
                                                                   wanted);
                    }) ||
      parseOptional(
          parser, "splits",
          [&] { return parser.parseAttribute(splits, b.getI64Type()); }) ||
      parseOptional(parser, "products",
                    [&] { return parser.parseAttribute(products); }))
    return failure();
  if (packed.operands.size() > 2)
    return parser.emitError(parser.getNameLoc(),
                            "expected packed keys, or keys and values");

  OperandList terms, scores, factors;
  if (parseRegion(parser, "term", terms, *result.addRegion()) ||
      parseRegion(parser, "score", scores, *result.addRegion()) ||
      parseRegion(parser, "factors", factors, *result.addRegion()) ||
      parseNoOption(parser, {"mask", "sinks", "packed", "heads", "scale",
                             "layout", "output_layout", "normalize", "results",
                             "splits", "products", "term", "score", "factors"}))
    return failure();
  Type queryType, keyType, valueType;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseType(queryType) || parser.parseComma() ||
      parser.parseType(keyType) || parser.parseComma() ||
      parser.parseType(valueType) ||
      parser.resolveOperand(query, queryType, result.operands) ||
      parser.resolveOperand(key, keyType, result.operands) ||
      parser.resolveOperand(value, valueType, result.operands) ||
      (hasMask && parser.resolveOperand(mask, MaskType::get(b.getContext()),
                                        result.operands)) ||
      sinks.resolve(parser, result) || packed.resolve(parser, result) ||
      terms.resolve(parser, result) || scores.resolve(parser, result) ||
      factors.resolve(parser, result))
    return failure();
  auto &properties = result.getOrAddProperties<Properties>();
  properties.heads = b.getI64IntegerAttr(heads);
  properties.kvHeads = b.getI64IntegerAttr(kvHeads);
  properties.scale = scale;
  properties.normalize = normalize;
  properties.layout = layout;
  properties.outputLayout = outputLayout;
  properties.wanted = wanted;
  properties.splits = splits;
  properties.products = products;
  properties.operandSegmentSizes = {1,
                                    1,
                                    1,
                                    int32_t(hasMask),
                                    int32_t(sinks.operands.size()),
                                    int32_t(!packed.operands.empty()),
                                    int32_t(packed.operands.size() > 1),
                                    int32_t(terms.operands.size()),
                                    int32_t(scores.operands.size()),
                                    int32_t(factors.operands.size())};
  SmallVector<Type> types;
  if (failed(inferReturnTypes(b.getContext(), result.location, result.operands,
                              result.attributes.getDictionary(b.getContext()),
                              result.getRawProperties(), result.regions,
                              types)))
    return failure();
  result.addTypes(types);
  return success();
}

void AttentionOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getQuery() << ", " << getKey() << ", " << getValue();
  if (getMask())
    printer << " mask(" << getMask() << ')';
  if (getSinks())
    printer << " sinks(" << getSinks() << " : " << getSinks().getType() << ')';
  if (getPackedKey()) {
    SmallVector<Value> packed{getPackedKey()};
    if (getPackedValue())
      packed.push_back(getPackedValue());
    printer << " packed(" << packed << " : " << ValueRange(packed).getTypes()
            << ')';
  }
  printer << " heads(" << getHeads() << ", kv = " << getKvHeads() << ')';
  if (getScaleAttr()) {
    printer << " scale(";
    printer.printAttributeWithoutType(getScaleAttr());
    printer << ')';
  }
  printDims(printer, "layout", getLayoutAttr());
  printDims(printer, "output_layout", getOutputLayoutAttr());
  if (getNormalize() != Normalization::Softmax)
    printer << " normalize(" << stringifyEnum(getNormalize()) << ')';
  if (getWantedAttr()) {
    printer << " results(";
    printKeywordList<AttentionResultAttr>(printer, getWantedAttr());
    printer << ')';
  }
  if (getSplits())
    printer << " splits(" << *getSplits() << ')';
  if (getProducts())
    printer << " products(" << *getProducts() << ')';
  printRegion(printer, *this, "term", getTermOperands(), getTerm());
  printRegion(printer, *this, "score", getScoreOperands(), getScore());
  printRegion(printer, *this, "factors", getFactorOperands(), getFactors());
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getHeadsAttrName(), getKvHeadsAttrName(),
                                 getScaleAttrName(), getNormalizeAttrName(),
                                 getLayoutAttrName(), getOutputLayoutAttrName(),
                                 getWantedAttrName(), getSplitsAttrName(),
                                 getProductsAttrName(), "operandSegmentSizes"});
  printer << " : " << getQuery().getType() << ", " << getKey().getType() << ", "
          << getValue().getType();
}

//===-- heddle.merge_attention --------------------------------------------===//

// (%u...) maxima(%m...) sums(%s...) (layout(LIST))? (results(LIST))?
// attributes : TYPE, TYPE
ParseResult MergeAttentionOp::parse(OpAsmParser &parser,
                                    OperationState &result) {
  Builder &b = parser.getBuilder();
  SmallVector<OpAsmParser::UnresolvedOperand> parts, maxima, sums;
  ArrayAttr layout, wanted;
  Type ofParts, ofRows;
  auto parseList = [&](auto &list) {
    return [&] { return parser.parseOperandList(list); };
  };
  if (parser.parseLParen() || parser.parseOperandList(parts) ||
      parser.parseRParen() ||
      parseOption(parser, "maxima", parseList(maxima)) ||
      parseOption(parser, "sums", parseList(sums)) ||
      parseOptional(
          parser, "layout",
          [&] { return parseKeywordList<AttentionDimAttr>(parser, layout); }) ||
      parseOptional(parser, "results",
                    [&] {
                      return parseKeywordList<AttentionResultAttr>(parser,
                                                                   wanted);
                    }) ||
      parseNoOption(parser, {"maxima", "sums", "layout", "results"}) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseType(ofParts) || parser.parseComma() ||
      parser.parseType(ofRows) ||
      parser.resolveOperands(parts, ofParts, result.operands) ||
      parser.resolveOperands(maxima, ofRows, result.operands) ||
      parser.resolveOperands(sums, ofRows, result.operands))
    return failure();
  auto &properties = result.getOrAddProperties<Properties>();
  properties.layout = layout;
  properties.wanted = wanted;
  properties.operandSegmentSizes = {
      int32_t(parts.size()), int32_t(maxima.size()), int32_t(sums.size())};
  SmallVector<Type> types;
  if (failed(inferReturnTypes(b.getContext(), result.location, result.operands,
                              result.attributes.getDictionary(b.getContext()),
                              result.getRawProperties(), result.regions,
                              types)))
    return failure();
  result.addTypes(types);
  return success();
}

void MergeAttentionOp::print(OpAsmPrinter &printer) {
  printer << " (" << getUnnormalized() << ") maxima(" << getMaxima()
          << ") sums(" << getSums() << ')';
  printDims(printer, "layout", getLayoutAttr());
  if (getWantedAttr()) {
    printer << " results(";
    printKeywordList<AttentionResultAttr>(printer, getWantedAttr());
    printer << ')';
  }
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {getLayoutAttrName(), getWantedAttrName(), "operandSegmentSizes"});
  printer << " : " << getUnnormalized().front().getType() << ", "
          << getMaxima().front().getType();
}
