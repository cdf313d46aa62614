// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: one schedule op -> one call of Halide.

#ifndef HEDDLE_COMPILER_TRANSLATE_SCHEDULETRANSLATOR_H
#define HEDDLE_COMPILER_TRANSLATE_SCHEDULETRANSLATOR_H

#include "compiler/Translate/AlgorithmTranslation.h"

namespace heddle {

Halide::TailStrategy toTailStrategy(halide::Tail tail);
std::vector<Halide::Expr> toExprs(llvm::ArrayRef<int64_t> values);

class ScheduleTranslator {
public:
  ScheduleTranslator(TranslatedPipeline &pipeline, bool isOnDevice)
      : pipeline(pipeline), isOnDevice(isOnDevice) {}

  /// Applies the directives in order. Those about a stage apply to
  /// `specialized`, if there is one.
  mlir::LogicalResult run(mlir::Block &directives,
                          TranslatedStage *specialized = nullptr);

private:
  using LogicalResult = mlir::LogicalResult;
  using VarOrRVar = Halide::VarOrRVar;
  using Stage = TranslatedStage;

  LogicalResult apply(mlir::Operation *op, Stage *specialized);

  //===-- Directives of a stage: StageDirectives.cpp ----------------------===//

  LogicalResult directive(halide::SplitOp op, Stage &stage);
  LogicalResult directive(halide::FuseOp op, Stage &stage);
  LogicalResult directive(halide::TileOp op, Stage &stage);
  LogicalResult directive(halide::ReorderOp op, Stage &stage);
  LogicalResult directive(halide::RenameOp op, Stage &stage);
  LogicalResult directive(halide::SerialOp op, Stage &stage);
  LogicalResult directive(halide::VectorizeOp op, Stage &stage);
  LogicalResult directive(halide::UnrollOp op, Stage &stage);
  LogicalResult directive(halide::ParallelOp op, Stage &stage);
  LogicalResult directive(halide::AtomicOp op, Stage &stage);
  LogicalResult directive(halide::AllowRaceConditionsOp op, Stage &stage);
  LogicalResult directive(halide::ComputeWithOp op, Stage &stage);
  LogicalResult directive(halide::PrefetchOp op, Stage &stage);
  LogicalResult directive(halide::SpecializeOp op, Stage &stage);

  //===-- GpuDirectives.cpp -----------------------------------------------===//

  LogicalResult directive(halide::GpuBlocksOp op, Stage &stage);
  LogicalResult directive(halide::GpuThreadsOp op, Stage &stage);
  LogicalResult directive(halide::GpuSingleThreadOp op, Stage &stage);
  LogicalResult directive(halide::GpuTileOp op, Stage &stage);

  //===-- Directives of a func: ScheduleTranslation.cpp -------------------===//

  LogicalResult directive(halide::ComputeAtOp op, Halide::Func &func);
  LogicalResult directive(halide::StoreAtOp op, Halide::Func &func);
  LogicalResult directive(halide::ComputeRootOp op, Halide::Func &func);
  LogicalResult directive(halide::StoreRootOp op, Halide::Func &func);
  LogicalResult directive(halide::StoreInOp op, Halide::Func &func);
  LogicalResult directive(halide::ReorderStorageOp op, Halide::Func &func);
  LogicalResult directive(halide::AlignStorageOp op, Halide::Func &func);
  LogicalResult directive(halide::BoundOp op, Halide::Func &func);
  LogicalResult directive(halide::BoundExtentOp op, Halide::Func &func);
  LogicalResult directive(halide::AlignBoundsOp op, Halide::Func &func);

  //===-- Lookups, which report what is not there -------------------------===//

  mlir::FailureOr<Halide::Func *> findFunc(mlir::Operation *op,
                                           llvm::StringRef name);
  mlir::FailureOr<Stage *> findStage(mlir::Operation *op, llvm::StringRef func,
                                     std::optional<uint64_t> update);
  mlir::FailureOr<VarOrRVar> findLoop(mlir::Operation *op, llvm::StringRef func,
                                      const Stage &stage, llvm::StringRef name);
  mlir::FailureOr<std::vector<VarOrRVar>> findLoops(mlir::Operation *op,
                                                    llvm::StringRef func,
                                                    const Stage &stage,
                                                    mlir::ArrayAttr names);
  /// A loop that others replace, and several of them.
  mlir::FailureOr<VarOrRVar> takeLoop(mlir::Operation *op, llvm::StringRef func,
                                      Stage &stage, llvm::StringRef name);
  struct Tiles {
    std::vector<VarOrRVar> previous, outers, inners;
  };
  mlir::FailureOr<Tiles> takeTiles(mlir::Operation *op, llvm::StringRef func,
                                   Stage &stage, mlir::ArrayAttr previous,
                                   mlir::ArrayAttr outers,
                                   mlir::ArrayAttr inners);
  /// A loop of the consumer: of its pure definition, or of an update.
  mlir::FailureOr<Halide::LoopLevel> findLevel(mlir::Operation *op,
                                               llvm::StringRef consumer,
                                               llvm::StringRef name);
  mlir::FailureOr<Halide::Var> findDimension(mlir::Operation *op,
                                             llvm::StringRef func,
                                             llvm::StringRef name);
  LogicalResult requireDevice(mlir::Operation *op);

  TranslatedPipeline &pipeline;
  bool isOnDevice;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_SCHEDULETRANSLATOR_H
