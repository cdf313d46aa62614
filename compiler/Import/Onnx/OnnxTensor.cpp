// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Onnx/OnnxTensor.h"

#include "compiler/Import/ElementFormats.h"
#include "compiler/Import/Onnx/Messages.h"
#include "compiler/Support/Files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace heddle;
using namespace heddle::onnx;

// (https://github.com/onnx/onnx, onnx.proto, TensorProto.DataType)
static constexpr DataType dataTypes[] = {
    {1, "FLOAT", HEDDLE_TYPE_F32},
    {2, "UINT8", HEDDLE_TYPE_U8},
    {3, "INT8", HEDDLE_TYPE_I8},
    {4, "UINT16", HEDDLE_TYPE_U16},
    {5, "INT16", HEDDLE_TYPE_I16},
    {6, "INT32", HEDDLE_TYPE_I32},
    {7, "INT64", HEDDLE_TYPE_I64},
    {8, "STRING", std::nullopt},
    {9, "BOOL", HEDDLE_TYPE_I1},
    {10, "FLOAT16", HEDDLE_TYPE_F16},
    {11, "DOUBLE", HEDDLE_TYPE_F64},
    {12, "UINT32", HEDDLE_TYPE_U32},
    {13, "UINT64", HEDDLE_TYPE_U64},
    {14, "COMPLEX64", std::nullopt},
    {15, "COMPLEX128", std::nullopt},
    {16, "BFLOAT16", HEDDLE_TYPE_BF16},
    {17, "FLOAT8E4M3FN", HEDDLE_TYPE_F8E4M3},
    {18, "FLOAT8E4M3FNUZ", std::nullopt},
    {19, "FLOAT8E5M2", HEDDLE_TYPE_F8E5M2},
    {20, "FLOAT8E5M2FNUZ", std::nullopt},
    {21, "UINT4", std::nullopt},
    {22, "INT4", std::nullopt},
    {23, "FLOAT4E2M1", std::nullopt},
};

const DataType *onnx::findDataType(int32_t number) {
  const DataType *found = llvm::find_if(
      dataTypes, [&](const DataType &type) { return type.number == number; });
  return found == std::end(dataTypes) ? nullptr : found;
}

int32_t onnx::dataTypeOf(heddle_type type) {
  return llvm::find_if(
             dataTypes,
             [&](const DataType &known) { return known.type == type; })
      ->number;
}

std::string onnx::nameOfDataType(int32_t number) {
  const DataType *type = findDataType(number);
  return type ? type->name.str() : ("type " + Twine(number)).str();
}

namespace {
/// Elements that stand in a field of their type, such as float_data.
class FieldReader {
public:
  FieldReader(const TensorProto &proto, heddle_type type)
      : proto(proto), type(type) {}

  template <typename Visit> auto visitField(Visit visit) const {
    switch (type) {
    case HEDDLE_TYPE_F32:
      return visit(proto.floatData);
    case HEDDLE_TYPE_F64:
      return visit(proto.doubleData);
    case HEDDLE_TYPE_I64:
      return visit(proto.int64Data);
    case HEDDLE_TYPE_U32:
    case HEDDLE_TYPE_U64:
      return visit(proto.uint64Data);
    default: // narrower integers and the bits of narrow floats
      return visit(proto.int32Data);
    }
  }

  int64_t count() const {
    return visitField([](const auto &field) { return int64_t(field.size()); });
  }

  std::vector<uint8_t> read() const {
    int64_t size = bytesOfElement(type);
    std::vector<uint8_t> bytes(count() * size);
    visitField([&](const auto &field) {
      for (int64_t i = 0, end = field.size(); i < end; ++i) {
        auto element = field[i]; // its lower bytes are the first
        std::memcpy(&bytes[i * size], &element, size);
      }
      return 0;
    });
    return bytes;
  }

private:
  const TensorProto &proto;
  heddle_type type;
};
} // namespace

