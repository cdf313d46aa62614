// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages of the ONNX format, under its own names, but for what a model
// for inference does not have: texts for people, training, layouts.
// (https://github.com/onnx/onnx, docs/IR.md and onnx.proto)
//
// They are read without protobuf's library. Debian's libsentencepiece.so, which
// reads tokenizers in the same process, exports another version of it, and an
// archive that a shared library could have does not exist there.

#ifndef HEDDLE_COMPILER_IMPORT_ONNX_MESSAGES_H
#define HEDDLE_COMPILER_IMPORT_ONNX_MESSAGES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <vector>

namespace heddle::onnx {

struct StringStringEntryProto {
  llvm::StringRef key, value;
};

struct TensorProto {
  llvm::SmallVector<int64_t, 4> dims;
  int32_t dataType = 0;
  llvm::StringRef name;
  std::optional<llvm::ArrayRef<uint8_t>> rawData;
  // Elements in place of raw ones, each field with those of some types.
  std::vector<float> floatData;
  std::vector<double> doubleData;
  std::vector<int64_t> int32Data, int64Data;
  std::vector<uint64_t> uint64Data;
  std::vector<StringStringEntryProto> externalData;
  bool isExternal = false;
};

struct GraphProto;

struct AttributeProto {
  enum Type {
    Undefined,
    Float,
    Int,
    String,
    Tensor,
    Graph,
    Floats,
    Ints,
    Strings
  };
  llvm::StringRef name;
  int32_t type = Undefined;
  float f = 0;
  int64_t i = 0;
  llvm::StringRef s;
  TensorProto t;
  std::unique_ptr<GraphProto> g;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<llvm::StringRef> strings;
  llvm::StringRef refAttrName;
};

struct NodeProto {
  std::vector<llvm::StringRef> input, output;
  llvm::StringRef name, opType, domain, overload;
  std::vector<AttributeProto> attribute;
};

struct TensorShapeProto {
  struct Dimension {
    std::optional<int64_t> dimValue;
    llvm::StringRef dimParam;
  };
  std::vector<Dimension> dim;
};

/// A value's name and type. Of types other than tensors only the kind is kept.
struct ValueInfoProto {
  llvm::StringRef name;
  llvm::StringRef kind = "nothing"; ///< "a tensor", "a sequence"
  int32_t elemType = 0;
  std::optional<TensorShapeProto> shape;
};

struct GraphProto {
  std::vector<NodeProto> node;
  llvm::StringRef name;
  std::vector<TensorProto> initializer;
  std::vector<ValueInfoProto> input, output;
  /// The name of a sparse initializer, if there is one.
  std::optional<llvm::StringRef> sparseInitializer;
};

struct OperatorSetIdProto {
  llvm::StringRef domain;
  int64_t version = 0;
};

struct FunctionProto {
  llvm::StringRef name, domain, overload;
  std::vector<llvm::StringRef> input, output, attribute;
  std::vector<NodeProto> node;
  std::vector<OperatorSetIdProto> opsetImport;
  std::vector<AttributeProto> attributeProto;
};

struct ModelProto {
  std::optional<int64_t> irVersion;
  llvm::StringRef producerName;
  std::optional<GraphProto> graph;
  std::vector<OperatorSetIdProto> opsetImport;
  std::vector<FunctionProto> functions;
};

/// Reads the messages of a file, which stay parts of `bytes`. An error says at
/// which byte the file is none.
llvm::Expected<ModelProto> readModel(llvm::ArrayRef<uint8_t> bytes);
llvm::Expected<TensorProto> readTensorMessage(llvm::ArrayRef<uint8_t> bytes);

} // namespace heddle::onnx

#endif // HEDDLE_COMPILER_IMPORT_ONNX_MESSAGES_H
