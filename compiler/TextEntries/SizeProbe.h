// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of a decoder, by their sizes.

#ifndef HEDDLE_COMPILER_TEXTENTRIES_SIZEPROBE_H
#define HEDDLE_COMPILER_TEXTENTRIES_SIZEPROBE_H

#include "compiler/TextEntries/Probe.h"

#include "llvm/ADT/MapVector.h"

#include <functional>
#include <vector>

namespace heddle {

/// The symbols of a decoder's sizes. Queries are the last `length` of tokens as
/// many as `past + length`, and then of `capacity`, as far as the graph knows.
struct DecoderSizes {
  std::string batch, length, past, capacity;
  /// What is told of sizes holds for so many tokens.
  int64_t mostTokens = 1 << 16;

  bool areAll(SizeAttr size) const;
  bool arePast(SizeAttr size) const;
};

/// Arguments [batch] of a decoder: how many tokens of each sequence come before
/// a call, and how many are the call's.
struct TokenArguments {
  mlir::Value starts, lengths;
};

/// The sizes of a call, as the graph has them: the last `length` of `total`
/// tokens are queries.
struct DecoderCall {
  int64_t batch, length, total;
  int64_t past() const { return total - length; }
};

/// Ops that follow from sizes and weights alone, in order, and whether from
/// numbers of tokens or sequences.
llvm::MapVector<mlir::Operation *, bool> opsOfSizes(mlir::func::FuncOp function,
                                                    const DecoderSizes &sizes);

/// A value that a probe is given, and what all of its elements are in a call.
struct GivenValue {
  mlir::Value value;
  std::function<int64_t(const DecoderCall &)> element;
};

/// Values that follow from sizes, and from others that are given. What they are
/// changes at numbers that the graph has, or that such numbers make together:
/// calls have sizes on both sides of each.
class SizeProbe {
public:
  SizeProbe(mlir::func::FuncOp function, const DecoderSizes &sizes,
            llvm::ArrayRef<mlir::Value> wanted, const TensorSource *tensors,
            llvm::ArrayRef<GivenValue> given = {});

  /// False where the values cannot be computed, or the graph has more numbers
  /// than can be tried.
  explicit operator bool() const { return !allCalls.empty(); }
  /// How many tokens calls may have: tables are for so many alone.
  int64_t mostTokens() const { return most; }
  llvm::ArrayRef<DecoderCall> calls() const { return allCalls; }
  llvm::Expected<Probe::Results> evaluate(const DecoderCall &call) const;

private:
  /// Decoders of fewer tokens are none.
  static constexpr int64_t kLeastTokens = 16;
  /// Places below the least number are all tried. Calls of more tokens than
  /// `kMostLength` would take long.
  static constexpr int64_t kLeastNumber = 9, kMostLength = 1024;
  static constexpr unsigned kMostNumbers = 12;

  bool isKnown(int64_t total);
  bool findMost();
  void addCall(int64_t length, int64_t past);
  void addCallsAround(int64_t number);
  bool addCalls();

  const DecoderSizes &sizes;
  llvm::SmallVector<GivenValue> given;
  Probe probe;
  int64_t most = 0;
  std::vector<DecoderCall> allCalls;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_SIZEPROBE_H
