// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Experts as ops: see BlockDescription.h.

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_EXPERTSBUILDER_H
#define HEDDLE_COMPILER_IMPORT_MODELS_EXPERTSBUILDER_H

#include "compiler/Import/Models/ModelBuilder.h"

namespace heddle {

class ExpertsBuilder {
public:
  /// Names of tensors begin with `prefix`; ops are located at `path`.
  ExpertsBuilder(ModelBuilder &model, const ExpertsDescription &experts,
                 std::string prefix, std::string path)
      : m(model), e(experts), r(experts.routing), prefix(std::move(prefix)),
        path(std::move(path)) {}

  /// Of [batch, length, channels].
  mlir::Value build(mlir::Value x);

private:
  /// Which experts each token takes, and what each of them counts for:
  /// [batch, length, top].
  struct Choice {
    mlir::Value shares, experts;
  };
  struct Matrices {
    mlir::Value gate, up, down, gateBias, upBias, downBias;
  };

  Choice choose(mlir::Value x);
  /// Scores of experts outside of the best groups become -inf.
  mlir::Value keepBestGroups(mlir::Value scores);
  mlir::Value normalized(mlir::Value shares);
  Matrices readMatrices(int64_t channels);
  /// [count, outputs, inputs] of as many tensors.
  mlir::Value stacked(const std::string &pattern, int64_t outputs,
                      int64_t inputs);
  mlir::Value compute(mlir::Value x, const Choice &choice);
  mlir::Value combine(mlir::Value outputs, const Choice &choice);
  mlir::Value buildShared(mlir::Value x);

  mlir::Location at(llvm::StringRef name) { return m.at(path + "." + name); }

  ModelBuilder &m;
  const ExpertsDescription &e;
  const RoutingDescription &r;
  std::string prefix, path;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_EXPERTSBUILDER_H
