// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of heddle.multi_head_attention.

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/OptionSyntax.h"
#include "dialect/Keyword.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace heddle;

// NAME(%weight (, %bias)? : TYPES), which may be left out.
static ParseResult parseProjection(OpAsmParser &parser, StringRef name,
                                   OperandList &list) {
  SMLoc loc = parser.getCurrentLocation();
  if (list.parse(parser, name))
    return failure();
  if (list.operands.size() <= 2)
    return success();
  return parser.emitError(loc, "expected a weight and a bias of '")
         << name << "', found " << list.operands.size() << " operands";
}

static ParseResult parseNumber(OpAsmParser &parser, StringRef name,
                               FloatAttr &number) {
  if (failed(parser.parseOptionalKeyword(name)))
    return success();
  return failure(
      parser.parseLParen() ||
      parser.parseAttribute(number, parser.getBuilder().getF64Type()) ||
      parser.parseRParen());
}

// cache(%c : TYPE) layer(N) at(%s : TYPE) lengths(%n : TYPE)
static ParseResult parseCache(OpAsmParser &parser, OperandList &cache,
                              IntegerAttr &layer, OperandList &starts,
                              OperandList &lengths) {
  if (cache.parse(parser, "cache"))
    return failure();
  if (cache.operands.empty())
    return success();
  return failure(
      parser.parseKeyword("layer") || parser.parseLParen() ||
      parser.parseAttribute(layer, parser.getBuilder().getI64Type()) ||
      parser.parseRParen() || starts.parse(parser, "at") ||
      lengths.parse(parser, "lengths"));
}

// %q, %k, %v (mask(%m))? (cache(..) layer(N) at(..) lengths(..))?
// heads(H, kv = G) (combined(..) | query(..) key(..) value(..)) output(..)
// (norms(%q, %k : TYPES) epsilon(X))? (scale(X))? (results(LIST))?
// (score(OPERANDS)? REGION)? attributes : TYPES
ParseResult MultiHeadAttentionOp::parse(OpAsmParser &parser,
                                        OperationState &result) {
  Builder &b = parser.getBuilder();
  OpAsmParser::UnresolvedOperand inputs[3], mask;
  Type types[3];
  int64_t heads, kvHeads;
  if (parser.parseOperand(inputs[0]) || parser.parseComma() ||
      parser.parseOperand(inputs[1]) || parser.parseComma() ||
      parser.parseOperand(inputs[2]))
    return failure();
  bool hasMask = succeeded(parser.parseOptionalKeyword("mask"));
  if (hasMask && (parser.parseLParen() || parser.parseOperand(mask) ||
                  parser.parseRParen()))
    return failure();
  OperandList cache, starts, lengths, scores;
  IntegerAttr layer;
  if (parseCache(parser, cache, layer, starts, lengths))
    return failure();
  if (parser.parseKeyword("heads") || parser.parseLParen() ||
      parser.parseInteger(heads) || parser.parseComma() ||
      parser.parseKeyword("kv") || parser.parseEqual() ||
      parser.parseInteger(kvHeads) || parser.parseRParen())
    return failure();

  OperandList query, key, value, combined, output, norms;
  FloatAttr epsilon, scale;
  ArrayAttr wanted;
  if (parseProjection(parser, "query", query) ||
      parseProjection(parser, "key", key) ||
      parseProjection(parser, "value", value) ||
      parseProjection(parser, "combined", combined))
    return failure();
  SMLoc outputLoc = parser.getCurrentLocation();
  if (parseProjection(parser, "output", output))
    return failure();
  if (output.operands.empty())
    return parser.emitError(outputLoc, "expected 'output'");
  SMLoc normsLoc = parser.getCurrentLocation();
  if (norms.parse(parser, "norms"))
    return failure();
  if (!norms.operands.empty() && norms.operands.size() != 2)
    return parser.emitError(normsLoc, "expected norms of query and key, found ")
           << norms.operands.size() << " operands";
  if (parseNumber(parser, "epsilon", epsilon) ||
      parseNumber(parser, "scale", scale))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("results")) &&
      (parser.parseLParen() ||
       parseKeywordList<AttentionResultAttr>(parser, wanted) ||
       parser.parseRParen()))
    return failure();
  Region &score = *result.addRegion();
  if (succeeded(parser.parseOptionalKeyword("score")) &&
      parseOperandsAndRegion(parser, scores.operands, scores.types, score))
    return failure();
  if (parseNoOption(parser,
                    {"mask", "cache", "layer", "at", "lengths", "heads",
                     "query", "key", "value", "combined", "output", "norms",
                     "epsilon", "scale", "results", "score"}) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseType(types[0]) || parser.parseComma() ||
      parser.parseType(types[1]) || parser.parseComma() ||
      parser.parseType(types[2]))
    return failure();

  SmallVector<int32_t> segments{1, 1, 1, int32_t(hasMask)};
  for (auto [input, type] : llvm::zip_equal(inputs, types))
    if (parser.resolveOperand(input, type, result.operands))
      return failure();
  if (hasMask && parser.resolveOperand(mask, MaskType::get(b.getContext()),
                                       result.operands))
    return failure();
  for (OperandList *list : {&cache, &starts, &lengths}) {
    if (list->resolve(parser, result))
      return failure();
    segments.push_back(list->operands.size());
  }
  // A weight and a bias, or two norms, of which the second may be missing.
  for (OperandList *list : {&query, &key, &value, &combined, &output, &norms}) {
    if (list->resolve(parser, result))
      return failure();
    segments.push_back(!list->operands.empty());
    segments.push_back(list->operands.size() > 1);
  }
  if (scores.resolve(parser, result))
    return failure();
  segments.push_back(scores.operands.size());
  auto &properties = result.getOrAddProperties<Properties>();
  properties.layer = layer;
  properties.heads = b.getI64IntegerAttr(heads);
  properties.kvHeads = b.getI64IntegerAttr(kvHeads);
  properties.epsilon = epsilon;
  properties.scale = scale;
  properties.wanted = wanted;
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  SmallVector<Type> resultTypes;
  if (failed(inferReturnTypes(b.getContext(), result.location, result.operands,
                              result.attributes.getDictionary(b.getContext()),
                              result.getRawProperties(), result.regions,
                              resultTypes)))
    return failure();
  result.addTypes(resultTypes);
  return success();
}

