// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK-LABEL: halide.pipeline @tasks
halide.pipeline @tasks {
  // CHECK: %[[COUNT:.*]] = halide.param "rows"
  %rows = halide.param "rows"
  // CHECK: %task = halide.task of %[[COUNT]]
  %task = halide.task of %rows
}
