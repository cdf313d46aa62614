// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace heddle;

//===-- heddle.weight -----------------------------------------------------===//

// `@name from "source" : type`, `@name = value` (the value carries the type),
// or
// `@name : type attributes {..} { body }`.
ParseResult WeightOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes))
    return failure();
  if (succeeded(parser.parseOptionalEqual())) {
    ElementsAttr value;
    if (parser.parseAttribute(value, getValueAttrName(result.name),
                              result.attributes))
      return failure();
    result.addAttribute(getTypeAttrName(result.name),
                        TypeAttr::get(value.getType()));
  } else {
    bool isStored = succeeded(parser.parseOptionalKeyword("from"));
    std::string source;
    Type type;
    if ((isStored && parser.parseString(&source)) ||
        parser.parseColonType(type))
      return failure();
    result.addAttribute(getTypeAttrName(result.name), TypeAttr::get(type));
    if (!isStored) {
      if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
        return failure();
      return parser.parseRegion(*result.addRegion());
    }
    result.addAttribute(getSourceAttrName(result.name),
                        parser.getBuilder().getStringAttr(source));
  }
  result.addRegion();
  return parser.parseOptionalAttrDict(result.attributes);
}

void WeightOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  if (auto value = getValueAttr())
    printer << " = " << value;
  else {
    if (getSourceAttr())
      printer << " from " << getSourceAttr();
    printer << " : " << getType();
  }
  StringAttr printed[] = {getSymNameAttrName(), getTypeAttrName(),
                          getSourceAttrName(), getValueAttrName()};
  SmallVector<StringRef> names(printed, std::end(printed));
  if (!isDerived())
    return printer.printOptionalAttrDict((*this)->getAttrs(), names);
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), names);
  printer << ' ';
  printer.printRegion(getBody());
}

std::optional<ArrayRef<uint8_t>> WeightOp::getValueBytes() {
  auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(getValueAttr());
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return std::nullopt;
  ArrayRef<char> data = blob->getData();
  return ArrayRef(reinterpret_cast<const uint8_t *>(data.data()), data.size());
}

LogicalResult WeightOp::verify() {
  // C1
  if (bool(getSourceAttr()) + bool(getValueAttr()) + isDerived() != 1)
    return emitOpError("expected exactly one of 'source', 'value' and 'body'");
  // C2
  if (!getTensorType().hasStaticShape())
    return emitOpError("expected a static shape, found ") << getType();
  if (getValueAttr() && getValueAttr().getType() != getType())
    return emitOpError("expected a value of type ")
           << getType() << ", found " << getValueAttr().getType();
  // C3
  if (!getValueAttr() || isa<DenseElementsAttr>(getValueAttr()))
    return success();
  if (!isa<DenseResourceElementsAttr>(getValueAttr()))
    return emitOpError("expected a value that is dense or dense_resource");
  size_t expected = getTensorType().getNumElements() *
                    bytesOfElement(getTensorType().getElementType());
  std::optional<ArrayRef<uint8_t>> bytes = getValueBytes();
  if (!bytes || bytes->size() != expected)
    return emitOpError("expected a resource of ")
           << expected << " bytes, found "
           << (bytes ? Twine(bytes->size()) + " bytes" : Twine("none"));
  return success();
}

LogicalResult WeightOp::verifyRegions() {
  if (!isDerived())
    return success();
  // C2
  Operation *yield = getBody().front().getTerminator();
  if (yield->getOperandTypes() != TypeRange(getType()))
    return yield->emitOpError("expected a value of the weight's type ")
           << getType();
  return success();
}

LogicalResult WeightOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  // C4
  for (auto reference : getBody().getOps<WeightRefOp>()) {
    auto read = symbolTable.lookupNearestSymbolFrom<WeightOp>(
        reference, reference.getWeightAttr());
    if (read && read.isDerived())
      return reference.emitOpError("expected a weight without a body in the "
                                   "body of a weight, found ")
             << reference.getWeightAttr();
  }
  return success();
}

//===-- heddle.weight_ref -------------------------------------------------===//

