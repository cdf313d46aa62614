// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

//===-- Changes of scores -------------------------------------------------===//

LogicalResult SoftcapOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getScores()));
  return success();
}

LogicalResult SoftcapOp::verify() {
  // C1
  double cap = getCap().convertToDouble();
  double least = 0x1p-126, largest = 0x1p126;
  if (!(cap >= least && cap <= largest))
    return emitOpError("expected a cap from ")
           << least << " to " << largest << ", whose inverse is a normal f32, "
           << "found " << cap;
  return success();
}

template <typename Op> static LogicalResult verifyPlace(Op op) {
  if (bool(op.getOffset()) == bool(op.getAlignAttr()))
    return op.emitOpError("expected exactly one of 'offset' and 'align'");
  return success();
}

// Where scores have any number of heads, sizes say whether it fits.
static LogicalResult verifyPerHead(Operation *op, StringRef what, Value scores,
                                   Value table, unsigned dim) {
  int64_t heads = cast<RankedTensorType>(scores.getType()).getDimSize(1);
  int64_t found = cast<RankedTensorType>(table.getType()).getDimSize(dim);
  if (ShapedType::isDynamic(heads) || ShapedType::isDynamic(found) ||
      heads == found)
    return success();
  return op->emitOpError("expected ")
         << what << " for each of " << heads << " heads, found " << found;
}

template <typename Op>
static LogicalResult checkOffsets(Op op, const Sizes &scores) {
  if (!op.getOffset())
    return success();
  return expectSize(op, "the number of offsets", scores[0],
                    sizesOf(op.getOffset())[0]);
}

LogicalResult AlibiOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getScores()));
  return failure(failed(expectSize(*this, "the number of slopes", results[0][1],
                                   sizesOf(getSlopes())[0])) ||
                 failed(checkOffsets(*this, results[0])));
}

LogicalResult AlibiOp::verify() {
  // C1, C2
  return failure(
      failed(verifyPlace(*this)) ||
      failed(verifyPerHead(*this, "a slope", getScores(), getSlopes(), 0)));
}

LogicalResult RelativeBiasOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getScores()));
  return failure(failed(expectSize(*this, "the columns of the table",
                                   results[0][1], sizesOf(getTable())[1])) ||
                 failed(checkOffsets(*this, results[0])));
}

// A table of all distances is made of one of buckets.
static constexpr int64_t kLargestDistance = 1 << 16;
/// Where each begins is found by exact powers, whose digits grow with these.
static constexpr int64_t kMostBuckets = 256;

LogicalResult RelativeBiasOp::verify() {
  // C1, C2
  if (failed(verifyPlace(*this)) ||
      failed(verifyPerHead(*this, "a column", getScores(), getTable(), 1)))
    return failure();
  int64_t rows = getTable().getType().getDimSize(0);
  if (bool(getBuckets()) != bool(getDistance()))
    return emitOpError("expected buckets and their distance, or none");
  if (!getBuckets()) {
    if (rows % 2 == 0)
      return emitOpError("expected an odd number of rows, found ") << rows;
    return success();
  }
  bool areBoth = *getBuckets() == Buckets::Both;
  if (rows < 4 || rows > kMostBuckets || (areBoth && rows % 2))
    return emitOpError("expected 4 to ")
           << kMostBuckets << " rows, " << (areBoth ? "an even number, " : "")
           << "found " << rows;
  // C3
  int64_t exact = rows / (areBoth ? 4 : 2), last = *getDistance();
  if (last <= exact || last > kLargestDistance)
    return emitOpError("expected buckets up to a distance of more than ")
           << exact << " and at most " << kLargestDistance << ", found "
           << last;
  return success();
}

//===-- heddle.merge_attention --------------------------------------------===//

static bool isOfRows(AttentionResult result) {
  return result != AttentionResult::Output &&
         result != AttentionResult::Unnormalized;
}

SmallVector<AttentionResult> MergeAttentionOp::getWantedResults() {
  return wantedOf(getWantedAttr());
}

HeadLayout MergeAttentionOp::getLayoutOfParts() {
  if (getLayoutAttr())
    return HeadLayout::of(getLayoutAttr());
  unsigned ofParts = sizesOf(getUnnormalized().front()).size();
  unsigned ofRows = sizesOf(getMaxima().front()).size();
  HeadLayout layout;
  for (unsigned dim = 0; dim + 2 < ofRows; ++dim)
    layout.batches.push_back(dim);
  if (ofParts > ofRows)
    layout.head = ofParts - 3;
  layout.length = ofParts - 2;
  layout.channel = ofParts - 1;
  return layout;
}

