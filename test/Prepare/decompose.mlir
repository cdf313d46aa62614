// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose | FileCheck %s
// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose=keep-layers \
// RUN:   | FileCheck %s --check-prefix=KEPT

// CHECK-LABEL: func.func @embedding
// CHECK: heddle.generic over ["n", 64] ins(%{{.*}} : tensor<?xi32, {{.*}}>) maps [#{{.*}}] tables(%{{.*}} : tensor<512x64xbf16>)
// CHECK: ^bb0(%[[ID:.*]]: i32, %[[TABLE:.*]]: tensor<512x64xbf16>):
// CHECK: %[[C:.*]] = heddle.index 1
// CHECK: %[[E:.*]] = heddle.read %[[TABLE]][%[[ID]], %[[C]]]
// CHECK: arith.extf %[[E]] : bf16 to f32
// KEPT-LABEL: func.func @embedding
// KEPT: heddle.embedding
func.func @embedding(%ids: tensor<?xi32> {heddle.sizes = ["n"]}, %t: tensor<512x64xbf16>) -> tensor<?x64xf32> {
  %x = heddle.embedding %ids, %t : tensor<?xi32>, tensor<512x64xbf16>
  return %x : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @rms_norm
// CHECK: heddle.generic over ["n", 1] reduce [64]
// CHECK: math.sqrt
// CHECK: heddle.generic over ["n", 64]
// KEPT: heddle.rms_norm
func.func @rms_norm(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}, %w: tensor<64xf32>) -> tensor<?x64xf32> {
  %y = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<?x64xf32>, tensor<64xf32>
  return %y : tensor<?x64xf32>
}

// Products and sums are f32, and the bias comes after them.
// CHECK-LABEL: func.func @linear
// CHECK: %[[SUM:.*]] = heddle.generic over ["n", 16] reduce [8] initial [0.000000e+00 : f32]
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: heddle.generic over ["n", 16] ins(%[[SUM]], %{{.*}} : tensor<?x16xf32, {{.*}}>, tensor<16xf32>)
// KEPT: heddle.linear
func.func @linear(%x: tensor<?x8xf32> {heddle.sizes = ["n"]}, %w: tensor<16x8xbf16>, %b: tensor<16xf32>) -> tensor<?x16xf32> {
  %y = heddle.linear %x, %w bias(%b : tensor<16xf32>) : tensor<?x8xf32>, tensor<16x8xbf16>
  return %y : tensor<?x16xf32>
}

// CHECK-LABEL: func.func @gated_feed_forward
// CHECK-COUNT-2: heddle.generic over ["n", 16] reduce [8]
// CHECK: math.exp
// CHECK: arith.mulf %{{.*}} : tensor<?x16xf32
// CHECK: heddle.generic over ["n", 8] reduce [16]
// KEPT: heddle.gated_feed_forward
func.func @gated_feed_forward(%x: tensor<?x8xf32> {heddle.sizes = ["n"]}, %gate: tensor<16x8xf32>,
    %up: tensor<16x8xf32>, %down: tensor<8x16xf32>) -> tensor<?x8xf32> {
  %y = heddle.gated_feed_forward silu %x, %gate, %up, %down
     : tensor<?x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
  return %y : tensor<?x8xf32>
}

// Both channels of a pair are read for each; angles come from one table.
// CHECK-LABEL: func.func @rotary
// CHECK: %[[T:.*]] = heddle.rotary_table dimension(8) positions(512)
// CHECK: heddle.generic over ["b", "l", 32] {{.*}} {{.*}} tables(%[[T]]
// CHECK-COUNT-4: heddle.read
// CHECK: arith.select
// KEPT: heddle.rotary %
func.func @rotary(%x: tensor<?x?x32xf32> {heddle.sizes = ["b", "l"]}, %s: tensor<?xi32> {heddle.sizes = ["b"]}) -> tensor<?x?x32xf32> {
  %y = heddle.rotary %x at(%s : tensor<?xi32>) heads(4) positions(512) base(10000.0) : tensor<?x?x32xf32>
  return %y : tensor<?x?x32xf32>
}