LogicalResult
WeightRefOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  // C1
  auto weight =
      symbolTable.lookupNearestSymbolFrom<WeightOp>(*this, getWeightAttr());
  if (!weight)
    return emitOpError("expected a heddle.weight, found nothing named ")
           << getWeightAttr();
  RankedTensorType whole = weight.getTensorType(), type = getType();
  if (!getOffsets()) {
    if (type == whole)
      return success();
    InFlightDiagnostic diagnostic = emitOpError("expected type ")
                                    << whole << ", found " << type;
    diagnostic.attachNote(weight.getLoc()) << "the weight";
    return diagnostic;
  }
  // C3
  ArrayRef<int64_t> offsets = *getOffsets();
  auto isInside = [&](int64_t dimension) {
    int64_t first = offsets[dimension], size = type.getDimSize(dimension);
    return first >= 0 && size >= 0 &&
           first <= whole.getDimSize(dimension) - size;
  };
  if (int64_t(offsets.size()) == whole.getRank() &&
      type.getRank() == whole.getRank() &&
      type.getElementType() == whole.getElementType() &&
      llvm::all_of(llvm::seq(whole.getRank()), isInside))
    return success();
  InFlightDiagnostic diagnostic = emitOpError("expected a part of ")
                                  << whole << ", found " << type << " from ["
                                  << offsets << "] on";
  diagnostic.attachNote(weight.getLoc()) << "the weight";
  return diagnostic;
}

Attribute WeightRefOp::getPart() {
  return ArrayAttr::get(getContext(),
                        {getWeightAttr(),
                         DenseI64ArrayAttr::get(getContext(), getFirst()),
                         TypeAttr::get(getType())});
}

SmallVector<int64_t> WeightRefOp::getFirst() {
  return getOffsets() ? SmallVector<int64_t>(*getOffsets())
                      : SmallVector<int64_t>(getType().getRank(), 0);
}

WeightRefOp WeightRefOp::createPart(OpBuilder &b, Location location,
                                    WeightRefOp whole,
                                    ArrayRef<int64_t> offsets,
                                    ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> first = whole.getFirst();
  for (auto [sum, offset] : llvm::zip_equal(first, offsets))
    sum += offset;
  auto type = RankedTensorType::get(sizes, whole.getType().getElementType());
  return create(b, location, type, whole.getWeightAttr(),
                b.getDenseI64ArrayAttr(first), LayoutAttr());
}

LogicalResult WeightRefOp::verify() {
  // C2
  int64_t rank = getType().getRank();
  if (getLayout() && getLayout()->getDimension() >= rank)
    return emitOpError("expected a layout along a dimension below ")
           << rank << ", found " << getLayout()->getDimension();
  return success();
}

LogicalResult WeightRefOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getResult()));
  return success();
}

//===-- heddle.rotary_table -----------------------------------------------===//

SmallVector<int64_t> RotaryTableOp::shapeOf(int64_t dimension,
                                            int64_t positions) {
  constexpr int64_t fine = RotaryTableOp::kFineRows;
  return {fine + int64_t(llvm::divideCeil(positions, fine)), 2, dimension / 2};
}

uint64_t RotaryTableOp::bytesOf(uint64_t dimension, int64_t positions,
                                bool isDouble) {
  uint64_t element = isDouble ? sizeof(double) : sizeof(float);
  return llvm::SaturatingMultiply<uint64_t>(
      shapeOf(dimension, positions).front() * element, dimension);
}

LogicalResult RotaryTableOp::verifyPositions(Operation *op, int64_t dimension,
                                             int64_t positions, bool isDouble) {
  if (positions < 1 || positions > kLargestPositions)
    return op->emitOpError("expected positions from 1 to ")
           << kLargestPositions << ", found " << positions;
  uint64_t bytes = bytesOf(dimension, positions, isDouble);
  if (bytes > kLargestBytes)
    return op->emitOpError("expected positions whose rotary table takes at "
                           "most ")
           << kLargestBytes << " bytes, found " << positions << " that take "
           << bytes;
  return success();
}

LogicalResult RotaryTableOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getResult()));
  return success();
}

LogicalResult RotaryTableOp::verify() {
  // C2
  int64_t dimension = getDimension(), positions = getPositions();
  if (dimension <= 0 || dimension % 2)
    return emitOpError("expected a positive even dimension, found ")
           << dimension;
  if (failed(verifyPositions(getOperation(), dimension, positions,
                             getType().getElementType().isF64())))
    return failure();
  // C1
  SmallVector<int64_t> expected = shapeOf(dimension, positions);
  if (getType().getShape() != ArrayRef(expected))
    return emitOpError("expected a result of shape [")
           << expected << "], found " << getType();
  // C3
  if (getScaling() && getScaling()->isByPosition())
    return emitOpError("expected a scaling of one length, found one of each "
                       "position's");
  if (getScaling())
    return getScaling()->verifyFor(*this, dimension,
                                   getBase().convertToDouble());
  return success();
}