LogicalResult MergeAttentionOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &results) {
  if (adaptor.getUnnormalized().empty() || adaptor.getMaxima().empty())
    return emitOptionalError(location, "expected parts of attention");
  for (AttentionResult result : wantedOf(adaptor.getWantedAttr()))
    results.push_back((isOfRows(result) ? adaptor.getMaxima().front()
                                        : adaptor.getUnnormalized().front())
                          .getType());
  return success();
}

LogicalResult MergeAttentionOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes parts = sizesOf(getUnnormalized().front());
  Sizes rows = sizesOf(getMaxima().front());
  for (AttentionResult result : getWantedResults())
    results.push_back(isOfRows(result) ? rows : parts);
  auto check = [&](StringRef what, ValueRange values, const Sizes &expected) {
    for (Value value : values)
      for (auto [size, found] : llvm::zip_equal(expected, sizesOf(value)))
        if (failed(expectSize(*this, what, size, found)))
          return failure();
    return success();
  };
  if (failed(check("a size of the parts", getUnnormalized(), parts)) ||
      failed(check("a size of the maxima", getMaxima(), rows)) ||
      failed(check("a size of the sums", getSums(), rows)))
    return failure();
  HeadLayout layout = getLayoutOfParts();
  for (auto [dim, batch] : llvm::enumerate(layout.batches))
    if (failed(expectSize(*this, "the batch of the maxima", parts[batch],
                          rows[dim])))
      return failure();
  return expectSize(*this, "the length of the maxima", parts[layout.length],
                    rows.back());
}

LogicalResult MergeAttentionOp::verify() {
  // C1
  size_t count = getUnnormalized().size();
  if (getMaxima().size() != count || getSums().size() != count)
    return emitOpError("expected as many maxima and sums as parts, found ")
           << getMaxima().size() << " and " << getSums().size() << " of "
           << count;
  for (ValueRange values : {ValueRange(getUnnormalized()),
                            ValueRange(getMaxima()), ValueRange(getSums())})
    if (!llvm::all_equal(values.getTypes()))
      return emitOpError("expected parts of one type, found ")
             << values.getTypes();
  if (failed(verifyAllOrNoneOfF64(*this, "parts, maxima and sums",
                                  getOperandTypes())))
    return failure();
  // C2
  auto parts = cast<RankedTensorType>(getUnnormalized().front().getType());
  auto rows = cast<RankedTensorType>(getMaxima().front().getType());
  if (rows.getRank() < 2 || parts.getRank() < rows.getRank() ||
      parts.getRank() > rows.getRank() + 1)
    return emitOpError(
               "expected maxima of [..., heads, length], and parts of as "
               "many dimensions or one more, found ")
           << rows << " and " << parts;
  // C4
  if (!HeadLayout::isValid(getLayoutAttr()))
    return emitOpError("expected a layout with length and channel once, and "
                       "head at most once");
  HeadLayout layout = getLayoutOfParts();
  if (layout.getRank() != parts.getRank() ||
      int64_t(layout.batches.size()) + 2 != rows.getRank())
    return emitOpError("expected a layout of the dimensions of ")
           << parts << " and of the batches of " << rows;
  int64_t heads = rows.getDimSize(rows.getRank() - 2);
  int64_t channels = parts.getDimSize(layout.channel);
  if (ShapedType::isDynamic(heads) || ShapedType::isDynamic(channels))
    return emitOpError("expected heads and channels of sizes that are known, "
                       "found ")
           << rows << " and " << parts;
  bool fits = layout.head ? parts.getDimSize(*layout.head) == heads
                          : heads > 0 && channels % heads == 0;
  if (!fits)
    return emitOpError("expected ")
           << heads << " heads, as the maxima have, found " << parts;
  // C3
  SmallVector<AttentionResult> wanted = getWantedResults();
  constexpr AttentionResult known[] = {
      AttentionResult::Output, AttentionResult::LogSumExp,
      AttentionResult::Unnormalized, AttentionResult::Maximum,
      AttentionResult::Sum};
  if (wanted.empty())
    return emitOpError("expected at least one result");
  for (auto [index, result] : llvm::enumerate(wanted)) {
    if (llvm::is_contained(ArrayRef(wanted).take_front(index), result))
      return emitOpError("expected each result once, found '")
             << stringifyEnum(result) << "' twice";
    if (!llvm::is_contained(known, result))
      return emitOpError("cannot give '")
             << stringifyEnum(result) << "' of parts of the keys";
  }
  return success();
}
