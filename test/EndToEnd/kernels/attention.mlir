// heddle.attention on keys and values that are activations, under every kind of mask.
// Queries that keep no key are among them; heads differ in size and in how many share keys.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// Devices merge the splits of few queries' keys in one more kernel.
// CHECK: verified everything: {{2|3}} kernels,
// CHECK: verified causal_offset: {{2|3}} kernels,
// CHECK: verified causal_top_left: {{2|3}} kernels,
// CHECK: verified causal_bottom_right: {{2|3}} kernels,
// CHECK: verified counts: {{2|3}} kernels,
// CHECK: verified neither: {{2|3}} kernels,
// CHECK: verified window: {{2|3}} kernels,
// CHECK: verified one_query: {{1|2}} kernels,
// CHECK: verified one_query_odd_group: {{1|2}} kernels,
// CHECK: verified wide_values: {{2|3}} kernels,
// CHECK: verified large_heads: {{2|3}} kernels,

func.func @everything(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x64xf32> {
  %o = heddle.attention %q, %k, %v heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @causal_offset(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x64xf32> {
  %c = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %o = heddle.attention %q, %k, %v mask(%c) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @causal_top_left(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x64xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x64xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x64xf32> {
  %c = heddle.mask.causal align(top_left)
  %o = heddle.attention %q, %k, %v mask(%c) heads(4, kv = 4) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @causal_bottom_right(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x64xf32> {
  %c = heddle.mask.causal align(bottom_right)
  %o = heddle.attention %q, %k, %v mask(%c) heads(8, kv = 2) scale(0.3536)
      : tensor<?x?x64xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @counts(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]},
    %counts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x64xf32> {
  %l = heddle.mask.lengths %counts : tensor<?xi32>
  %o = heddle.attention %q, %k, %v mask(%l) heads(4, kv = 1) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @neither(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %counts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x64xf32> {
  %l = heddle.mask.lengths %counts : tensor<?xi32>
  %m = heddle.mask.not %l
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @window(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %more: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x64xf32> {
  %c = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %far = heddle.mask.causal offset(%more : tensor<?xi32>)
  %near = heddle.mask.not %far
  %m = heddle.mask.and %c, %near
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @one_query(%q: tensor<?x1x64xf32> {heddle.sizes = ["batch"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %counts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x1x64xf32> {
  %l = heddle.mask.lengths %counts : tensor<?xi32>
  %o = heddle.attention %q, %k, %v mask(%l) heads(4, kv = 2) scale(0.2500)
      : tensor<?x1x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x1x64xf32>
}

func.func @one_query_odd_group(%q: tensor<?x1x576xf32> {heddle.sizes = ["batch"]},
    %k: tensor<?x?x192xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x192xf32> {heddle.sizes = ["batch", "keys"]},
    %counts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x1x576xf32> {
  %l = heddle.mask.lengths %counts : tensor<?xi32>
  %o = heddle.attention %q, %k, %v mask(%l) heads(9, kv = 3) scale(0.1250)
      : tensor<?x1x576xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>
  return %o : tensor<?x1x576xf32>
}

func.func @wide_values(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x48xf32> {heddle.sizes = ["batch", "keys"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x96xf32> {
  %c = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %o = heddle.attention %q, %k, %v mask(%c) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x48xf32>
  return %o : tensor<?x?x96xf32>
}

func.func @large_heads(%q: tensor<?x?x256xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x128xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x128xf32> {heddle.sizes = ["batch", "keys"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x256xf32> {
  %c = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %o = heddle.attention %q, %k, %v mask(%c) heads(2, kv = 1) scale(0.0884)
      : tensor<?x?x256xf32>, tensor<?x?x128xf32>, tensor<?x?x128xf32>
  return %o : tensor<?x?x256xf32>
}
