// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Weights/QuantizationReport.h"

#include "compiler/Weights/BoxReader.h"
#include "dialect/Heddle/StoredWeights.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace heddle;

namespace {

/// Sums over the elements of matrices.
struct Totals {
  double squares = 0, lost = 0;
  int64_t elements = 0, bytes = 0;

  void add(const Totals &other) {
    squares += other.squares;
    lost += other.lost;
    elements += other.elements;
    bytes += other.bytes;
  }
  std::string text() const {
    double error = squares > 0 ? std::sqrt(lost / squares) : 0;
    return llvm::formatv("{0:F2} bits a weight, off by {1:P2}",
                         8.0 * bytes / std::max<int64_t>(elements, 1), error);
  }
};

} // namespace

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

// The weights that `op` is made of, as the body names them.
static std::string namesOf(QuantizeOp op) {
  llvm::SetVector<StringRef> names;
  for (auto reference : op->getBlock()->getOps<WeightRefOp>())
    names.insert(reference.getWeight());
  return llvm::join(names, ", ");
}

static double numberOf(const ElementBlock &block, int64_t index) {
  return loadNumber(block.data.data(), block.type, index);
}

// Of the elements whose first index is `row`.
static llvm::Error addRow(QuantizeOp op, int64_t row, const BoxReader &reader,
                          Totals &totals) {
  auto rowsOf = [&](Value value) {
    Box box = Box::whole(typeOf(value).getShape());
    if (op.getAxis() > 0) {
      box.offsets[0] = row;
      box.sizes[0] = 1;
    }
    return box;
  };
  BoxEvaluation evaluation(reader);
  Box box = rowsOf(op.getInput());
  auto read = [&](Value value) {
    return evaluation.read(value, rowsOf(value));
  };
  auto input = read(op.getInput()), codes = read(op.getCodes()),
       scales = read(op.getScales());
  for (auto *block : {&input, &codes, &scales})
    if (!*block) {
      llvm::consumeError(input.takeError());
      llvm::consumeError(codes.takeError());
      return scales.takeError();
    }
  int64_t axis = op.getAxis(), group = op.getGroup();
  int64_t stride = llvm::product_of(ArrayRef(box.sizes).drop_front(axis + 1));
  for (int64_t i = 0; i < input->elements(); ++i) {
    int64_t ofScale = i / stride / group * stride + i % stride;
    double element = numberOf(*input, i);
    double decoded = numberOf(*codes, i) * numberOf(*scales, ofScale);
    totals.squares += element * element;
    totals.lost += (element - decoded) * (element - decoded);
  }
  return llvm::Error::success();
}

// Whether a weight is the integers of a matrix.
static bool isOfCodes(WeightOp weight) {
  Type element = weight.getTensorType().getElementType();
  return weight.getTensorType().getRank() >= 2 &&
         (isHalfByte(element) || element.isInteger(8));
}

// The types of weights of 8 bits or fewer that a matrix of floats is decoded
// from when it is packed.
static std::string decodedTypes(WeightOp weight) {
  llvm::SetVector<Type> types;
  auto isNarrow = [](Type type) {
    return getElementTypeOrSelf(type).getIntOrFloatBitWidth() <= 8;
  };
  if (weight.isDerived() && weight.getTensorType().getRank() >= 2 &&
      !isNarrow(weight.getTensorType()))
    weight->walk([&](WeightRefOp reference) {
      if (isNarrow(reference.getType()))
        types.insert(reference.getType());
    });
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(types, stream, " and ");
  return text;
}

// The op that makes the integers of a matrix, with their signs or without; null
// of integers that the checkpoint has.
static QuantizeOp findQuantization(WeightOp weight) {
  QuantizeOp found;
  if (weight.isDerived())
    weight->walk([&](QuantizeOp op) { found = op; });
  return found;
}

// The weights that functions read, and not bodies of others alone.
static llvm::StringSet<> namesOfRead(ModuleOp module) {
  llvm::StringSet<> names;
  module.walk([&](WeightRefOp reference) {
    if (!reference->getParentOfType<WeightOp>())
      names.insert(reference.getWeight());
  });
  return names;
}

llvm::Expected<std::string>
heddle::reportQuantization(ModuleOp module, const TensorSource *tensors) {
  SymbolTable symbols(module);
  llvm::StringSet<> read = namesOfRead(module);
  Totals all;
  std::string report;
  for (auto weight : module.getOps<WeightOp>()) {
    if (!read.contains(weight.getSymName()))
      continue;
    if (std::string types = decodedTypes(weight); !types.empty())
      report +=
          llvm::formatv("{0}: {1} decoded from {2}\n", weight.getSymName(),
                        weight.getTensorType(), types);
    if (!isOfCodes(weight))
      continue;
    QuantizeOp op = findQuantization(weight);
    if (!op) {
      report += llvm::formatv("{0}: {1} as in the checkpoint\n",
                              weight.getSymName(), weight.getTensorType());
      continue;
    }
    auto reader = BoxReader::open(weight, symbols, tensors);
    if (!reader)
      return reader.takeError();
    RankedTensorType codes = typeOf(op.getCodes()),
                     scales = typeOf(op.getScales());
    Totals totals;
    totals.elements = codes.getNumElements();
    totals.bytes =
        StoredWeight(codes, {}).bytes() + StoredWeight(scales, {}).bytes();
    int64_t rows = op.getAxis() > 0 ? codes.getDimSize(0) : 1;
    for (int64_t row = 0; row < rows; ++row)
      if (llvm::Error error = addRow(op, row, *reader, totals))
        return error;
    reader->release();
    report += llvm::formatv("{0}: {1} in groups of {2}: {3}\n", namesOf(op),
                            codes, op.getGroup(), totals.text());
    all.add(totals);
  }
  if (report.empty())
    return std::string("no matrix is quantized\n");
  if (all.elements > 0)
    report += "all: " + all.text() + "\n";
  return report;
}
