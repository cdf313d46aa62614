// RUN: heddle-opt %s --split-input-file --heddle-resolve-sizes --heddle-declare-roles | FileCheck %s

// Ids, lengths and starts of a decoder; its cache has as many positions as there are angles.
// The result has no role, as nothing tells what it is.
// CHECK-LABEL: func.func @decoder(
// CHECK-SAME: %{{.*}}: tensor<?x?xi32, #heddle.sizes<"batch", "length">> {heddle.padding = 2 : i64, heddle.role = #heddle.role<ids>, heddle.values = #heddle.values<0 to "511">}
// CHECK-SAME: %{{.*}}: tensor<?xi32, #heddle.sizes<"batch">> {heddle.role = #heddle.role<starts>, heddle.values = #heddle.values<0 to "capacity", plus argument(2)>}
// CHECK-SAME: %{{.*}}: tensor<?xi32, #heddle.sizes<"batch">> {heddle.role = #heddle.role<lengths>, heddle.values = #heddle.values<1 to "length">}
// CHECK-SAME: -> (tensor<?x512xf32, #heddle.sizes<"batch">>, !heddle.cache
// CHECK-SAME: heddle.symbols = [#heddle.symbol<"batch", 0 to 1024, counts batch>, #heddle.symbol<"length", 1 to 65536, counts length>, #heddle.symbol<"capacity", 0 to 64, counts capacity>]
func.func @decoder(%ids: tensor<?x?xi32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 4 x 16 x f32> {heddle.sizes = ["batch", "capacity"]}, %table: tensor<512x64xf32>)
    -> (tensor<?x512xf32>, !heddle.cache<1 x 4 x 16 x f32>) {
  %x = heddle.embedding %ids, %table : tensor<?x?xi32>, tensor<512x64xf32>
  %r = heddle.rotary %x at(%starts : tensor<?xi32>) heads(4) positions(64) base(10000.0) : tensor<?x?x64xf32>
  %c = heddle.cache.append %cache, %r, %x layer(0) at(%starts) lengths(%lengths)
     : !heddle.cache<1 x 4 x 16 x f32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?xi32>, tensor<?xi32>
  %k, %v = heddle.cache.read %c layer(0) : !heddle.cache<1 x 4 x 16 x f32>
  %a = heddle.attention %r, %k, %v heads(4, kv = 4) scale(0.25) : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  %last = heddle.last_token %a, %lengths : tensor<?x?x64xf32>, tensor<?xi32>
  %logits = heddle.linear %last, %table : tensor<?x64xf32>, tensor<512x64xf32>
  return %logits, %c : tensor<?x512xf32>, !heddle.cache<1 x 4 x 16 x f32>
}

// -----

// Each start goes with its own cache; angles limit that one alone. What is computed from
// an append has its padding, and nothing else.
// CHECK-LABEL: func.func @two_caches(
// CHECK-SAME: heddle.values = #heddle.values<0 to "self", plus argument(2)>
// CHECK-SAME: heddle.values = #heddle.values<0 to "length">
// CHECK-SAME: heddle.values = #heddle.values<0 to "cross", plus argument(4)>
// CHECK-SAME: heddle.values = #heddle.values<0 to "source">
// CHECK-SAME: -> (tensor<?x?x64xf32, #heddle.sizes<"batch", "length">> {heddle.padding = 2 : i64}, !heddle.cache{{.*}}, !heddle.cache{{[^>]*>>}}, tensor<?x?x64xf32, #heddle.sizes<"batch", "source">>)
// CHECK-SAME: #heddle.symbol<"self", 0 to 64, counts capacity>
// CHECK-SAME: #heddle.symbol<"cross", 0 to 65536, counts capacity>
!self = !heddle.cache<1 x 4 x 16 x f32>
!cross = !heddle.cache<1 x 4 x 16 x f32>
func.func @two_caches(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %at: tensor<?xi32> {heddle.sizes = ["batch"]}, %count: tensor<?xi32> {heddle.sizes = ["batch"]},
    %m: tensor<?x?x64xf32> {heddle.sizes = ["batch", "source"]},
    %c: !self {heddle.sizes = ["batch", "self"]}, %d: !cross {heddle.sizes = ["batch", "cross"]})
    -> (tensor<?x?x64xf32>, !self, !cross, tensor<?x?x64xf32>) {
  %r = heddle.rotary %x at(%starts : tensor<?xi32>) heads(4) positions(64) base(10000.0) : tensor<?x?x64xf32>
  %c1 = heddle.cache.append %c, %r, %x layer(0) at(%starts) lengths(%lengths) : !self, tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?xi32>, tensor<?xi32>
  %d1 = heddle.cache.append %d, %m, %m layer(0) at(%at) lengths(%count) : !cross, tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?xi32>, tensor<?xi32>
  %k, %v = heddle.cache.read %c1 layer(0) : !self
  %o = heddle.attention %r, %k, %v heads(4, kv = 4) scale(0.25) : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  %n = arith.addf %m, %m : tensor<?x?x64xf32>
  return %o, %c1, %d1, %n : tensor<?x?x64xf32>, !self, !cross, tensor<?x?x64xf32>
}

