// RUN: heddle-opt %s --split-input-file --verify-diagnostics --heddle-resolve-sizes --heddle-declare-roles

// expected-error @+1 {{expected heddle.values of argument 0 to be #heddle.values<0 to "7"> or stricter, as that is what kernels rely on, found #heddle.values<0 to "8">}}
func.func @ids_past_the_table(%ids: tensor<4xi32> {heddle.values = #heddle.values<0 to "8">}, %table: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %x = heddle.embedding %ids, %table : tensor<4xi32>, tensor<8x4xf32>
  return %x : tensor<4x4xf32>
}

// -----

// expected-error @+1 {{or stricter, as that is what kernels rely on, found #heddle.values<-1 to "7">}}
func.func @negative_ids(%ids: tensor<4xi32> {heddle.values = #heddle.values<-1 to "7">}, %table: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %x = heddle.embedding %ids, %table : tensor<4xi32>, tensor<8x4xf32>
  return %x : tensor<4x4xf32>
}

// -----

// expected-error @+1 {{expected heddle.values of argument 1 to be #heddle.values<0 to "capacity", plus argument(2)> or stricter, as that is what kernels rely on, found #heddle.values<0 to "capacity">}}
func.func @starts_alone(%k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"], heddle.values = #heddle.values<0 to "capacity">},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "capacity"]}) -> !heddle.cache<1 x 4 x 8 x f32> {
  %r = heddle.cache.append %c, %k, %k layer(0) at(%starts) lengths(%lengths) : !heddle.cache<1 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  return %r : !heddle.cache<1 x 4 x 8 x f32>
}

// -----

// expected-error @+1 {{expected heddle.values of argument 1 to be of sizes of the function, found 'm'}}
func.func @unknown_size(%x: tensor<?xf32> {heddle.sizes = ["n"]},
    %i: tensor<3xi32> {heddle.values = #heddle.values<0 to "m">}) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{expected a cache that the starts of argument 0 are in, found none}}
func.func @starts_of_nothing(%s: tensor<2xi32> {heddle.role = #heddle.role<starts>}) -> tensor<2xi32> {
  return %s : tensor<2xi32>
}

// -----

// expected-error @+1 {{expected heddle.symbols to be of sizes of the function, found 'lenght', which nothing has}}
func.func @misspelt(%x: tensor<?xf32> {heddle.sizes = ["length"]}) -> tensor<?xf32>
    attributes {heddle.symbols = [#heddle.symbol<"length", 1 to 8>, #heddle.symbol<"lenght", 1 to 8>]} {
  return %x : tensor<?xf32>
}

// -----

func.func @positions_are_computed(%x: tensor<2x3x8xf32>, %at: tensor<2xi32>, %table: tensor<48x8xf32>) -> tensor<2x3x8xf32> {
  // expected-note @+1 {{computed here}}
  %twice = arith.addi %at, %at : tensor<2xi32>
  // expected-error @+1 {{expected positions of tokens that are an argument of the function, whose values calls can check, found computed ones}}
  %y = heddle.add_positions %x, %table at(%twice : tensor<2xi32>) : tensor<2x3x8xf32>, tensor<48x8xf32>
  return %y : tensor<2x3x8xf32>
}
