// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of encoders as ops: see EncoderDescription.h.

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_STAGEBUILDER_H
#define HEDDLE_COMPILER_IMPORT_MODELS_STAGEBUILDER_H

#include "compiler/Import/Models/EncoderDescription.h"
#include "compiler/Import/Models/TransformerBuilder.h"

namespace heddle {

class StageBuilder {
public:
  /// `ids` are null where the model reads images, and `lengths` where it has
  /// none.
  StageBuilder(ModelBuilder &model, TransformerBuilder &transformer,
               mlir::Value ids, mlir::Value lengths)
      : m(model), transformer(transformer), ids(ids), lengths(lengths) {}

  /// Of tokens [batch, length, channels].
  mlir::Value build(mlir::Value tokens, const ResultDescription &result);

private:
  mlir::Value apply(mlir::Value x, const PoolStage &stage);
  mlir::Value apply(mlir::Value x, const ProbeStage &stage);
  mlir::Value apply(mlir::Value x, const LinearStage &stage);
  mlir::Value apply(mlir::Value x, const ActivationStage &stage);
  mlir::Value apply(mlir::Value x, const NormStage &stage);
  mlir::Value apply(mlir::Value x, const NormalizeStage &stage);
  mlir::Value apply(mlir::Value x, const ResidualStage &stage);

  mlir::Value pool(mlir::Value x, PoolingKind kind, int64_t number);
  /// The token at that place in each sequence.
  mlir::Value tokenAt(mlir::Value x, SizeAttr place);
  mlir::Value tokenOfId(mlir::Value x, PoolingKind kind, int64_t id);
  mlir::Value countOfTokens();
  mlir::Value weightedMean(mlir::Value x);
  mlir::Value withoutTokens(mlir::Value x);
  mlir::Value expanded(mlir::Value x);

  std::string nameOf(llvm::StringRef name, bool isOutside) const {
    return isOutside ? name.str() : transformer.in(name);
  }

  ModelBuilder &m;
  TransformerBuilder &transformer;
  mlir::Value ids, lengths;
  std::string path; ///< of the result, for locations
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_STAGEBUILDER_H