static void printPair(OpAsmPrinter &printer, StringRef name, Value first,
                      Value second) {
  if (!first)
    return;
  printer << ' ' << name << '(' << first;
  if (second)
    printer << ", " << second;
  printer << " : " << first.getType();
  if (second)
    printer << ", " << second.getType();
  printer << ')';
}

static void printNumber(OpAsmPrinter &printer, StringRef name,
                        FloatAttr number) {
  if (!number)
    return;
  printer << ' ' << name << '(';
  printer.printAttributeWithoutType(number);
  printer << ')';
}

void MultiHeadAttentionOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getQuery() << ", " << getKey() << ", " << getValue();
  if (getMask())
    printer << " mask(" << getMask() << ')';
  printPair(printer, "cache", getCache(), Value());
  if (getLayer())
    printer << " layer(" << *getLayer() << ')';
  printPair(printer, "at", getStarts(), Value());
  printPair(printer, "lengths", getLengths(), Value());
  printer << " heads(" << getHeads() << ", kv = " << getKvHeads() << ')';
  printPair(printer, "query", getQueryWeight(), getQueryBias());
  printPair(printer, "key", getKeyWeight(), getKeyBias());
  printPair(printer, "value", getValueWeight(), getValueBias());
  printPair(printer, "combined", getCombinedWeight(), getCombinedBias());
  printPair(printer, "output", getOutputWeight(), getOutputBias());
  printPair(printer, "norms", getQueryNorm(), getKeyNorm());
  printNumber(printer, "epsilon", getEpsilonAttr());
  printNumber(printer, "scale", getScaleAttr());
  if (getWantedAttr()) {
    printer << " results(";
    printKeywordList<AttentionResultAttr>(printer, getWantedAttr());
    printer << ')';
  }
  if (!getScore().empty()) {
    printer << " score";
    printOperandsAndRegion(printer, *this, getScoreOperands(),
                           getScoreOperands().getTypes(), getScore());
  }
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getLayerAttrName(), getHeadsAttrName(),
                                 getKvHeadsAttrName(), getEpsilonAttrName(),
                                 getScaleAttrName(), getWantedAttrName(),
                                 "operandSegmentSizes"});
  printer << " : " << getQuery().getType() << ", " << getKey().getType() << ", "
          << getValue().getType();
}
