// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Onnx/Messages.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/LEB128.h"

using namespace llvm;
using namespace heddle::onnx;

namespace {

// (https://protobuf.dev/programming-guides/encoding)
enum WireType { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

/// What is wrong first in a file.
struct Failure {
  const uint8_t *begin;
  std::string message = {};

  void set(const uint8_t *at, const Twine &what) {
    if (message.empty())
      message = ("at byte " + Twine(at - begin) + ": " + what).str();
  }
};

// Graphs in attributes of nodes of graphs: each level is three messages.
constexpr unsigned kDeepest = 100;

/// The fields of one message, one after the other.
class Fields {
public:
  Fields(ArrayRef<uint8_t> bytes, unsigned depth, Failure &failure)
      : rest(bytes), depth(depth), failure(failure) {
    if (depth > kDeepest)
      failure.set(bytes.begin(), "expected messages in at most " +
                                     Twine(kDeepest) + " others");
  }

  /// Reads the next field; false at the end, and after a failure.
  bool next() {
    if (rest.empty() || !failure.message.empty())
      return false;
    start = rest.begin();
    uint64_t tag = takeVarint();
    number = tag >> 3;
    type = tag & 7;
    switch (type) {
    case Varint:
      value = takeVarint();
      break;
    case Fixed64:
      value = takeFixed(8);
      break;
    case Fixed32:
      value = takeFixed(4);
      break;
    case Bytes:
      content = take(takeVarint());
      break;
    default:
      fail("expected a field, found one of type " + Twine(type));
    }
    return failure.message.empty();
  }

  uint64_t number = 0; ///< of the field

  //===-- values of a field -----------------------------------------------===//

  int64_t integer() { return expect(Varint) ? int64_t(value) : 0; }
  float single() {
    return expect(Fixed32) ? bit_cast<float>(uint32_t(value)) : 0;
  }
  ArrayRef<uint8_t> bytes() {
    return expect(Bytes) ? content : ArrayRef<uint8_t>();
  }
  StringRef string() {
    return {reinterpret_cast<const char *>(bytes().data()), bytes().size()};
  }
  template <typename Message> void message(Message &into) {
    Fields fields(bytes(), depth + 1, failure);
    while (fields.next())
      read(fields, into);
  }

  // Elements of a list are one field each, or together in one.
  template <typename Integer> void appendTo(std::vector<Integer> &list) {
    if (type == Varint)
      return list.push_back(Integer(value));
    Fields packed(bytes(), depth, failure);
    while (!packed.rest.empty() && failure.message.empty())
      list.push_back(Integer(packed.takeVarint()));
  }
  void appendTo(std::vector<float> &list) { appendFixed(list, Fixed32); }
  void appendTo(std::vector<double> &list) { appendFixed(list, Fixed64); }

private:
  void fail(const Twine &what) { failure.set(start, what); }

  bool expect(WireType expected) {
    if (type != expected)
      fail("expected field " + Twine(number) + " to have type " +
           Twine(expected) + ", found " + Twine(type));
    return type == expected;
  }

  ArrayRef<uint8_t> take(uint64_t size) {
    if (size > rest.size()) {
      fail("expected " + Twine(size) + " bytes of field " + Twine(number) +
           ", found " + Twine(rest.size()) + ": the file is cut");
      size = rest.size();
    }
    ArrayRef<uint8_t> taken = rest.take_front(size);
    rest = rest.drop_front(size);
    return taken;
  }

  uint64_t takeVarint() {
    unsigned size = 0;
    const char *error = nullptr;
    uint64_t number = decodeULEB128(rest.begin(), &size, rest.end(), &error);
    if (error)
      fail(Twine("expected an integer: ") + error);
    rest = rest.drop_front(std::min<size_t>(size, rest.size()));
    return number;
  }

  uint64_t takeFixed(unsigned size) {
    ArrayRef<uint8_t> taken = take(size);
    if (taken.size() != size)
      return 0;
    return size == 8 ? support::endian::read64le(taken.data())
                     : support::endian::read32le(taken.data());
  }

  template <typename Float>
  void appendFixed(std::vector<Float> &list, WireType single) {
    using Bits = std::conditional_t<sizeof(Float) == 8, uint64_t, uint32_t>;
    if (type == single)
      return list.push_back(bit_cast<Float>(Bits(value)));
    Fields packed(bytes(), depth, failure);
    while (!packed.rest.empty() && failure.message.empty())
      list.push_back(bit_cast<Float>(Bits(packed.takeFixed(sizeof(Float)))));
  }

