// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/LayerShapes.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

static SizeAttr one(Attribute any) {
  return SizeAttr::number(any.getContext(), 1);
}

// Begins an error about an op whose results have types only where its numbers
// fit; says nothing where nobody gives a location.
using Report = llvm::function_ref<InFlightDiagnostic()>;

template <typename Op> static auto reportAt(std::optional<Location> location) {
  return [location] {
    if (!location)
      return InFlightDiagnostic();
    InFlightDiagnostic error = emitError(*location);
    error << '\'' << Op::getOperationName() << "' op ";
    return error;
  };
}

//===-- heddle.group_norm -------------------------------------------------===//

LogicalResult GroupNormOp::verify() {
  // C5
  if (failed(verifyPrecision(*this)))
    return failure();
  // C1
  int64_t found = extent(getInput(), 1);
  if (ShapedType::isDynamic(found))
    return emitOpError("expected an input [batch, channels, ...] whose "
                       "channels are known, found ")
           << getInput().getType();
  // C2
  if (failed(expectChannels(*this, "a weight", getWeight(), found)) ||
      failed(expectChannels(*this, "a bias", getBias(), found)))
    return failure();
  // C3
  int64_t groups = getGroups();
  if (groups < 1 || found % groups)
    return emitOpError("expected groups that divide ")
           << found << " channels, found " << groups;
  // C4
  return verifyEpsilon(*this, getEpsilon());
}

LogicalResult GroupNormOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getInput()));
  return success();
}

//===-- Windows -----------------------------------------------------------===//

// The largest number that windows may have.
constexpr int64_t kMostNumber = 65535;

static bool isOutside(int64_t number, int64_t least) {
  return number < least || number > kMostNumber;
}

// None where numbers are not what constraints ask for.
static Windows windowsOf(ArrayRef<int64_t> taps, ArrayRef<int64_t> strides,
                         ArrayRef<int64_t> dilations, ArrayRef<int64_t> low,
                         ArrayRef<int64_t> high) {
  Windows windows;
  for (ArrayRef<int64_t> numbers : {strides, dilations, low, high})
    if (numbers.size() != taps.size())
      return {};
  for (size_t k = 0; k < taps.size(); ++k) {
    if (taps[k] < 0 || taps[k] > INT32_MAX || isOutside(strides[k], 1) ||
        isOutside(dilations[k], 1) || isOutside(low[k], 0) ||
        isOutside(high[k], 0))
      return {};
    windows.push_back({taps[k], strides[k], dilations[k], low[k], high[k]});
  }
  return windows;
}

static int64_t tapsOf(Value weight, unsigned dim) {
  int64_t taps = extent(weight, dim);
  return ShapedType::isDynamic(taps) ? -1 : taps;
}

template <typename Op> static Windows windowsOfConv1D(Op op) {
  int64_t padding = op.getPadding();
  return windowsOf(tapsOf(op.getWeight(), 2), int64_t(op.getStride()),
                   int64_t(op.getDilation()), padding, padding);
}

template <typename Op> static Windows windowsOfConv2D(Op op) {
  Value weight = op.getWeight();
  return windowsOf({tapsOf(weight, 2), tapsOf(weight, 3)}, op.getStrides(),
                   op.getDilations(), op.getLow(), op.getHigh());
}

template <typename Op> static Windows windowsOfPool2D(Op op) {
  if (op.getWindow().size() != 2)
    return {};
  return windowsOf(op.getWindow(), op.getStrides(), op.getDilations(),
                   op.getLow(), op.getHigh());
}

Windows Conv1DOp::getWindows() { return windowsOfConv1D(*this); }
Windows Conv2DOp::getWindows() { return windowsOfConv2D(*this); }
Windows Pool2DOp::getWindows() { return windowsOfPool2D(*this); }

// [batch, channels, windows of each dimension after them]
static Sizes sizesOfWindows(Value input, SizeAttr channels,
                            const Windows &windows, unsigned rank) {
  Sizes sizes{sizeOf(input, 0), channels};
  for (auto [k, window] : llvm::enumerate(windows))
    sizes.push_back(window.count(sizeOf(input, 2 + k)));
  sizes.resize(rank);
  return sizes;
}

