// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of weights, wherever they come from.

#ifndef HEDDLE_COMPILER_WEIGHTS_BOXREADER_H
#define HEDDLE_COMPILER_WEIGHTS_BOXREADER_H

#include "compiler/Import/TensorSource.h"
#include "compiler/Weights/ElementBlock.h"
#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

#include <map>
#include <memory>
#include <tuple>

namespace heddle {

/// Reads one heddle.weight, box by box. Constant methods may be called from
/// many threads.
class BoxReader {
public:
  /// `symbols` are those of the module of `weight`; `tensors` may be null
  /// where the module has all values. All must outlive this. An error names a
  /// tensor that is missing, or is of another shape or type.
  static llvm::Expected<BoxReader> open(WeightOp weight,
                                        const mlir::SymbolTable &symbols,
                                        const TensorSource *tensors);

  /// Returns elements of the weight, in its type. A value that the type is too
  /// narrow for is an error.
  llvm::Expected<ElementBlock> read(const Box &box) const;

  /// Lets go of the memory of tensors that have been read.
  void release() const;

private:
  friend class BoxEvaluation;

  /// A weight without a body.
  struct Stored {
    heddle_type type; ///< of the elements in `data`
    llvm::ArrayRef<uint8_t> data;
    const TensorEntry *entry = nullptr; ///< of the source, if it is there
    std::unique_ptr<std::vector<uint8_t>> listed;
  };

  explicit BoxReader(WeightOp weight, const TensorSource *tensors)
      : weight(weight), tensors(tensors) {}
  llvm::Error openStored(WeightOp op);
  llvm::Expected<ElementBlock> readStored(WeightOp op, const Box &box) const;

  WeightOp weight;
  const TensorSource *tensors;
  llvm::DenseMap<mlir::Operation *, Stored> stored;
  /// What references in the body name.
  llvm::DenseMap<mlir::Operation *, WeightOp> named;
};

/// Computes one box of a weight with a body. Values that several ops use are
/// computed once for each box of them.
class BoxEvaluation {
public:
  explicit BoxEvaluation(const BoxReader &reader) : reader(reader) {}

  /// Returns elements of a value in the body: of its type, or doubles where
  /// they have been computed.
  llvm::Expected<ElementBlock> read(mlir::Value value, const Box &box);

private:
  llvm::Expected<ElementBlock> compute(mlir::OpResult value, const Box &box);

  const BoxReader &reader;
  using Key = std::tuple<void *, std::vector<int64_t>, std::vector<int64_t>>;
  std::map<Key, ElementBlock> shared;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_WEIGHTS_BOXREADER_H