// -----

// Of positions and tokens the sum is checked; the tokens are no more than the positions.
// CHECK-LABEL: func.func @positions(
// CHECK-SAME: heddle.role = #heddle.role<positions>, heddle.values = #heddle.values<0 to "64", plus "length">
// CHECK-SAME: #heddle.symbol<"length", 0 to 64, counts length>
func.func @positions(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %at: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x64xf32> {
  %r = heddle.rotary %x at(%at : tensor<?xi32>) heads(4) positions(64) base(10000.0) : tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// -----

// The same of the rows of a table; of two ops the fewer positions count.
// CHECK-LABEL: func.func @rows_of_positions(
// CHECK-SAME: heddle.role = #heddle.role<positions>, heddle.values = #heddle.values<0 to "48", plus "length">
// CHECK-SAME: #heddle.symbol<"length", 0 to 48, counts length>
func.func @rows_of_positions(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %at: tensor<?xi32> {heddle.sizes = ["batch"]}, %table: tensor<48x64xf32>) -> tensor<?x?x64xf32> {
  %r = heddle.rotary %x at(%at : tensor<?xi32>) heads(4) positions(64) base(10000.0) : tensor<?x?x64xf32>
  %y = heddle.add_positions %r, %table at(%at : tensor<?xi32>) : tensor<?x?x64xf32>, tensor<48x64xf32>
  return %y : tensor<?x?x64xf32>
}

// -----

// What is declared stays; here fewer positions, and lengths that a capacity limits, too.
// CHECK-LABEL: func.func @declared(
// CHECK-SAME: heddle.role = #heddle.role<lengths>, heddle.values = #heddle.values<1 to "min(8, length)">
// CHECK-SAME: heddle.symbols = [#heddle.symbol<"length", 2 to 16, counts length>, #heddle.symbol<"batch", 0 to 1024, counts batch>]
func.func @declared(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %n: tensor<?xi32> {heddle.sizes = ["batch"], heddle.values = #heddle.values<1 to "min(8, length)">})
    -> tensor<?x64xf32> attributes {heddle.symbols = [#heddle.symbol<"length", 2 to 16>]} {
  %r = heddle.last_token %x, %n : tensor<?x?x64xf32>, tensor<?xi32>
  return %r : tensor<?x64xf32>
}

// -----

// Numbers of i64 have the rules of those of i32.
// CHECK-LABEL: func.func @wide(
// CHECK-SAME: tensor<?x?xi64, #heddle.sizes<"batch", "length">> {heddle.padding = 1 : i64, heddle.role = #heddle.role<ids>, heddle.values = #heddle.values<0 to "511">}
// CHECK-SAME: tensor<?xi64, #heddle.sizes<"batch">> {heddle.role = #heddle.role<lengths>, heddle.values = #heddle.values<1 to "length">}
func.func @wide(%ids: tensor<?x?xi64> {heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi64> {heddle.sizes = ["batch"]}, %table: tensor<512x64xf32>)
    -> tensor<?x64xf32> {
  %x = heddle.embedding %ids, %table : tensor<?x?xi64>, tensor<512x64xf32>
  %last = heddle.last_token %x, %lengths : tensor<?x?x64xf32>, tensor<?xi64>
  return %last : tensor<?x64xf32>
}

// -----

// One length alone is that of no sequence of a batch.
// CHECK-LABEL: func.func @one_length(
// CHECK-SAME: %{{.*}}: tensor<?x?xi32, #heddle.sizes<"batch", "length">> {heddle.role = #heddle.role<ids>, heddle.values = #heddle.values<0 to "511">}
func.func @one_length(%ids: tensor<?x?xi32> {heddle.sizes = ["batch", "length"]},
    %count: tensor<i32> {heddle.role = #heddle.role<lengths>, heddle.values = #heddle.values<1 to "length">},
    %table: tensor<512x64xf32>) -> tensor<?x?x64xf32> {
  %x = heddle.embedding %ids, %table : tensor<?x?xi32>, tensor<512x64xf32>
  return %x : tensor<?x?x64xf32>
}

// -----

// Sizes that only ops state are the caller's, too.
// CHECK-LABEL: func.func @stated(
// CHECK-SAME: heddle.symbols = [#heddle.symbol<"n", 0 to 2147479552>, #heddle.symbol<"k", 0 to 2147479552>, #heddle.symbol<"steps", 0 to 2147479552>]
func.func @stated(%x: tensor<?xi32> {heddle.sizes = ["n"]}) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = heddle.iota axis(0) sizes ["k"] : tensor<?xi32>
  %sum = heddle.reduce sum %i axes [0] : tensor<?xi32> -> tensor<i32>
  %all = heddle.broadcast %sum to ["n"] : tensor<i32> -> tensor<?xi32>
  %steps = heddle.size "steps" : index
  %y = scf.for %s = %c0 to %steps step %c1 iter_args(%a = %x) -> (tensor<?xi32>) {
    %b = arith.addi %a, %all : tensor<?xi32>
    scf.yield %b : tensor<?xi32>
  }
  return %y : tensor<?xi32>
}

// -----

// Sizes that no op gives a meaning have none, whatever the rank of their tensors.
// CHECK-LABEL: func.func @of_no_meaning(
// CHECK-SAME: heddle.symbols = [#heddle.symbol<"k", 0 to 2147479552>, #heddle.symbol<"n", 0 to 2147479552>]
func.func @of_no_meaning(%x: tensor<?x?xi32> {heddle.sizes = ["k", "n"]}, %y: tensor<?x?x4xf32> {heddle.sizes = ["k", "n"]}) -> (tensor<?x?xi32>, tensor<?x?x4xf32>) {
  %a = arith.addi %x, %x : tensor<?x?xi32>
  %b = math.absf %y : tensor<?x?x4xf32>
  return %a, %b : tensor<?x?xi32>, tensor<?x?x4xf32>
}

// -----

// A cache that is read by a table of pages has no sequences of its own; another has.
// CHECK-LABEL: func.func @pages(
// CHECK-SAME: {heddle.name = "paged", heddle.role = #heddle.role<pool>}
// CHECK-SAME: {heddle.name = "other"}
// CHECK-SAME: {heddle.role = #heddle.role<pages>
// CHECK-SAME: #heddle.symbol<"pool", 1 to 2147479552>, #heddle.symbol<"page", 1 to 134217{{[0-9]*}}>,
// CHECK-SAME: #heddle.symbol<"batch", 0 to 1024, counts batch>, #heddle.symbol<"capacity", 0 to 65536, counts capacity>
func.func @pages(%paged: !heddle.cache<1 x 2 x 8 x f32> {heddle.name = "paged", heddle.sizes = ["pool", "page"]},
    %other: !heddle.cache<1 x 2 x 8 x f32> {heddle.name = "other", heddle.sizes = ["batch", "capacity"]},
    %table: tensor<?x?xi32> {heddle.sizes = ["batch", "columns"]}, %k: tensor<?x1x16xf32> {heddle.sizes = ["batch"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]})
    -> (!heddle.cache<1 x 2 x 8 x f32>, !heddle.cache<1 x 2 x 8 x f32>) {
  %a = heddle.cache.append %paged, %k, %k layer(0) at(%starts) lengths(%lengths) pages(%table : tensor<?x?xi32>) : !heddle.cache<1 x 2 x 8 x f32>, tensor<?x1x16xf32>, tensor<?x1x16xf32>, tensor<?xi32>, tensor<?xi32>
  %b = heddle.cache.append %other, %k, %k layer(0) at(%starts) lengths(%lengths) : !heddle.cache<1 x 2 x 8 x f32>, tensor<?x1x16xf32>, tensor<?x1x16xf32>, tensor<?xi32>, tensor<?xi32>
  return %a, %b : !heddle.cache<1 x 2 x 8 x f32>, !heddle.cache<1 x 2 x 8 x f32>
}

// -----

// Of a position of each token nothing is added; of two tables the fewer rows count.
// CHECK-LABEL: func.func @position_ids(
// CHECK-SAME: heddle.role = #heddle.role<positions>, heddle.values = #heddle.values<0 to "47">
// CHECK-SAME: #heddle.symbol<"length", 0 to 65536, counts length>
func.func @position_ids(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %ids: tensor<?x?xi64> {heddle.sizes = ["batch", "length"]}, %table: tensor<48x64xf32>) -> tensor<?x?x64xf32> {
  %r = heddle.rotary %x position_ids(%ids : tensor<?x?xi64>) heads(4) positions(64) base(10000.0) : tensor<?x?x64xf32>
  %y = heddle.add_positions %r, %table position_ids(%ids : tensor<?x?xi64>) : tensor<?x?x64xf32>, tensor<48x64xf32>
  return %y : tensor<?x?x64xf32>
}