// The numbers of windows, which are named as the op's attributes.
static LogicalResult verifyNumbers(const Twine &name, ArrayRef<int64_t> found,
                                   int64_t least, Report report) {
  if (llvm::none_of(found,
                    [&](int64_t number) { return isOutside(number, least); }))
    return success();
  InFlightDiagnostic error = report()
                             << "expected " << name << " from " << least
                             << " to " << kMostNumber << ", found ";
  llvm::interleaveComma(found, error);
  return error;
}

template <typename Op> static LogicalResult verifyPairs(Op op, Report report) {
  std::tuple<StringLiteral, ArrayRef<int64_t>, int64_t> numbers[] = {
      {"strides", op.getStrides(), 1},
      {"low", op.getLow(), 0},
      {"high", op.getHigh(), 0},
      {"dilations", op.getDilations(), 1}};
  for (auto [name, found, least] : numbers) {
    if (found.size() != 2)
      return report() << "expected two numbers of " << name << ", found "
                      << found.size();
    if (failed(verifyNumbers(name, found, least, report)))
      return failure();
  }
  return success();
}

// `isTooShort` tells of the reach of a window.
static LogicalResult
verifyReach(Value input, const Windows &windows, Report report,
            llvm::function_ref<bool(SizeAttr)> isTooShort) {
  for (auto [k, window] : llvm::enumerate(windows)) {
    SizeAttr length = sizeOf(input, 2 + k), reach = window.reach(length);
    if (reach && isTooShort(reach))
      return report() << "expected dimension " << 2 + k
                      << " of the input to be at least "
                      << (length - reach).str() << ", found " << length.str()
                      << howToDeclare(reach);
  }
  return success();
}

// The type of a result, where the windows fit.
static LogicalResult inferType(Value input, SizeAttr channels,
                               const Windows &windows, unsigned rank,
                               Report report, SmallVectorImpl<Type> &results) {
  auto isTooShort = [](SizeAttr reach) {
    return reach.asNumber().value_or(0) < 0;
  };
  if (failed(verifyReach(input, windows, report, isTooShort)))
    return failure();
  results.push_back(tensorOf(sizesOfWindows(input, channels, windows, rank),
                             getElementTypeOrSelf(input)));
  return success();
}

// The last constraint of each op, and its sizes.
template <typename Op>
static LogicalResult inferWindows(Op op, SizeAttr channels,
                                  SmallVectorImpl<Sizes> &results) {
  Windows windows = op.getWindows();
  if (failed(verifyReach(
          op.getInput(), windows, [&] { return op.emitOpError(); },
          [&](SizeAttr reach) { return !isNeverNegativeIn(op, reach); })))
    return failure();
  results.push_back(
      sizesOfWindows(op.getInput(), channels, windows, 2 + windows.size()));
  return success();
}

//===-- heddle.conv_1d, heddle.conv_2d ------------------------------------===//

template <typename Op> static LogicalResult verifyChannels(Op op) {
  // C1
  Value input = op.getInput(), weight = op.getWeight();
  int64_t in = extent(input, 1), out = extent(weight, 0);
  int64_t groups = op.getGroups();
  if (ShapedType::isDynamic(in) || groups < 1 || in % groups || out % groups)
    return op.emitOpError("expected groups that divide the channels of ")
           << input.getType() << " and " << out << " rows, found " << groups;
  // C2
  if (in / groups != extent(weight, 1))
    return op.emitOpError("expected a weight of ")
           << in / groups << " columns, found " << extent(weight, 1);
  if (llvm::is_contained(op.getWeight().getType().getShape().drop_front(2), 0))
    return op.emitOpError("expected a weight with taps, found ")
           << weight.getType();
  // C3
  if (op.getBias() && failed(expectChannels(op, "a bias", op.getBias(), out)))
    return failure();
  return success();
}

LogicalResult Conv1DOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  auto report = reportAt<Conv1DOp>(location);
  // C4
  std::tuple<StringLiteral, int64_t, int64_t> numbers[] = {
      {"stride", int64_t(adaptor.getStride()), 1},
      {"padding", int64_t(adaptor.getPadding()), 0},
      {"dilation", int64_t(adaptor.getDilation()), 1}};
  for (auto [name, found, least] : numbers)
    if (failed(verifyNumbers("a " + name, found, least, report)))
      return failure();
  // C5
  return inferType(adaptor.getInput(), sizeOf(adaptor.getWeight(), 0),
                   windowsOfConv1D(adaptor), 3, report, results);
}