  ArrayRef<uint8_t> rest;
  const uint8_t *start = rest.begin(); ///< of the field
  uint64_t type = 0, value = 0;
  ArrayRef<uint8_t> content;
  unsigned depth;
  Failure &failure;
};

//===-- messages, by the numbers of their fields --------------------------===//

void read(Fields &field, StringStringEntryProto &entry) {
  switch (field.number) {
  case 1:
    entry.key = field.string();
    break;
  case 2:
    entry.value = field.string();
    break;
  }
}

void read(Fields &field, TensorProto &tensor) {
  switch (field.number) {
  case 1: {
    std::vector<int64_t> dims;
    field.appendTo(dims);
    append_range(tensor.dims, dims);
    break;
  }
  case 2:
    tensor.dataType = int32_t(field.integer());
    break;
  case 4:
    field.appendTo(tensor.floatData);
    break;
  case 5:
    field.appendTo(tensor.int32Data);
    break;
  case 7:
    field.appendTo(tensor.int64Data);
    break;
  case 8:
    tensor.name = field.string();
    break;
  case 9:
    tensor.rawData = field.bytes();
    break;
  case 10:
    field.appendTo(tensor.doubleData);
    break;
  case 11:
    field.appendTo(tensor.uint64Data);
    break;
  case 13:
    field.message(tensor.externalData.emplace_back());
    break;
  case 14:
    tensor.isExternal = field.integer() == 1;
    break;
  }
}

void read(Fields &field, GraphProto &graph);

void read(Fields &field, AttributeProto &attribute) {
  switch (field.number) {
  case 1:
    attribute.name = field.string();
    break;
  case 2:
    attribute.f = field.single();
    break;
  case 3:
    attribute.i = field.integer();
    break;
  case 4:
    attribute.s = field.string();
    break;
  case 5:
    field.message(attribute.t);
    break;
  case 6:
    attribute.g = std::make_unique<GraphProto>();
    field.message(*attribute.g);
    break;
  case 7:
    field.appendTo(attribute.floats);
    break;
  case 8:
    field.appendTo(attribute.ints);
    break;
  case 9:
    attribute.strings.push_back(field.string());
    break;
  case 20:
    attribute.type = int32_t(field.integer());
    break;
  case 21:
    attribute.refAttrName = field.string();
    break;
  }
}

void read(Fields &field, NodeProto &node) {
  switch (field.number) {
  case 1:
    node.input.push_back(field.string());
    break;
  case 2:
    node.output.push_back(field.string());
    break;
  case 3:
    node.name = field.string();
    break;
  case 4:
    node.opType = field.string();
    break;
  case 5:
    field.message(node.attribute.emplace_back());
    break;
  case 7:
    node.domain = field.string();
    break;
  case 8:
    node.overload = field.string();
    break;
  }
}

void read(Fields &field, TensorShapeProto::Dimension &dimension) {
  switch (field.number) {
  case 1:
    dimension.dimValue = field.integer();
    break;
  case 2:
    dimension.dimParam = field.string();
    break;
  }
}

void read(Fields &field, TensorShapeProto &shape) {
  if (field.number == 1)
    field.message(shape.dim.emplace_back());
}

struct TypeOfTensor {
  ValueInfoProto &value;
};
struct TypeOfValue {
  ValueInfoProto &value;
};
struct SparseTensor {
  GraphProto &graph;
};

void read(Fields &field, TypeOfTensor &type) {
  switch (field.number) {
  case 1:
    type.value.elemType = int32_t(field.integer());
    break;
  case 2:
    field.message(type.value.shape.emplace());
    break;
  }
}

void read(Fields &field, TypeOfValue &type) {
  switch (field.number) {
  case 1: {
    type.value.kind = "a tensor";
    TypeOfTensor tensor{type.value};
    field.message(tensor);
    break;
  }
  case 4:
    type.value.kind = "a sequence";
    break;
  case 5:
    type.value.kind = "a map";
    break;
  case 8:
    type.value.kind = "a sparse tensor";
    break;
  case 9:
    type.value.kind = "an optional value";
    break;
  }
}

void read(Fields &field, ValueInfoProto &value) {
  switch (field.number) {
  case 1:
    value.name = field.string();
    break;
  case 2: {
    TypeOfValue type{value};
    field.message(type);
    break;
  }
  }
}

void read(Fields &field, SparseTensor &sparse) {
  if (field.number != 1)
    return;
  TensorProto values;
  field.message(values);
  sparse.graph.sparseInitializer = values.name;
}

void read(Fields &field, GraphProto &graph) {
  switch (field.number) {
  case 1:
    field.message(graph.node.emplace_back());
    break;
  case 2:
    graph.name = field.string();
    break;
  case 5:
    field.message(graph.initializer.emplace_back());
    break;
  case 11:
    field.message(graph.input.emplace_back());
    break;
  case 12:
    field.message(graph.output.emplace_back());
    break;
  case 15: {
    SparseTensor sparse{graph};
    field.message(sparse);
    break;
  }
  }
}

void read(Fields &field, OperatorSetIdProto &set) {
  switch (field.number) {
  case 1:
    set.domain = field.string();
    break;
  case 2:
    set.version = field.integer();
    break;
  }
}

void read(Fields &field, FunctionProto &function) {
  switch (field.number) {
  case 1:
    function.name = field.string();
    break;
  case 4:
    function.input.push_back(field.string());
    break;
  case 5:
    function.output.push_back(field.string());
    break;
  case 6:
    function.attribute.push_back(field.string());
    break;
  case 7:
    field.message(function.node.emplace_back());
    break;
  case 9:
    field.message(function.opsetImport.emplace_back());
    break;
  case 10:
    function.domain = field.string();
    break;
  case 11:
    field.message(function.attributeProto.emplace_back());
    break;
  case 13:
    function.overload = field.string();
    break;
  }
}

void read(Fields &field, ModelProto &model) {
  switch (field.number) {
  case 1:
    model.irVersion = field.integer();
    break;
  case 2:
    model.producerName = field.string();
    break;
  case 7:
    field.message(model.graph ? *model.graph : model.graph.emplace());
    break;
  case 8:
    field.message(model.opsetImport.emplace_back());
    break;
  case 25:
    field.message(model.functions.emplace_back());
    break;
  }
}

} // namespace

template <typename Message>
static Expected<Message> readWhole(ArrayRef<uint8_t> bytes) {
  Message message;
  Failure failure{bytes.begin()};
  Fields fields(bytes, 0, failure);
  while (fields.next())
    read(fields, message);
  if (!failure.message.empty())
    return createStringError(failure.message);
  return message;
}

Expected<ModelProto> heddle::onnx::readModel(ArrayRef<uint8_t> bytes) {
  return readWhole<ModelProto>(bytes);
}

Expected<TensorProto> heddle::onnx::readTensorMessage(ArrayRef<uint8_t> bytes) {
  return readWhole<TensorProto>(bytes);
}
