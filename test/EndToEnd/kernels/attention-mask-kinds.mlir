// Each kind of mask, and a formula of several.

// On a device, which takes long here, with --slow.
// UNSUPPORTED: brief
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// A device packs no values.
// CHECK: verified window: {{[23]}} kernels,
// CHECK: verified both_sides: {{[23]}} kernels,
// CHECK: verified from_left: {{[23]}} kernels,
// CHECK: verified to_right: {{[23]}} kernels,
// CHECK: verified strict: {{[23]}} kernels,
// CHECK: verified queries: {{[23]}} kernels,
// CHECK: verified documents: {{[34]}} kernels,
// CHECK: verified documents64: {{[34]}} kernels,
// CHECK: verified padding: {{[34]}} kernels,
// CHECK: verified dense: {{[34]}} kernels,
// CHECK: verified blocks: {{[34]}} kernels,
// CHECK: verified of_queries: {{[23]}} kernels,
// CHECK: verified all: {{[45]}} kernels,
// CHECK: verified prefix_lm: {{[23]}} kernels,
// CHECK: verified from_past: {{[23]}} kernels,
// CHECK: verified from_fraction: {{[23]}} kernels,

func.func @window(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x64xf32> {
  %m = heddle.mask.window left(40) right(0) align(bottom_right)
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @both_sides(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}, %s: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x64xf32> {
  %m = heddle.mask.window left(33) right(31) offset(%s : tensor<?xi32>) plus(-2)
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @from_left(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}, %s: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x64xf32> {
  %m = heddle.mask.window left(7) offset(%s : tensor<?xi32>) plus(3)
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @to_right(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x64xf32> {
  %m = heddle.mask.window right(5) align(top_left)
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @strict(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}, %s: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x64xf32> {
  %m = heddle.mask.causal offset(%s : tensor<?xi32>) plus(-1)
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @queries(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}, %n: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x64xf32> {
  %m = heddle.mask.lengths %n of(query) : tensor<?xi32>
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @documents(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}, %a: tensor<?x?xi32> {heddle.sizes = ["batch", "length"]}, %b: tensor<?x?xi32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x64xf32> {
  %m = heddle.mask.documents %a, %b : tensor<?x?xi32>, tensor<?x?xi32>
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @documents64(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}, %a: tensor<?x?xi64> {heddle.sizes = ["batch", "length"]}, %b: tensor<?x?xi64> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x64xf32> {
  %m = heddle.mask.documents %a, %b : tensor<?x?xi64>, tensor<?x?xi64>
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @padding(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}, %p: tensor<?x?xi1> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x64xf32> {
  %m = heddle.mask.dense %p over(batch, key) : tensor<?x?xi1>
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @dense(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}, %p: tensor<?x4x?x?xi1> {heddle.sizes = ["batch", "length", "keys"]}) -> tensor<?x?x64xf32> {
  %m = heddle.mask.dense %p over(batch, head, query, key) : tensor<?x4x?x?xi1>
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @blocks(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}, %p: tensor<4x?x?xi1> {heddle.sizes = ["ceildiv(length, 16)", "ceildiv(keys, 48)"]}) -> tensor<?x?x64xf32> {
  %m = heddle.mask.dense %p over(head, query, key) blocks(16, 48) : tensor<4x?x?xi1>
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @of_queries(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}, %p: tensor<?xi1> {heddle.sizes = ["length"]}) -> tensor<?x?x64xf32> {
  %m = heddle.mask.dense %p over(query) : tensor<?xi1>
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @all(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}, %s: tensor<?xi32> {heddle.sizes = ["batch"]}, %p: tensor<?x?xi1> {heddle.sizes = ["batch", "keys"]}, %a: tensor<?x?xi32> {heddle.sizes = ["batch", "length"]}, %b: tensor<?x?xi32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x64xf32> {
  %0 = heddle.mask.dense %p over(batch, key) : tensor<?x?xi1>
  %1 = heddle.mask.documents %a, %b : tensor<?x?xi32>, tensor<?x?xi32>
  %2 = heddle.mask.window left(70) right(9) offset(%s : tensor<?xi32>)
  %3 = heddle.mask.not %1
  %4 = heddle.mask.and %0, %3
  %5 = heddle.mask.or %4, %2
  %6 = heddle.mask.causal align(bottom_right)
  %m = heddle.mask.and %5, %6
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

// Every token sees the text's beginning, which has a length of its own, and the tokens before it.
func.func @prefix_lm(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}, %n: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x64xf32> {
  %causal = heddle.mask.causal align(top_left)
  %prefix = heddle.mask.lengths %n : tensor<?xi32>
  %m = heddle.mask.or %causal, %prefix
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

// Queries that begin after as many keys as a size says, which no tensor has.
func.func @from_past(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x64xf32> {
  %m = heddle.mask.causal align(top_left) plus("past")
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @from_fraction(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x64xf32> {
  %m = heddle.mask.window left(20) right(3) align(bottom_right) plus("mod(keys, part) - floordiv(keys, part)")
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}
