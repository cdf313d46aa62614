// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of a decoder, by their sizes.

#ifndef HEDDLE_COMPILER_TEXTENTRIES_SIZEPROBE_H
#define HEDDLE_COMPILER_TEXTENTRIES_SIZEPROBE_H

#include "compiler/TextEntries/Probe.h"

#include "llvm/ADT/MapVector.h"

#include <functional>

namespace heddle {

/// The symbols of a decoder's sizes. Queries are the last `length` of tokens as
/// many as `past + length`, and then of `capacity`, as far as the graph knows.
struct DecoderSizes {
  std::string batch, length, past, capacity;

  bool areAll(SizeAttr size) const;
  bool arePast(SizeAttr size) const;
};

/// The sizes of a call, as the graph has them: the last `length` of `total`
/// tokens are queries.
struct DecoderCall {
  int64_t length, total;
  int64_t past() const { return total - length; }
};

/// Numbers of queries, of which none tells of the others, and of tokens before
/// them.
constexpr int64_t kProbedLengths[] = {1, 3, 8};
constexpr int64_t kProbedPasts[] = {0, 1, 2, 5, 40};

/// Ops that follow from sizes and weights alone, in order, and whether from
/// numbers of tokens.
llvm::MapVector<mlir::Operation *, bool> opsOfSizes(mlir::func::FuncOp function,
                                                    const DecoderSizes &sizes);

/// A value that a probe is given, and what all of its elements are in a call.
struct GivenValue {
  mlir::Value value;
  std::function<int64_t(const DecoderCall &)> element;
};

/// Values that follow from sizes, and from others that are given.
class SizeProbe {
public:
  SizeProbe(mlir::func::FuncOp function, const DecoderSizes &sizes,
            llvm::ArrayRef<mlir::Value> wanted, const TensorSource *tensors,
            llvm::ArrayRef<GivenValue> given = {});

  explicit operator bool() const { return bool(probe); }
  /// Of `kBatch` sequences.
  llvm::Expected<Probe::Results> evaluate(const DecoderCall &call) const;

  static constexpr int64_t kBatch = 2;

private:
  const DecoderSizes &sizes;
  llvm::SmallVector<GivenValue> given;
  Probe probe;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_SIZEPROBE_H
