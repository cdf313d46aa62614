// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"
#include "dialect/Keyword.h"

using namespace mlir;
using namespace heddle;

ParseResult heddle::parseScoreDims(OpAsmParser &parser, ArrayAttr &dims) {
  return parseKeywordList<ScoreDimAttr>(parser, dims);
}

void heddle::printScoreDims(OpAsmPrinter &printer, Operation *,
                            ArrayAttr dims) {
  printKeywordList<ScoreDimAttr>(printer, dims);
}

// What is added to the numbers of queries and keys leaves 32 bits as little as
// those do.
static constexpr int64_t kLargestShift = 1 << 24;

static SizeAttr batchOf(const ScoreSpace &space) {
  return space[size_t(ScoreDim::Batch)];
}

//===-- Along the diagonal ------------------------------------------------===//

template <typename Op> static LogicalResult verifyDiagonal(Op op) {
  // C1
  if (bool(op.getOffset()) == bool(op.getAlignAttr()))
    return op.emitOpError("expected exactly one of 'offset' and 'align'");
  // C2
  std::optional<int64_t> plus = op.getShift().asNumber();
  if (!plus && op.getOffset())
    return op.emitOpError("expected a number as 'plus' of an offset, found \"")
           << op.getShift().str() << "\"";
  if (plus && (*plus < -kLargestShift || *plus > kLargestShift))
    return op.emitOpError("expected 'plus' from ")
           << -kLargestShift << " to " << kLargestShift << ", found " << *plus;
  return success();
}

template <typename Op>
static LogicalResult checkOffset(Op op, Operation *attention,
                                 const ScoreSpace &space) {
  if (!op.getOffset())
    return success();
  return expectSize(attention, "the number of offsets in the mask",
                    batchOf(space), sizesOf(op.getOffset())[0]);
}

LogicalResult CausalMaskOp::verify() { return verifyDiagonal(*this); }

LogicalResult CausalMaskOp::checkSpace(Operation *attention,
                                       const ScoreSpace &space) {
  return checkOffset(*this, attention, space);
}

LogicalResult WindowMaskOp::verify() {
  if (failed(verifyDiagonal(*this)))
    return failure();
  // C3
  if (!getLeft() && !getRight())
    return emitOpError("expected at least one of 'left' and 'right'");
  // C4
  for (std::optional<uint64_t> limit : {getLeft(), getRight()})
    if (limit && *limit > uint64_t(kLargestShift))
      return emitOpError("expected limits from 0 to ")
             << kLargestShift << ", found " << int64_t(*limit);
  return success();
}

LogicalResult WindowMaskOp::checkSpace(Operation *attention,
                                       const ScoreSpace &space) {
  return checkOffset(*this, attention, space);
}

//===-- heddle.mask.lengths -----------------------------------------------===//

LogicalResult LengthsMaskOp::verify() {
  // C1
  if (getOf() != ScoreDim::Key && getOf() != ScoreDim::Query)
    return emitOpError("expected lengths of 'key' or 'query', found '")
           << stringifyEnum(getOf()) << "'";
  return success();
}

LogicalResult LengthsMaskOp::checkSpace(Operation *attention,
                                        const ScoreSpace &space) {
  return expectSize(attention, "the number of lengths in the mask",
                    batchOf(space), sizesOf(getLengths())[0]);
}

//===-- heddle.mask.documents ---------------------------------------------===//

static LogicalResult verifySummary(Operation *op, ValueRange summary) {
  if (summary.empty() || summary.size() == 2)
    return success();
  return op->emitOpError("expected a summary of 2 tensors, found ")
         << summary.size();
}

LogicalResult DocumentsMaskOp::verify() {
  // C1
  Type queries = getQueries().getType().getElementType();
  Type keys = getKeys().getType().getElementType();
  if (queries != keys)
    return emitOpError("expected documents of one type, found ")
           << queries << " of the queries and " << keys << " of the keys";
  // C2
  return verifySummary(*this, getSummary());
}

LogicalResult DocumentsMaskOp::checkSpace(Operation *attention,
                                          const ScoreSpace &space) {
  Sizes queries = sizesOf(getQueries()), keys = sizesOf(getKeys());
  auto expect = [&](StringRef what, ScoreDim dim, SizeAttr found) {
    return failed(expectSize(attention, what, space[size_t(dim)], found));
  };
  return failure(
      expect("the batch of the queries' documents", ScoreDim::Batch,
             queries[0]) ||
      expect("the batch of the keys' documents", ScoreDim::Batch, keys[0]) ||
      expect("the number of queries that have documents", ScoreDim::Query,
             queries[1]) ||
      expect("the number of keys that have documents", ScoreDim::Key, keys[1]));
}

//===-- heddle.mask.dense -------------------------------------------------===//

std::optional<unsigned> DenseMaskOp::findDim(ScoreDim dim) {
  for (unsigned index = 0; index < getOver().size(); ++index)
    if (getDim(index) == dim)
      return index;
  return std::nullopt;
}

int64_t DenseMaskOp::getBlock(ScoreDim dim) {
  if (dim == ScoreDim::Query)
    return getQueryBlock();
  return dim == ScoreDim::Key ? getKeyBlock() : 1;
}

LogicalResult DenseMaskOp::verify() {
  // C1
  size_t rank = getMask().getType().getRank();
  if (getOver().size() != rank)
    return emitOpError("expected ")
           << rank << " dimensions in 'over', as the mask has, found "
           << getOver().size();
  for (unsigned index = 0; index < rank; ++index)
    if (*findDim(getDim(index)) != index)
      return emitOpError("expected each dimension once in 'over', found '")
             << stringifyEnum(getDim(index)) << "' twice";
  // C2
  for (uint64_t block : {getQueryBlock(), getKeyBlock()})
    if (block < 1 || block > uint64_t(kLargestShift))
      return emitOpError("expected blocks from 1 to ")
             << kLargestShift << ", found " << int64_t(block);
  // C3
  return verifySummary(*this, getSummary());
}

LogicalResult DenseMaskOp::checkSpace(Operation *attention,
                                      const ScoreSpace &space) {
  Sizes sizes = sizesOf(getMask());
  SizeAttr one = SizeAttr::number(getContext(), 1);
  for (auto [index, size] : llvm::enumerate(sizes)) {
    ScoreDim dim = getDim(index);
    SizeAttr expected = ceilDiv(space[size_t(dim)], getBlock(dim));
    std::string what =
        ("the size of the mask along '" + stringifyEnum(dim) + "'").str();
    if (size != one && failed(expectSize(attention, what, expected, size)))
      return failure();
  }
  return success();
}

//===-- Formulas ----------------------------------------------------------===//

// m and m = m
OpFoldResult AndMaskOp::fold(FoldAdaptor) {
  return getLhs() == getRhs() ? getLhs() : Value();
}

// m or m = m
OpFoldResult OrMaskOp::fold(FoldAdaptor) {
  return getLhs() == getRhs() ? getLhs() : Value();
}

// not not m = m
OpFoldResult NotMaskOp::fold(FoldAdaptor) {
  auto inner = getOperand().getDefiningOp<NotMaskOp>();
  return inner ? inner.getOperand() : Value();
}