// CHECK-LABEL: func.func @last_token
// CHECK: heddle.generic over ["b", 32] ins(%{{.*}} : tensor<?xi32, {{.*}}>)
// CHECK: heddle.read
// KEPT: heddle.last_token
func.func @last_token(%x: tensor<?x?x32xf32> {heddle.sizes = ["b", "l"]}, %n: tensor<?xi32> {heddle.sizes = ["b"]}) -> tensor<?x32xf32> {
  %y = heddle.last_token %x, %n : tensor<?x?x32xf32>, tensor<?xi32>
  return %y : tensor<?x32xf32>
}

// Pairs lie side by side, and 4 of a head's 8 channels stay as they are.
// CHECK-LABEL: func.func @rotary_partial
// CHECK: %[[T:.*]] = heddle.rotary_table dimension(4) positions(512)
// CHECK: heddle.generic over ["b", "l", 32] ins(%[[X:.*]], %[[X]], %{{.*}}, %[[X]] : {{.*}} tables(%[[T]]
// CHECK-COUNT-2: arith.select
// KEPT: heddle.rotary %
func.func @rotary_partial(%x: tensor<?x?x32xf32> {heddle.sizes = ["b", "l"]}, %s: tensor<?xi32> {heddle.sizes = ["b"]}) -> tensor<?x?x32xf32> {
  %y = heddle.rotary %x at(%s : tensor<?xi32>) heads(4) rotated(4) interleaved positions(512) base(10000.0) : tensor<?x?x32xf32>
  return %y : tensor<?x?x32xf32>
}

// CHECK-LABEL: func.func @add_positions
// CHECK: %[[T:.*]] = heddle.sinusoidal_positions
// CHECK: heddle.generic over ["b", "l", 32] ins(%{{.*}}, %{{.*}} : {{.*}}, tensor<?xi32, {{.*}}>) maps {{.*}} tables(%[[T]]
// CHECK: heddle.read
// KEPT: heddle.add_positions
func.func @add_positions(%x: tensor<?x?x32xf32> {heddle.sizes = ["b", "l"]}, %s: tensor<?xi32> {heddle.sizes = ["b"]}) -> tensor<?x?x32xf32> {
  %t = heddle.sinusoidal_positions base(10000.0) : tensor<64x32xf32>
  %y = heddle.add_positions %x, %t at(%s : tensor<?xi32>) : tensor<?x?x32xf32>, tensor<64x32xf32>
  return %y : tensor<?x?x32xf32>
}

// Two linear layers, whose channels have the gates one after the other.
// CHECK-LABEL: func.func @gru_cell
// CHECK-COUNT-2: heddle.generic over ["n", 12] reduce
// CHECK: heddle.generic over ["n", 4] ins(
// CHECK-COUNT-2: math.exp
// CHECK: math.tanh
// KEPT-LABEL: func.func @gru_cell
// KEPT-NEXT: heddle.gru_cell
func.func @gru_cell(%x: tensor<?x3xf32> {heddle.sizes = ["n"]}, %h: tensor<?x4xf32> {heddle.sizes = ["n"]},
    %w: tensor<12x3xf32>, %u: tensor<12x4xf32>) -> tensor<?x4xf32> {
  %y = heddle.gru_cell %x, %h, %w, %u : tensor<?x3xf32>, tensor<?x4xf32>, tensor<12x3xf32>, tensor<12x4xf32>
  return %y : tensor<?x4xf32>
}

