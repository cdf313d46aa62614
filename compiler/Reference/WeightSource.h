// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where the evaluator finds the tensors that heddle.weight ops name.

#ifndef HEDDLE_COMPILER_REFERENCE_WEIGHTSOURCE_H
#define HEDDLE_COMPILER_REFERENCE_WEIGHTSOURCE_H

#include "compiler/Import/SafeTensors.h"

#include <optional>

namespace heddle::reference {

class WeightSource {
public:
  struct Entry {
    std::optional<heddle_type> type; ///< as TensorEntry has it
    llvm::ArrayRef<int64_t> shape;
    /// Little-endian and dense, valid as long as the source.
    llvm::ArrayRef<uint8_t> data;
  };

  virtual ~WeightSource();

  /// The tensor of that name, if there is one.
  virtual std::optional<Entry> find(llvm::StringRef name) const = 0;
};

/// The tensors of a checkpoint, which must outlive this.
class CheckpointSource : public WeightSource {
public:
  explicit CheckpointSource(const SafeTensors &tensors) : tensors(tensors) {}

  std::optional<Entry> find(llvm::StringRef name) const override;

private:
  const SafeTensors &tensors;
};

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_WEIGHTSOURCE_H
