// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Messages of ONNX as protobuf writes them, and such as it does not.

#include "compiler/Import/Onnx/Messages.h"
#include "compiler/Import/Onnx/OnnxTensor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/LEB128.h"
#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::onnx;

namespace {

using Bytes = std::string;

Bytes varint(uint64_t number) {
  Bytes bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::encodeULEB128(number, stream);
  return bytes;
}
Bytes field(uint64_t number, uint64_t value) {
  return varint(number << 3) + varint(value);
}
Bytes field(uint64_t number, const Bytes &content) {
  return varint(number << 3 | 2) + varint(content.size()) + content;
}
Bytes floatBits(float value) {
  return {reinterpret_cast<const char *>(&value), sizeof(value)};
}
Bytes floatField(uint64_t number, float value) {
  return varint(number << 3 | 5) + floatBits(value);
}

llvm::ArrayRef<uint8_t> asBytes(const Bytes &bytes) {
  return {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()};
}

std::string errorOf(const Bytes &bytes) {
  auto model = readModel(asBytes(bytes));
  return model ? "" : llvm::toString(model.takeError());
}

Bytes oneNode() {
  return field(1, Bytes("x")) + field(2, Bytes("y")) + field(3, Bytes("name")) +
         field(4, Bytes("Relu"));
}

// Elements of a list are fields of their own, or one field has them all.
TEST(OnnxMessages, lists) {
  Bytes apart = field(1, 2) + field(1, 300) + floatField(4, 1.5f);
  Bytes together =
      field(1, varint(2) + varint(300)) + field(4, floatBits(1.5f));
  for (const Bytes &bytes : {apart, together}) {
    auto tensor = llvm::cantFail(readTensorMessage(asBytes(bytes)));
    EXPECT_EQ(tensor.dims, (llvm::SmallVector<int64_t, 4>{2, 300}));
    EXPECT_EQ(tensor.floatData, std::vector<float>{1.5f});
  }
}

TEST(OnnxMessages, negativeIntegersHaveTenBytes) {
  Bytes attribute = field(1, Bytes("axis")) + field(3, uint64_t(-2)) +
                    field(20, AttributeProto::Int);
  Bytes bytes = field(7, field(1, oneNode() + field(5, attribute)));
  auto model = llvm::cantFail(readModel(asBytes(bytes)));
  const NodeProto &node = model.graph->node.front();
  EXPECT_EQ(node.opType, "Relu");
  EXPECT_EQ(node.attribute.front().i, -2);
}

// A graph in an attribute, and a function.
TEST(OnnxMessages, nested) {
  Bytes attribute = field(1, Bytes("body")) +
                    field(6, field(1, oneNode()) + field(2, Bytes("inner"))) +
                    field(20, AttributeProto::Graph);
  Bytes function = field(1, Bytes("F")) + field(4, Bytes("a")) +
                   field(5, Bytes("b")) + field(6, Bytes("alpha")) +
                   field(7, oneNode()) + field(10, Bytes("mine"));
  Bytes bytes = field(1, 8) +
                field(7, field(1, oneNode() + field(5, attribute))) +
                field(8, field(2, 17)) + field(25, function);
  auto model = llvm::cantFail(readModel(asBytes(bytes)));
  EXPECT_EQ(model.irVersion, 8);
  EXPECT_EQ(model.opsetImport.front().version, 17);
  const AttributeProto &body = model.graph->node.front().attribute.front();
  ASSERT_TRUE(body.g);
  EXPECT_EQ(body.g->name, "inner");
  EXPECT_EQ(body.g->node.size(), 1u);
  const FunctionProto &read = model.functions.front();
  EXPECT_EQ(read.name, "F");
  EXPECT_EQ(read.domain, "mine");
  EXPECT_EQ(read.input, std::vector<llvm::StringRef>{"a"});
  EXPECT_EQ(read.output, std::vector<llvm::StringRef>{"b"});
  EXPECT_EQ(read.attribute, std::vector<llvm::StringRef>{"alpha"});
}

TEST(OnnxMessages, unknownFieldsOfAnyTypeAreSkipped) {
  Bytes unknown = field(1000, 7) + field(1001, Bytes("abc")) +
                  floatField(1002, 1) + varint(1003 << 3 | 1) + Bytes(8, '\1');
  EXPECT_EQ(errorOf(unknown + field(7, unknown + field(1, oneNode()))), "");
}

// Of a file that is cut something is missing, wherever that is.
TEST(OnnxMessages, negative_cutAnywhere) {
  Bytes bytes = field(7, field(1, oneNode()) + field(2, Bytes("graph")));
  for (size_t size = 1; size < bytes.size(); ++size)
    EXPECT_NE(errorOf(bytes.substr(0, size)), "") << size;
}

TEST(OnnxMessages, negative_wrongTypes) {
  EXPECT_NE(errorOf(field(7, 5)).find("field 7 to have type 2, found 0"),
            std::string::npos);
  EXPECT_NE(errorOf(varint(7 << 3 | 3)).find("found one of type 3"),
            std::string::npos);
}

TEST(OnnxMessages, negative_deep) {
  Bytes graph;
  for (int level = 0; level < 200; ++level)
    graph = field(1, field(5, field(6, graph)));
  EXPECT_NE(errorOf(field(7, graph)).find("in at most 100 others"),
            std::string::npos);
}

//===-- tensors -----------------------------------------------------------===//

OwnedTensor tensorOf(const Bytes &bytes) {
  auto proto = llvm::cantFail(readTensorMessage(asBytes(bytes)));
  return llvm::cantFail(readTensor(proto, std::nullopt, "m.onnx", "'w'"));
}

// Narrow integers are in int32_data, and bits of narrow floats.
TEST(OnnxTensor, elementsInFields) {
  OwnedTensor bytes = tensorOf(
      field(1, 3) + field(2, 3) +
      field(5, varint(uint64_t(-1)) + varint(5) + varint(uint64_t(-128))));
  EXPECT_EQ(bytes.entry.type, HEDDLE_TYPE_I8);
  EXPECT_EQ(bytes.entry.data.vec(), (std::vector<uint8_t>{255, 5, 128}));
  OwnedTensor halves =
      tensorOf(field(1, 1) + field(2, 10) + field(5, varint(0x3c00)));
  EXPECT_EQ(halves.entry.data.vec(), (std::vector<uint8_t>{0, 0x3c}));
}

// Two to a byte, whose lower bits are the first one; with a sign, 8 is added.
TEST(OnnxTensor, halfBytes) {
  for (auto [kind, expected] : {std::pair(21, 0x87), std::pair(22, 0x0f)}) {
    OwnedTensor tensor =
        tensorOf(field(1, 2) + field(2, kind) + field(9, Bytes("\x87")));
    EXPECT_TRUE(isHalfBytes(tensor.entry));
    EXPECT_FALSE(tensor.entry.type.has_value());
    OwnedTensor bytes = bytesOfHalves(tensor.entry);
    EXPECT_EQ(bytes.entry.shape, llvm::SmallVector<int64_t>{1});
    EXPECT_EQ(bytes.memory, std::vector<uint8_t>{uint8_t(expected)});
  }
}

TEST(OnnxTensor, negative_sizes) {
  auto errorOfTensor = [](const Bytes &bytes) {
    auto proto = llvm::cantFail(readTensorMessage(asBytes(bytes)));
    auto tensor = readTensor(proto, std::nullopt, "m.onnx", "'w'");
    return tensor ? "" : llvm::toString(tensor.takeError());
  };
  EXPECT_EQ(errorOfTensor(field(1, 3) + field(2, 1) + field(9, Bytes(8, 0))),
            "'w': expected 12 bytes, found 8");
  EXPECT_EQ(errorOfTensor(field(1, 3) + field(2, 22) + field(9, Bytes(3, 0))),
            "'w': expected 2 bytes, found 3");
  EXPECT_EQ(errorOfTensor(field(1, 2) + field(2, 1) + floatField(4, 1)),
            "'w': expected 2 elements, found 1");
  EXPECT_NE(errorOfTensor(field(1, uint64_t(-1)) + field(2, 1)), "");
}

} // namespace
