// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of heddle.attention.

#include "dialect/Heddle/HeddleDialect.h"
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

// %q, %k, %v (mask(%m))? (sinks(%s : TYPE))? (packed(%p : TYPE))?
// heads(H, kv = G) (scale(X))? (results(LIST))? (score(OPERANDS)? REGION)?
// attributes : TYPES
ParseResult AttentionOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  OpAsmParser::UnresolvedOperand query, key, value, mask;
  bool hasMask = false;
  OperandList sinks, packed;
  int64_t heads, kvHeads;
  FloatAttr scale;
  ArrayAttr wanted;
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
      parseOptional(parser, "results", [&] {
        return parseKeywordList<AttentionResultAttr>(parser, wanted);
      }))
    return failure();

  OperandList scores;
  Region *region = result.addRegion();
  if (succeeded(parser.parseOptionalKeyword("score"))) {
    if (succeeded(parser.parseOptionalLParen()) &&
        (parser.parseOperandList(scores.operands) ||
         parser.parseColonTypeList(scores.types) || parser.parseRParen()))
      return failure();
    if (parser.parseRegion(*region))
      return failure();
  }
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
      scores.resolve(parser, result))
    return failure();
  auto &properties = result.getOrAddProperties<Properties>();
  properties.heads = b.getI64IntegerAttr(heads);
  properties.kvHeads = b.getI64IntegerAttr(kvHeads);
  properties.scale = scale;
  properties.wanted = wanted;
  properties.operandSegmentSizes = {1,
                                    1,
                                    1,
                                    int32_t(hasMask),
                                    int32_t(sinks.operands.size()),
                                    int32_t(packed.operands.size()),
                                    int32_t(scores.operands.size())};
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
  if (getPacked())
    printer << " packed(" << getPacked() << " : " << getPacked().getType()
            << ')';
  printer << " heads(" << getHeads() << ", kv = " << getKvHeads() << ')';
  if (getScaleAttr()) {
    printer << " scale(";
    printer.printAttributeWithoutType(getScaleAttr());
    printer << ')';
  }
  if (getWantedAttr()) {
    printer << " results(";
    printKeywordList<AttentionResultAttr>(printer, getWantedAttr());
    printer << ')';
  }
  if (changesScores()) {
    printer << " score";
    if (!getScoreOperands().empty())
      printer << '(' << getScoreOperands() << " : "
              << getScoreOperands().getTypes() << ')';
    printer << ' ';
    printer.printRegion(getScore());
  }
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getHeadsAttrName(), getKvHeadsAttrName(),
                                 getScaleAttrName(), getWantedAttrName(),
                                 "operandSegmentSizes"});
  printer << " : " << getQuery().getType() << ", " << getKey().getType() << ", "
          << getValue().getType();
}
