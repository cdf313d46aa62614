// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Directives that make loops blocks and threads of a GPU. Loops name no device,
// for which Halide would map them (MapThreads.h).

#include "compiler/Translate/ScheduleTranslator.h"

using namespace mlir;
using namespace heddle;
using Halide::Expr;

LogicalResult ScheduleTranslator::requireDevice(Operation *op) {
  if (isOnDevice)
    return success();
  return op->emitOpError("needs a GPU, but the pipeline is compiled for a CPU");
}

// Halide takes one to three loops, each as an argument.
template <typename Loops, typename Apply>
static void withEach(const Loops &loops, Apply apply) {
  switch (loops.size()) {
  case 1:
    return apply(loops[0]);
  case 2:
    return apply(loops[0], loops[1]);
  default:
    return apply(loops[0], loops[1], loops[2]);
  }
}

LogicalResult ScheduleTranslator::directive(halide::GpuBlocksOp op,
                                            Stage &stage) {
  auto loops = findLoops(op, op.getFunc(), stage, op.getVars());
  if (failed(requireDevice(op)) || failed(loops))
    return failure();
  withEach(*loops, [&](const auto &...loop) {
    stage.stage.gpu_blocks(loop..., Halide::DeviceAPI::None);
  });
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::GpuThreadsOp op,
                                            Stage &stage) {
  auto loops = findLoops(op, op.getFunc(), stage, op.getVars());
  if (failed(requireDevice(op)) || failed(loops))
    return failure();
  withEach(*loops, [&](const auto &...loop) {
    stage.stage.gpu_threads(loop..., Halide::DeviceAPI::None);
  });
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::GpuSingleThreadOp op,
                                            Stage &stage) {
  if (failed(requireDevice(op)))
    return failure();
  stage.stage.gpu_single_thread(Halide::DeviceAPI::None);
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::GpuTileOp op,
                                            Stage &stage) {
  auto tiles = takeTiles(op, op.getFunc(), stage, op.getVars(), op.getBlocks(),
                         op.getThreads());
  if (failed(requireDevice(op)) || failed(tiles))
    return failure();
  auto [old, block, thread] = *tiles;
  std::vector<Expr> size = toExprs(op.getSizes());
  Halide::TailStrategy tail = toTailStrategy(op.getTail());
  switch (old.size()) {
  case 1:
    stage.stage.gpu_tile(old[0], block[0], thread[0], size[0], tail,
                         Halide::DeviceAPI::None);
    break;
  case 2:
    stage.stage.gpu_tile(old[0], old[1], block[0], block[1], thread[0],
                         thread[1], size[0], size[1], tail,
                         Halide::DeviceAPI::None);
    break;
  default:
    stage.stage.gpu_tile(old[0], old[1], old[2], block[0], block[1], block[2],
                         thread[0], thread[1], thread[2], size[0], size[1],
                         size[2], tail, Halide::DeviceAPI::None);
  }
  return success();
}
