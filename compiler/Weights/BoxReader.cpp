// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Weights/BoxReader.h"

#include "compiler/Weights/WeightInterfaces.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace heddle;

//===-- types -------------------------------------------------------------===//

static heddle_type elementTypeOf(Type type) {
  return findElementType(getElementTypeOrSelf(type))->type;
}

static llvm::Error tooLarge(WeightOp op) {
  return llvm::createStringError(llvm::formatv(
      "weight '{0}' has values that are too large for its type {1}",
      op.getSymName(), op.getTensorType().getElementType()));
}

/// The block with elements of another float type, rounded to nearest even.
/// False in `fits` if a finite value becomes infinite.
static ElementBlock convert(const ElementBlock &block, heddle_type type,
                            bool &fits) {
  ElementBlock result(type, block.sizes);
  visitElement(type, [&](auto to) {
    using To = decltype(to);
    visitElement(block.type, [&](auto from) {
      using From = decltype(from);
      using Wide =
          std::conditional_t<std::is_same_v<From, double>, double, float>;
      for (int64_t i = 0, end = block.elements(); i < end; ++i) {
        Wide value(elementAt<From>(block.data.data(), i));
        auto element = To(value);
        fits &= !std::isfinite(value) || std::isfinite(double(element));
        std::memcpy(result.data.data() + i * sizeof(To), &element, sizeof(To));
      }
    });
  });
  return result;
}

//===-- opening -----------------------------------------------------------===//

// A text and a checkpoint that come from different places need not agree.
static llvm::Error checkEntry(WeightOp op, const TensorEntry &entry) {
  auto where = [&] {
    return llvm::formatv("{0}: tensor '{1}' of weight '{2}': ", entry.file,
                         entry.name, op.getSymName());
  };
  ArrayRef<int64_t> shape = op.getTensorType().getShape();
  if (ArrayRef<int64_t>(entry.shape) != shape)
    return llvm::createStringError(llvm::formatv(
        "{0}expected shape [{1:$[, ]}], found [{2:$[, ]}]", where(),
        llvm::make_range(shape.begin(), shape.end()),
        llvm::make_range(entry.shape.begin(), entry.shape.end())));
  const ElementType &type =
      *findElementType(op.getTensorType().getElementType());
  if (!canConvert(entry.type, type.type))
    return llvm::createStringError(llvm::formatv(
        "{0}expected {1}, found {2}", where(),
        isFloat(type.type) ? "floats" : type.checkpoint, entry.dtype));
  return llvm::Error::success();
}

// The elements that a text lists, as memory has them.
static std::vector<uint8_t> bytesOf(DenseElementsAttr dense) {
  std::vector<uint8_t> bytes;
  visitElement(elementTypeOf(dense.getElementType()), [&](auto zero) {
    using T = decltype(zero);
    auto append = [&](T element) {
      const auto *begin = reinterpret_cast<const uint8_t *>(&element);
      bytes.insert(bytes.end(), begin, begin + sizeof(T));
    };
    if (isa<FloatType>(dense.getElementType()))
      for (APFloat value : dense.getValues<APFloat>()) {
        bool losesInfo;
        value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                      &losesInfo);
        append(T(value.convertToDouble()));
      }
    else
      for (const APInt &value : dense.getValues<APInt>())
        append(isNeverNegative(dense.getElementType())
                   ? T(value.getZExtValue())
                   : T(value.getSExtValue()));
  });
  return bytes;
}

llvm::Error BoxReader::openStored(WeightOp op) {
  if (stored.contains(op))
    return llvm::Error::success();
  Stored opened{elementTypeOf(op.getTensorType()), {}, nullptr, nullptr};
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(op.getValueAttr())) {
    opened.listed = std::make_unique<std::vector<uint8_t>>(bytesOf(dense));
    opened.data = *opened.listed;
  } else if (auto bytes = op.getValueBytes()) {
    opened.data = *bytes;
  } else {
    opened.entry =
        tensors && op.getSource() ? tensors->find(*op.getSource()) : nullptr;
    if (!opened.entry)
      return llvm::createStringError("weight '" + op.getSymName() +
                                     "': no checkpoint has it");
    if (llvm::Error error = checkEntry(op, *opened.entry))
      return error;
    opened.data = opened.entry->data;
    opened.type = *opened.entry->type;
  }
  stored.try_emplace(op, std::move(opened));
  return llvm::Error::success();
}

