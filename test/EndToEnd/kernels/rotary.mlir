// heddle.rotary, from starts that differ: heads whose halves are and are not a multiple of a
// vector, and every stretching.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified rotary_many_4x16: 1 kernel
// CHECK: verified rotary_few_4x16: 1 kernel
// CHECK: verified rotary_many_3x8: 1 kernel
// CHECK: verified rotary_few_3x8: 1 kernel
// CHECK: verified rotary_many_2x64: 1 kernel
// CHECK: verified rotary_few_2x64: 1 kernel
// CHECK: verified rotary_many_1x6: 1 kernel
// CHECK: verified rotary_few_1x6: 1 kernel
// CHECK: verified rotary_many_2x80: 1 kernel
// CHECK: verified rotary_few_2x80: 1 kernel
// CHECK: verified rotary_linear: 1 kernel
// CHECK: verified rotary_llama3: 1 kernel
// CHECK: verified rotary_from_0: 1 kernel
// CHECK: verified rotary_from_0_partial: 1 kernel

func.func @rotary_many_4x16(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x64xf32> {
  %y = heddle.rotary %x at(%starts : tensor<?xi32>) heads(4) positions(1024) base(10000.0)
      : tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

func.func @rotary_few_4x16(%x: tensor<?x1x64xf32> {heddle.sizes = ["batch"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x1x64xf32> {
  %y = heddle.rotary %x at(%starts : tensor<?xi32>) heads(4) positions(1024) base(10000.0)
      : tensor<?x1x64xf32>
  return %y : tensor<?x1x64xf32>
}

func.func @rotary_many_3x8(%x: tensor<?x?x24xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x24xf32> {
  %y = heddle.rotary %x at(%starts : tensor<?xi32>) heads(3) positions(1024) base(10000.0)
      : tensor<?x?x24xf32>
  return %y : tensor<?x?x24xf32>
}

func.func @rotary_few_3x8(%x: tensor<?x1x24xf32> {heddle.sizes = ["batch"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x1x24xf32> {
  %y = heddle.rotary %x at(%starts : tensor<?xi32>) heads(3) positions(1024) base(10000.0)
      : tensor<?x1x24xf32>
  return %y : tensor<?x1x24xf32>
}

func.func @rotary_many_2x64(%x: tensor<?x?x128xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x128xf32> {
  %y = heddle.rotary %x at(%starts : tensor<?xi32>) heads(2) positions(1024) base(10000.0)
      : tensor<?x?x128xf32>
  return %y : tensor<?x?x128xf32>
}

func.func @rotary_few_2x64(%x: tensor<?x1x128xf32> {heddle.sizes = ["batch"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x1x128xf32> {
  %y = heddle.rotary %x at(%starts : tensor<?xi32>) heads(2) positions(1024) base(10000.0)
      : tensor<?x1x128xf32>
  return %y : tensor<?x1x128xf32>
}

func.func @rotary_many_1x6(%x: tensor<?x?x6xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x6xf32> {
  %y = heddle.rotary %x at(%starts : tensor<?xi32>) heads(1) positions(1024) base(10000.0)
      : tensor<?x?x6xf32>
  return %y : tensor<?x?x6xf32>
}

func.func @rotary_few_1x6(%x: tensor<?x1x6xf32> {heddle.sizes = ["batch"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x1x6xf32> {
  %y = heddle.rotary %x at(%starts : tensor<?xi32>) heads(1) positions(1024) base(10000.0)
      : tensor<?x1x6xf32>
  return %y : tensor<?x1x6xf32>
}

func.func @rotary_many_2x80(%x: tensor<?x?x160xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x160xf32> {
  %y = heddle.rotary %x at(%starts : tensor<?xi32>) heads(2) positions(1024) base(10000.0)
      : tensor<?x?x160xf32>
  return %y : tensor<?x?x160xf32>
}

func.func @rotary_few_2x80(%x: tensor<?x1x160xf32> {heddle.sizes = ["batch"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x1x160xf32> {
  %y = heddle.rotary %x at(%starts : tensor<?xi32>) heads(2) positions(1024) base(10000.0)
      : tensor<?x1x160xf32>
  return %y : tensor<?x1x160xf32>
}

func.func @rotary_linear(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x32xf32> {
  %y = heddle.rotary %x at(%starts : tensor<?xi32>) heads(2) positions(1024) base(500000.0)
      scaling(<linear, factor = 4.0>) : tensor<?x?x32xf32>
  return %y : tensor<?x?x32xf32>
}

func.func @rotary_llama3(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x32xf32> {
  %y = heddle.rotary %x at(%starts : tensor<?xi32>) heads(2) positions(1024) base(500000.0)
      scaling(<llama3, factor = 8.0, low = 1.0, high = 4.0, original = 64>) : tensor<?x?x32xf32>
  return %y : tensor<?x?x32xf32>
}

// Without `at` the first token stands at 0.
func.func @rotary_from_0(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]})
    -> tensor<?x?x64xf32> attributes {heddle.symbols = [#heddle.symbol<"length", 1 to 1024>]} {
  %y = heddle.rotary %x heads(4) positions(1024) base(10000.0) : tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

func.func @rotary_from_0_partial(%x: tensor<?x?x24xf32> {heddle.sizes = ["batch", "length"]})
    -> tensor<?x?x24xf32> attributes {heddle.symbols = [#heddle.symbol<"length", 1 to 1024>]} {
  %y = heddle.rotary %x heads(2) rotated(4) interleaved positions(1024) base(10000.0) : tensor<?x?x24xf32>
  return %y : tensor<?x?x24xf32>
}