// The number of elements, or none where that or a size is no number of
// elements.
static std::optional<int64_t> countOf(ArrayRef<int64_t> shape) {
  int64_t count = 1, largest = 1;
  for (int64_t size : shape) {
    // A size of 0 does not make room for others that overflow.
    if (size < 0 || MulOverflow(largest, std::max<int64_t>(size, 1), largest))
      return std::nullopt;
    count *= size;
  }
  return largest <= INT64_MAX / 8 ? std::optional(count) : std::nullopt;
}

Expected<OwnedTensor> onnx::readTensor(const TensorProto &proto,
                                       std::optional<ArrayRef<uint8_t>> raw,
                                       StringRef file, const Twine &place) {
  OwnedTensor tensor;
  TensorEntry &entry = tensor.entry;
  entry.name = proto.name.str();
  entry.file = file.str();
  entry.shape.assign(proto.dims.begin(), proto.dims.end());
  entry.dtype = nameOfDataType(proto.dataType);
  const DataType *known = findDataType(proto.dataType);
  bool isHalf = isHalfBytes(entry);
  if (!isHalf && (!known || !known->type))
    return tensor;
  entry.type = known->type;
  std::optional<int64_t> count = countOf(entry.shape);
  if (!count)
    return createStringError(
        place +
        ": expected sizes of at least 0 that make "
        "a number of elements, found [" +
        join(map_range(entry.shape,
                       [](int64_t size) { return std::to_string(size); }),
             ", ") +
        "]");
  int64_t size = isHalf ? 1 : bytesOfElement(*entry.type);
  if (isHalf)
    *count = divideCeil(*count, 2);
  if (!raw)
    raw = proto.rawData;
  if (!raw) {
    FieldReader field(proto, isHalf ? HEDDLE_TYPE_U8 : *entry.type);
    if (field.count() != *count)
      return createStringError(place + ": expected " + Twine(*count) +
                               " elements, found " + Twine(field.count()));
    tensor.memory = field.read();
    raw = tensor.memory;
  }
  int64_t bytes = *count * size;
  if (int64_t(raw->size()) != bytes)
    return createStringError(place + ": expected " + Twine(bytes) +
                             " bytes, found " + Twine(raw->size()));
  entry.data = *raw;
  return tensor;
}

bool onnx::isHalfBytes(const TensorEntry &entry) {
  return entry.dtype == "UINT4" || entry.dtype == "INT4";
}

OwnedTensor onnx::bytesOfHalves(const TensorEntry &entry) {
  OwnedTensor bytes;
  bytes.memory = entry.data.vec();
  // Of two's complement, a sign's bit the other way round adds 8.
  if (entry.dtype == "INT4")
    for (uint8_t &byte : bytes.memory)
      byte ^= 0x88;
  bytes.entry = entry;
  bytes.entry.name += "_bytes";
  bytes.entry.type = HEDDLE_TYPE_U8;
  bytes.entry.shape = {int64_t(bytes.memory.size())};
  bytes.entry.data = bytes.memory;
  return bytes;
}

Expected<OwnedTensor> onnx::readTensorFile(StringRef path) {
  auto buffer = readRegularFile(path, /*limit=*/INT32_MAX);
  if (!buffer)
    return buffer.takeError();
  ArrayRef bytes((*buffer)->getBuffer().bytes_begin(),
                 (*buffer)->getBufferSize());
  Expected<TensorProto> proto = readTensorMessage(bytes);
  if (!proto)
    return createStringError(path +
                             ": expected a tensor of ONNX (a "
                             "TensorProto): " +
                             toString(proto.takeError()));
  auto tensor = readTensor(*proto, std::nullopt, path, path);
  if (tensor && !tensor->entry.type)
    return createStringError(path +
                             ": expected elements of a type that Heddle "
                             "has, found " +
                             tensor->entry.dtype);
  if (tensor && tensor->memory.empty()) { // the file's own bytes end with it
    tensor->memory.assign(tensor->entry.data.begin(), tensor->entry.data.end());
    tensor->entry.data = tensor->memory;
  }
  return tensor;
}