llvm::Expected<BoxReader> BoxReader::open(WeightOp weight,
                                          const SymbolTable &symbols,
                                          const TensorSource *tensors) {
  BoxReader reader(weight, tensors);
  if (!weight.isDerived()) {
    if (llvm::Error error = reader.openStored(weight))
      return error;
    return reader;
  }
  for (Operation &op : weight.getBody().front().without_terminator()) {
    if (auto reference = dyn_cast<WeightRefOp>(op)) {
      auto read = symbols.lookup<WeightOp>(reference.getWeight());
      reader.named[reference] = read;
      if (llvm::Error error = reader.openStored(read))
        return error;
      continue;
    }
    auto expression = dyn_cast<WeightExpressionOpInterface>(op);
    if (!expression || !expression.canReadBox())
      return llvm::createStringError(
          "weight '" + weight.getSymName() + "': '" +
          op.getName().getStringRef() +
          "' of these types cannot be computed when weights are packed");
  }
  return reader;
}

//===-- reading -----------------------------------------------------------===//

// Files have bytes for integers of 4 bits.
static bool fitsHalfBytes(WeightOp op, const ElementBlock &block) {
  Type type = op.getTensorType().getElementType();
  return !isHalfByte(type) || llvm::all_of(block.data, [&](uint8_t byte) {
    return type.isUnsignedInteger() ? llvm::isUInt<4>(byte)
                                    : llvm::isInt<4>(int8_t(byte));
  });
}

// Row by row, as blocks lie along rows.
static void readBlocks(const TensorEntry &entry, const Box &box,
                       ElementBlock &block) {
  if (block.data.empty())
    return;
  Box ofRows = box;
  int64_t first = ofRows.offsets.pop_back_val();
  int64_t count = ofRows.sizes.pop_back_val(), width = entry.shape.back();
  SmallVector<int64_t> rows(ofRows.sizes.size());
  uint8_t *to = block.data.data();
  for (int64_t number = 0, end = ofRows.elements(); number < end; ++number) {
    int64_t row = 0, rest = number;
    for (size_t dim = rows.size(); dim-- > 0; rest /= ofRows.sizes[dim])
      rows[dim] = ofRows.offsets[dim] + rest % ofRows.sizes[dim];
    for (size_t dim = 0; dim < rows.size(); ++dim)
      row = row * entry.shape[dim] + rows[dim];
    entry.read(row * width + first, count, to);
    to += count * bytesOfElement(block.type);
  }
}

llvm::Expected<ElementBlock> BoxReader::readStored(WeightOp op,
                                                   const Box &box) const {
  const Stored &from = stored.at(op);
  ElementBlock block(from.type, box.sizes);
  if (from.entry && from.entry->part)
    readBlocks(*from.entry, box, block);
  else
    copyElements(bytesOfElement(from.type), block.data.data(),
                 denseOffsets(box.sizes), from.data.data(),
                 offsetsIn(op.getTensorType().getShape(), box));
  heddle_type type = elementTypeOf(op.getTensorType());
  if (type == from.type && !fitsHalfBytes(op, block))
    return tooLarge(op);
  if (type == from.type)
    return block;
  // Other types than that of the weight are floats.
  bool fits = true;
  ElementBlock converted = convert(block, type, fits);
  if (!fits)
    return tooLarge(op);
  return converted;
}

llvm::Expected<ElementBlock> BoxEvaluation::compute(OpResult value,
                                                    const Box &box) {
  auto reference = dyn_cast<WeightRefOp>(value.getOwner());
  if (!reference)
    return cast<WeightExpressionOpInterface>(value.getOwner())
        .readBox(value.getResultNumber(), box, *this);
  Box inWhole = box;
  for (auto [offset, first] :
       llvm::zip_equal(inWhole.offsets, reference.getFirst()))
    offset += first;
  return reader.readStored(reader.named.at(reference), inWhole);
}

llvm::Expected<ElementBlock> BoxEvaluation::read(Value value, const Box &box) {
  auto result = cast<OpResult>(value);
  if (value.hasOneUse())
    return compute(result, box);
  Key key{value.getAsOpaquePointer(),
          {box.offsets.begin(), box.offsets.end()},
          {box.sizes.begin(), box.sizes.end()}};
  auto known = shared.find(key);
  if (known != shared.end())
    return known->second;
  llvm::Expected<ElementBlock> block = compute(result, box);
  if (block)
    shared.emplace(std::move(key), *block);
  return block;
}

llvm::Expected<ElementBlock> BoxReader::read(const Box &box) const {
  WeightOp op = weight;
  if (!op.isDerived())
    return readStored(op, box);
  llvm::Expected<ElementBlock> block =
      BoxEvaluation(*this).read(op.getYielded(), box);
  heddle_type type = elementTypeOf(op.getTensorType());
  if (!block || block->type == type)
    return block;
  bool fits = true;
  ElementBlock converted = convert(*block, type, fits);
  if (!fits)
    return tooLarge(op);
  return converted;
}

void BoxReader::release() const {
  for (const auto &[op, opened] : stored)
    if (opened.entry)
      tensors->release(*opened.entry);
}
