// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments and results of a decoder of an ONNX file, by the names that Optimum
// and PyTorch give: past_key_values.3.key, present.3.key.

#ifndef HEDDLE_COMPILER_TEXTENTRIES_DECODERSIGNATURE_H
#define HEDDLE_COMPILER_TEXTENTRIES_DECODERSIGNATURE_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

namespace heddle {

/// Keys or values of a layer: the argument, [batch, heads, past, channels], and
/// the result, which it and those of new tokens are parts of, one behind the
/// other, or put where `placed` says.
struct PastTensor {
  mlir::BlockArgument past;
  mlir::Value tokens; ///< new ones, [batch, heads, length, channels]
  ConcatOp concat;    ///< whose first part is `past`
  ScatterOp placed;   ///< of `tokens` in `concat`, or null
  unsigned result;

  mlir::Value present() const {
    ScatterOp scatter = placed;
    ConcatOp whole = concat;
    return scatter ? scatter.getResult() : whole.getResult();
  }
};

/// The arguments and results of a decoder.
struct DecoderSignature {
  std::map<int64_t, std::array<PastTensor, 2>> layers; ///< keys, values
  mlir::BlockArgument ids;                             ///< [batch, length]
  mlir::BlockArgument mask;      ///< [batch, past + length], or null
  mlir::BlockArgument positions; ///< [batch, length], or null
  unsigned logits = 0;           ///< the result [batch, length, vocabulary]

  bool isDecoder() const { return !layers.empty(); }
};

/// Finds them. Types have sizes. An error is what is not as it should be; where
/// there is no past, that is no decoder.
llvm::Expected<DecoderSignature> findSignature(mlir::func::FuncOp function);

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_DECODERSIGNATURE_H