LogicalResult Conv1DOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  return inferWindows(*this, sizeOf(getWeight(), 0), results);
}

// C1, C2, C3
LogicalResult Conv1DOp::verify() { return verifyChannels(*this); }

LogicalResult Conv2DOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  auto report = reportAt<Conv2DOp>(location);
  // C4
  if (failed(verifyPairs(adaptor, report)))
    return failure();
  // C5
  return inferType(adaptor.getInput(), sizeOf(adaptor.getWeight(), 0),
                   windowsOfConv2D(adaptor), 4, report, results);
}

LogicalResult Conv2DOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  return inferWindows(*this, sizeOf(getWeight(), 0), results);
}

// C1, C2, C3
LogicalResult Conv2DOp::verify() { return verifyChannels(*this); }

//===-- heddle.pool_2d ----------------------------------------------------===//

LogicalResult Pool2DOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  auto report = reportAt<Pool2DOp>(location);
  // C2
  if (adaptor.getWindow().size() != 2)
    return report() << "expected two numbers of window, found "
                    << adaptor.getWindow().size();
  if (failed(verifyNumbers("window", adaptor.getWindow(), 1, report)) ||
      failed(verifyPairs(adaptor, report)))
    return failure();
  // C3
  Value input = adaptor.getInput();
  return inferType(input, sizeOf(input, 1), windowsOfPool2D(adaptor), 4, report,
                   results);
}

LogicalResult Pool2DOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  return inferWindows(*this, sizeOf(getInput(), 1), results);
}

LogicalResult Pool2DOp::verify() {
  // C1
  if (getKind() != ReductionKind::Max && getKind() != ReductionKind::Mean)
    return emitOpError("expected max or mean, found ")
           << stringifyReductionKind(getKind());
  return success();
}

//===-- heddle.patch_embedding --------------------------------------------===//

template <typename Op> static Sizes sizesOfPatches(Op op) {
  int64_t patch = extent(op.getWeight(), 2);
  SizeAttr height = sizeOf(op.getInput(), 2), width = sizeOf(op.getInput(), 3);
  SizeAttr patches;
  if (height && width && patch > 0) {
    SizeAttr side = one(height) * patch;
    patches = floorDiv(height, side) * floorDiv(width, side);
  }
  return {sizeOf(op.getInput(), 0), patches, sizeOf(op.getWeight(), 0)};
}

LogicalResult PatchEmbeddingOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &results) {
  // C4
  for (unsigned dim : {2, 3}) {
    int64_t size = extent(adaptor.getInput(), dim);
    int64_t side = extent(adaptor.getWeight(), 2);
    if (side == 0)
      return reportAt<PatchEmbeddingOp>(location)()
             << "expected patches with elements, found a weight of "
             << adaptor.getWeight().getType();
    if (!ShapedType::isDynamic(size) && size < side)
      return reportAt<PatchEmbeddingOp>(location)()
             << "expected dimension " << dim << " of the image to be at least "
             << side << ", found " << size;
  }
  results.push_back(
      tensorOf(sizesOfPatches(adaptor),
               getElementTypeOrSelf(adaptor.getInput().getType())));
  return success();
}

LogicalResult PatchEmbeddingOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  // C4
  for (unsigned dim : {2, 3}) {
    SizeAttr size = sizeOf(getInput(), dim), side = sizeOf(getWeight(), 2);
    if (!isNeverNegativeIn(*this, size - side))
      return emitOpError("expected dimension ")
             << dim << " of the image to be at least " << side.str()
             << ", found " << size.str() << howToDeclare(size - side);
  }
  results.push_back(sizesOfPatches(*this));
  return success();
}

LogicalResult PatchEmbeddingOp::verify() {
  // C1
  int64_t in = extent(getInput(), 1), side = extent(getWeight(), 2);
  if (in != extent(getWeight(), 1))
    return emitOpError("expected a weight of as many columns as ")
           << getInput().getType() << " has channels, found "
           << extent(getWeight(), 1);
  // C2
  if (side != extent(getWeight(), 3))
    return emitOpError("expected square patches, found ")
           << getWeight().getType();
  // C3
  if (getBias() && failed(expectChannels(*this, "a bias", getBias(),
                                         extent(getWeight(), 0))))
    return failure();
  return success();
}
