// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of the ONNX format: initializers and constants of models, and the
// files input_0.pb and output_0.pb of ONNX's tests.

#ifndef HEDDLE_COMPILER_IMPORT_ONNX_ONNXTENSOR_H
#define HEDDLE_COMPILER_IMPORT_ONNX_ONNXTENSOR_H

#include "compiler/Import/TensorSource.h"

#include "llvm/Support/Error.h"

namespace heddle::onnx {

struct TensorProto;

/// A type of elements, by its number in the format (TensorProto.DataType).
struct DataType {
  int32_t number;
  llvm::StringLiteral name; ///< the format's own: "FLOAT16"
  /// None where Heddle has no such type.
  std::optional<heddle_type> type;
};

/// The one of that number, or null.
const DataType *findDataType(int32_t number);
/// The number of `type`.
int32_t dataTypeOf(heddle_type type);
/// "FLOAT16", or "type 99" of an unknown one.
std::string nameOfDataType(int32_t number);

/// A tensor, and the memory of its elements where no file has them as they are.
struct OwnedTensor {
  TensorEntry entry;
  std::vector<uint8_t> memory; ///< moving it moves no element
};

/// The tensor `proto`, whose elements are `raw` if that is there, or else in
/// `proto`. `place` says where it stands in messages: "model.onnx: tensor 'w'".
/// One of a type that no tensor in memory has (heddle_type) has no data, but
/// for one of half bytes (isHalfBytes): two elements in a byte, the first one
/// in its lower bits.
llvm::Expected<OwnedTensor>
readTensor(const TensorProto &proto, std::optional<llvm::ArrayRef<uint8_t>> raw,
           llvm::StringRef file, const llvm::Twine &place);

/// Whether its elements are integers of 4 bits, INT4 or UINT4.
bool isHalfBytes(const TensorEntry &entry);
/// The bytes of such a tensor, as one of one dimension. Elements of INT4 are
/// 8 larger, and with that have no sign.
OwnedTensor bytesOfHalves(const TensorEntry &entry);

/// Reads a file that is one tensor.
llvm::Expected<OwnedTensor> readTensorFile(llvm::StringRef path);

} // namespace heddle::onnx

#endif // HEDDLE_COMPILER_IMPORT_ONNX_ONNXTENSOR_H