// Two layers of the hidden state: what is kept of it comes between them.
// CHECK-LABEL: func.func @gru_cell_reset_before
// CHECK: heddle.generic over ["n", 12] reduce
// CHECK: heddle.generic over ["n", 8] reduce
// CHECK: %[[RESET:.*]] = heddle.generic over ["n", 4] ins(
// CHECK: heddle.generic over ["n", 4] reduce [4] {{.*}}ins(%[[RESET]],
// CHECK: heddle.generic over ["n", 4] ins(
// KEPT-LABEL: func.func @gru_cell_reset_before
// KEPT-NEXT: heddle.gru_cell
func.func @gru_cell_reset_before(%x: tensor<?x3xf32> {heddle.sizes = ["n"]}, %h: tensor<?x4xf32> {heddle.sizes = ["n"]},
    %w: tensor<12x3xf32>, %u: tensor<12x4xf32>) -> tensor<?x4xf32> {
  %y = heddle.gru_cell %x, %h, %w, %u reset_before : tensor<?x3xf32>, tensor<?x4xf32>, tensor<12x3xf32>, tensor<12x4xf32>
  return %y : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @lstm_cell
// CHECK-COUNT-2: heddle.generic over ["n", 16] reduce
// CHECK: %{{.*}}:2 = heddle.generic over ["n", 4] ins(
// CHECK-COUNT-2: math.exp
// CHECK: math.tanh
// CHECK: math.exp
// CHECK: math.tanh
// KEPT-LABEL: func.func @lstm_cell
// KEPT-NEXT: heddle.lstm_cell
func.func @lstm_cell(%x: tensor<?x3xf32> {heddle.sizes = ["n"]}, %h: tensor<?x4xf32> {heddle.sizes = ["n"]},
    %w: tensor<16x3xf32>, %u: tensor<16x4xf32>) -> tensor<?x4xf32> {
  %y, %z = heddle.lstm_cell %x, %h, %h, %w, %u : tensor<?x3xf32>, tensor<?x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>
  return %y : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @group_norm
// CHECK-COUNT-2: heddle.generic over ["n", 2] reduce [3, "l"]
// CHECK: math.sqrt
// CHECK: heddle.generic over ["n", 6, "l"]
// KEPT-LABEL: func.func @group_norm
// KEPT-NEXT: heddle.group_norm
func.func @group_norm(%x: tensor<?x6x?xf32> {heddle.sizes = ["n", "l"]}, %w: tensor<6xf32>) -> tensor<?x6x?xf32> {
  %y = heddle.group_norm %x, %w, %w groups(2) epsilon(1.0e-5) : tensor<?x6x?xf32>, tensor<6xf32>, tensor<6xf32>
  return %y : tensor<?x6x?xf32>
}

// Zeros around it, and the products of each group by itself.
// CHECK-LABEL: func.func @conv_1d
// CHECK: heddle.generic over ["n", 4, 1, "l + 2"]
// CHECK: heddle.generic over ["n", 2, 3, "l"] reduce [2, 3]
// CHECK: heddle.generic over ["n", 6, "l"]
func.func @conv_1d(%x: tensor<?x4x?xf32> {heddle.sizes = ["n", "l"]}, %w: tensor<6x2x3xf32>, %b: tensor<6xf32>) -> tensor<?x6x?xf32> {
  %y = heddle.conv_1d %x, %w bias(%b : tensor<6xf32>) stride(1) padding(1) dilation(1) groups(2)
     : tensor<?x4x?xf32>, tensor<6x2x3xf32>
  return %y : tensor<?x6x?xf32>
}

// Six rows of "floordiv(w, 3) + 1" columns, at both places modulo the first stride and at the only one
// modulo the second that taps are at; of five rows of windows, the last ends at its last window.
// CHECK-LABEL: func.func @conv_2d
// CHECK: heddle.generic over ["n", 4, 2, 1, 6, "floordiv(w, 3) + 1"]
// CHECK: heddle.read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] fill(%{{.*}}) : tensor<?x4x9x?xf32
// CHECK: heddle.generic over ["n", 4, 2, 1, "6 * floordiv(w, 3) + 6"] ins
// CHECK: heddle.generic over ["n", 2, 3, "5 * floordiv(w, 3) + 4"] reduce [2, 3, 2]
// CHECK: heddle.generic over ["n", 2, 3, "5 * floordiv(w, 3) + 4"] ins
// CHECK: heddle.generic over ["n", 6, 5, "floordiv(w, 3)"]
func.func @conv_2d(%x: tensor<?x4x9x?xf32> {heddle.sizes = ["n", "w"]}, %w: tensor<6x2x3x2xf32>, %b: tensor<6xf32>) -> tensor<?x6x5x?xf32>
    attributes {heddle.symbols = [#heddle.symbol<"w", 5 to 512>]} {
  %y = heddle.conv_2d %x, %w bias(%b : tensor<6xf32>) strides [2, 3] low [1, 0] high [1, 1] dilations [1, 3] groups(2)
     : tensor<?x4x9x?xf32>, tensor<6x2x3x2xf32>
  return %y : tensor<?x6x5x?xf32>
}

// Nothing is copied of what has no zeros around it and steps of 1.
// CHECK-LABEL: func.func @conv_2d_in_place
// CHECK-NOT: heddle.read
// CHECK: heddle.generic over [1, 4, 1, 1, 63] ins
// CHECK: heddle.generic over [1, 1, 6, 48] reduce [4, 3, 2]
// CHECK: heddle.generic over [1, 6, 7, 6]
func.func @conv_2d_in_place(%x: tensor<1x4x9x7xf32>, %w: tensor<6x4x3x2xf32>) -> tensor<1x6x7x6xf32> {
  %y = heddle.conv_2d %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(1)
     : tensor<1x4x9x7xf32>, tensor<6x4x3x2xf32>
  return %y : tensor<1x6x7x6xf32>
}

// A group of one row is no product of matrices.
// CHECK-LABEL: func.func @conv_2d_depthwise
// CHECK: heddle.generic over [1, 4, 1, 1, 11, 9]
// CHECK: heddle.generic over [1, 4, 9, 7] reduce [1, 3, 3]
func.func @conv_2d_depthwise(%x: tensor<1x4x9x7xf32>, %w: tensor<4x1x3x3xf32>) -> tensor<1x4x9x7xf32> {
  %y = heddle.conv_2d %x, %w strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups(4)
     : tensor<1x4x9x7xf32>, tensor<4x1x3x3xf32>
  return %y : tensor<1x4x9x7xf32>
}

// CHECK-LABEL: func.func @pool_2d_max
// CHECK: heddle.generic over ["n", 4, 10, 7]
// CHECK: fill(%{{.*}})
// CHECK: heddle.generic over ["n", 4, 4, 5] reduce [3, 3] initial [0xFF800000 : f32]
// CHECK: arith.maximumf
func.func @pool_2d_max(%x: tensor<?x4x9x7xf32> {heddle.sizes = ["n"]}) -> tensor<?x4x4x5xf32> {
  %y = heddle.pool_2d max %x window [3, 3] strides [2, 1] low [1, 0] high [0, 0] dilations [1, 1] : tensor<?x4x9x7xf32>
  return %y : tensor<?x4x4x5xf32>
}

// Taps are counted along what windows reach past.
// CHECK-LABEL: func.func @pool_2d_mean
// CHECK: heddle.generic over ["n", 4, 4, 5] reduce [3, 3] initial [0.000000e+00 : f32]
// CHECK: heddle.generic over [4] reduce [3]
// CHECK: heddle.generic over ["n", 4, 4, 5]
// CHECK: arith.divf
func.func @pool_2d_mean(%x: tensor<?x4x9x7xf32> {heddle.sizes = ["n"]}) -> tensor<?x4x4x5xf32> {
  %y = heddle.pool_2d mean %x window [3, 3] strides [2, 1] low [1, 0] high [0, 0] dilations [1, 1] : tensor<?x4x9x7xf32>
  return %y : tensor<?x4x4x5xf32>
}

// CHECK-LABEL: func.func @patch_embedding
// CHECK: heddle.generic over ["n", 3, 2, 24] reduce [3, 4, 4]
// CHECK: heddle.generic over ["n", 6, 24]
func.func @patch_embedding(%x: tensor<?x3x13x9xf32> {heddle.sizes = ["n"]}, %w: tensor<24x3x4x4xf32>) -> tensor<?x6x24xf32> {
  %y = heddle.patch_embedding %x, %w : tensor<?x3x13x9xf32>, tensor<24x3x4x4xf32>
  return %y : tensor<?x6x24xf32>
}

// Sums over 2 of 8 experts, whose weights are read where the router says.
// CHECK-LABEL: func.func @mixture_of_experts
// CHECK-COUNT-2: heddle.generic over ["n", 2, 5] reduce [4] {{.*}} tables(%{{.*}} : tensor<8x5x4xf32>)
// CHECK: heddle.generic over ["n", 2, 4] reduce [5] {{.*}} tables(%{{.*}} : tensor<8x4x5xf32>)
// CHECK: heddle.generic over ["n", 4] reduce [2]
func.func @mixture_of_experts(%x: tensor<?x4xf32> {heddle.sizes = ["n"]}, %r: tensor<8x4xf32>,
    %g: tensor<8x5x4xf32>, %d: tensor<8x4x5xf32>) -> tensor<?x4xf32> {
  %y = heddle.mixture_of_experts silu %x router(%r) experts(%g, %g, %d) top(2) normalized
     : tensor<?x4xf32>, tensor<8x4xf32>, tensor<8x5x4xf32>, tensor<8x5x4xf32>, tensor<8x4x5xf32>
  return %y : tensor<?x4xf32>
}

// Nothing, or ten rounds of two products each.
// CHECK-LABEL: func.func @dropout
// CHECK: heddle.generic over ["n", 4] ins(%arg0, %arg1, %arg1 :
// CHECK-COUNT-20: arith.shrui
// CHECK: arith.cmpi ugt
// CHECK: arith.divf
// KEPT: heddle.dropout
func.func @dropout(%x: tensor<?x4xf32> {heddle.sizes = ["n"]}, %s: tensor<2xi32>) -> tensor<?x4xf32> {
  %y = heddle.dropout %x rate(0.25) : tensor<?x4xf32>
  %z = heddle.dropout %y rate(0.25) seed(%s : tensor<2xi32>) : tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @layer_norm_without_bias
// CHECK-NOT: arith.addf %{{.*}}, %{{.*}} : tensor
// CHECK: heddle.generic over ["n", 64] ins(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} : {{.*}} tensor<64xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: heddle.yield
func.func @layer_norm_without_bias(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}, %w: tensor<64xf32>) -> tensor<?x64xf32> {
  %y = heddle.layer_norm %x, %w epsilon(1.0e-5) : tensor<?x64xf32>, tensor<64xf32>
  return %y : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @activations
// CHECK: math.erf
// CHECK: math.tanh
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK: math.tanh
// CHECK: arith.constant 1.702
// CHECK: math.exp
func.func @activations(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = heddle.activation gelu %x : tensor<4xf32>
  %1 = heddle.activation gelu_tanh %x : tensor<4xf32>
  %2 = heddle.activation sigmoid %x : tensor<4xf32>
  %3 = heddle.activation tanh %x : tensor<4xf32>
  %4 = heddle.activation quick_gelu %x : tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @feed_forward
// CHECK: heddle.generic over ["n", 16] reduce [8]
// CHECK: arith.maximumf
// CHECK: heddle.generic over ["n", 8] reduce [16]
// KEPT-LABEL: func.func @feed_forward
// KEPT: heddle.feed_forward
func.func @feed_forward(%x: tensor<?x8xf32> {heddle.sizes = ["n"]}, %up: tensor<16x8xf32>, %down: tensor<8x16xf32>) -> tensor<?x8xf32> {
  %y = heddle.feed_forward relu %x, %up, %down : tensor<?x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
  return %y : tensor<?x8xf32>
}

// A combined projection is one product, of which attention reads parts.
// CHECK-LABEL: func.func @combined
// CHECK: %[[ALL:.*]] = heddle.generic over ["b", "l", 24] reduce [8]
// CHECK: %[[Q:.*]] = heddle.generic over ["b", "l", 8] ins(%[[ALL]]
// CHECK: %[[K:.*]] = heddle.generic over ["b", "l", 8] ins(%[[ALL]]
// CHECK: %[[V:.*]] = heddle.generic over ["b", "l", 8] ins(%[[ALL]]
// CHECK: %[[A:.*]] = heddle.attention %[[Q]], %[[K]], %[[V]] heads(2, kv = 2) :
// CHECK: heddle.generic over ["b", "l", 6] reduce [8] {{.*}} ins(%[[A]]
// KEPT-LABEL: func.func @combined
// KEPT-NEXT: heddle.multi_head_attention
// KEPT-NEXT: return
func.func @combined(%x: tensor<?x?x8xf32> {heddle.sizes = ["b", "l"]}, %w: tensor<24x8xf32>, %wo: tensor<6x8xf32>) -> tensor<?x?x6xf32> {
  %y = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2) combined(%w : tensor<24x8xf32>) output(%wo : tensor<6x8xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %y : tensor<?x?x6xf32>
}

// Norms see heads of 4 channels.
// CHECK-LABEL: func.func @normed_heads
// CHECK-COUNT-3: reduce [8]
// CHECK: heddle.generic over ["b", "l", 4, 1] reduce [4]
// CHECK: heddle.generic over ["b", "k", 2, 1] reduce [4]
// CHECK: %{{.*}}:2 = heddle.attention %{{.*}}, %{{.*}}, %{{.*}} mask(%{{.*}}) heads(4, kv = 2) scale(5.000000e-01) results(weights, output)
func.func @normed_heads(%x: tensor<?x?x8xf32> {heddle.sizes = ["b", "l"]}, %m: tensor<?x?x8xf32> {heddle.sizes = ["b", "k"]},
    %wq: tensor<16x8xf32>, %wk: tensor<8x8xf32>, %n: tensor<4xf32>, %wo: tensor<8x16xf32>)
    -> (tensor<?x4x?x?xf32>, tensor<?x?x8xf32>) {
  %mask = heddle.mask.causal align(top_left)
  %p, %y = heddle.multi_head_attention %x, %m, %m mask(%mask) heads(4, kv = 2) query(%wq : tensor<16x8xf32>)
       key(%wk : tensor<8x8xf32>) value(%wk : tensor<8x8xf32>) output(%wo : tensor<8x16xf32>)
       norms(%n, %n : tensor<4xf32>, tensor<4xf32>) epsilon(1.0e-6) scale(0.5) results(weights, output)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %p, %y : tensor<?x4x?x?xf32>, tensor<?x?x8xf32>
}

// Scales of two heads, and elements of i8; values are stored as they are.
// CHECK-LABEL: func.func @cache_append
// CHECK: heddle.generic over ["b", "l", 2] reduce [8]
// CHECK: %[[S:.*]] = heddle.generic over ["b", "l", 2]
// CHECK: %[[K:.*]] = heddle.generic over ["b", "l", 16] ins(%arg1, %[[S]]
// CHECK: math.roundeven
// CHECK: heddle.cache.append %arg0, %[[K]], %arg1 layer(0) at(%arg2) lengths(%arg2) key_scales(%[[S]]
// KEPT-LABEL: func.func @cache_append
// KEPT-NEXT: heddle.cache.append
func.func @cache_append(%c: !heddle.cache<1 x 2 x 8 x i8, values 8 x bf16> {heddle.sizes = ["b", "n"]},
    %x: tensor<?x?x16xf32> {heddle.sizes = ["b", "l"]}, %n: tensor<?xi32> {heddle.sizes = ["b"]}) -> !heddle.cache<1 x 2 x 8 x i8, values 8 x bf16> {
  %0 = heddle.cache.append %c, %x, %x layer(0) at(%n) lengths(%n)
      : !heddle.cache<1 x 2 x 8 x i8, values 8 x bf16>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?xi32>, tensor<?xi32>
  return %0 : !heddle.cache<1 x 2 x 8 x i8, values 8 x bf16>
}

// CHECK-LABEL: func.func @cache_select
// CHECK: %[[K:.*]], %[[V:.*]] = heddle.cache.read %arg0 layer(0)
// CHECK-DAG: heddle.generic over ["b", "l", 16] ins(%arg1 : {{.*}} tables(%[[K]]
// CHECK-DAG: heddle.generic over ["b", "l", 16] ins(%arg1 : {{.*}} tables(%[[V]]
// CHECK: %[[C:.*]] = heddle.cache.append %arg0, %{{.*}} layer(0)
// CHECK: heddle.cache.read %[[C]] layer(1)
// CHECK: heddle.cache.append %[[C]], %{{.*}} layer(1)
func.func @cache_select(%c: !heddle.cache<2 x 2 x 8 x f32> {heddle.sizes = ["b", "n"]},
    %p: tensor<?x?xi32> {heddle.sizes = ["b", "l"]}, %n: tensor<?xi32> {heddle.sizes = ["b"]}) -> !heddle.cache<2 x 2 x 8 x f32> {
  %0 = heddle.cache.select %c positions(%p) lengths(%n) : !heddle.cache<2 x 2 x 8 x f32>, tensor<?x?xi32>, tensor<?xi32>
  return %0 : !heddle.cache<2 x 2 x 8 x f32>
}
