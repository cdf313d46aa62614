module attributes {heddle.positions = 2097152 : i64} {
func.func @append(
    %k: tensor<?x?x2048xf32> {heddle.name = "k", heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 16 x 128 x f32> {heddle.name = "cache", heddle.sizes = ["batch", "capacity"]})
    -> !heddle.cache<1 x 16 x 128 x f32> {
  %filled = heddle.cache.append %cache, %k, %k layer(0) at(%starts) lengths(%lengths)
    : !heddle.cache<1 x 16 x 128 x f32>, tensor<?x?x2048xf32>, tensor<?x?x2048xf32>, tensor<?xi32>, tensor<?xi32>
  return %filled : !heddle.cache<1 x 16 x 128 x f32>
}

func.func @rows(%x: tensor<?x?x?x64xf32> {heddle.name = "x", heddle.sizes = ["a", "b", "c"]})
    -> (tensor<?x?x?x64xf32> {heddle.name = "y"}) {
  %y = heddle.activation relu %x : tensor<?x?x?x64xf32>
  return %y : tensor<?x?x?x64xf32>
}

func.func @heads(%x: tensor<?x?x1024xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x1024xf32> {heddle.name = "y"}) {
  %y = heddle.attention %x, %x, %x heads(1024, kv = 1024) scale(1.0)
    : tensor<?x?x1024xf32>, tensor<?x?x1024xf32>, tensor<?x?x1024xf32>
  return %y : tensor<?x?x1024xf32>
}

// Elements are numbered to find where they come from.
func.func @renumbered(%x: tensor<?x?xi8> {heddle.name = "x", heddle.sizes = ["rows", "columns"]})
    -> (tensor<?x?xi8> {heddle.name = "y"}) {
  %y = heddle.reshape %x to ["columns", "rows"] : tensor<?x?xi8> -> tensor<?x?xi8>
  return %y : tensor<?x?xi8>
}

// All rows but the first, of which others are read.
func.func @others(%x: tensor<?x7xf32> {heddle.name = "x", heddle.sizes = ["n"]},
                  %ids: tensor<4xi32> {heddle.name = "ids"})
    -> (tensor<4x7xf32> {heddle.name = "y"}) {
  %s = heddle.slice %x offsets [1, 0] sizes ["n - 1", 7] steps [1, 1] : tensor<?x7xf32> -> tensor<?x7xf32>
  %r = heddle.softmax %s axis(1) : tensor<?x7xf32>
  %y = heddle.gather %r, %ids axis(0) : tensor<?x7xf32>, tensor<4xi32> -> tensor<4x7xf32>
  return %y : tensor<4x7xf32>
}

// Numbers that are no extents may be negative.
func.func @shifted(%x: tensor<?xf32> {heddle.name = "x", heddle.sizes = ["n"]})
    -> (tensor<?xi32> {heddle.name = "y"}) {
  %y = heddle.generic over ["n"] {
    %i = heddle.index 0
    %s = heddle.size "n - 5" : i32
    %a = arith.addi %i, %s : i32
    heddle.yield %a : i32
  } : tensor<?xi32>
  return %y : tensor<?xi32>
}
func.func @first_four(%x: tensor<?xf32> {heddle.name = "x", heddle.sizes = ["n"]})
    -> (tensor<4xf32> {heddle.name = "y"}) {
  %parts:2 = heddle.split %x axis(0) sizes [4, "n - 4"] : tensor<?xf32> -> tensor<4xf32>, tensor<?xf32>
  %y = heddle.activation relu %parts#0 : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @reshaped(
    %x: tensor<?xf32> {heddle.name = "x", heddle.sizes = ["n * m - 4 * n - 4 * m + 16"]},
    %sizes: tensor<?x?xi8> {heddle.name = "sizes", heddle.sizes = ["n", "m"]})
    -> (tensor<?xf32> {heddle.name = "y"}) {
  %r = heddle.reshape %x to ["n - 4", "m - 4"] : tensor<?xf32> -> tensor<?x?xf32>
  %t = heddle.transpose %r permutation [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  %u = heddle.reshape %t to ["n * m - 4 * n - 4 * m + 16"] : tensor<?x?xf32> -> tensor<?xf32>
  %y = heddle.activation relu %u : tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @backwards(%x: tensor<?x?xi8> {heddle.name = "x", heddle.sizes = ["h", "1000 * k"]})
    -> (tensor<?xi8> {heddle.name = "y"}) {
  %t = heddle.transpose %x permutation [1, 0] : tensor<?x?xi8> -> tensor<?x?xi8>
  %r = heddle.reshape %t to ["1000 * h * k"] : tensor<?x?xi8> -> tensor<?xi8>
  %y = heddle.slice %r offsets ["1000 * h * k - 1"] sizes ["h * k"] steps [-1000] : tensor<?xi8> -> tensor<?xi8>
  return %y : tensor<?xi8>
}

// A CPU has a loop for each dimension, and a device one thread for each element.
func.func @outer(%x: tensor<?xi8> {heddle.name = "x", heddle.sizes = ["rows"]},
    %y: tensor<?xi8> {heddle.name = "y", heddle.sizes = ["columns"]}) -> (tensor<?x?xi8> {heddle.name = "z"}) {
  %z = heddle.generic over ["rows", "columns"] ins(%x, %y : tensor<?xi8>, tensor<?xi8>)
      maps [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>] {
  ^bb0(%a: i8, %b: i8):
    %p = arith.addi %a, %b : i8
    heddle.yield %p : i8
  } : tensor<?x?xi8>
  return %z : tensor<?x?xi8>
}

// A CPU has a loop for each dimension, and threads of a device count the elements of all.
func.func @all(%x: tensor<?x32x12xi8> {heddle.name = "x", heddle.sizes = ["rows"]}) -> (tensor<i8> {heddle.name = "y"}) {
  %y = heddle.reduce max %x axes [0, 1, 2] : tensor<?x32x12xi8> -> tensor<i8>
  return %y : tensor<i8>
}

// More than 2^31 elements of tiles.
heddle.weight @table = dense<0.25> : tensor<128256x8xf16>
func.func @logits(%x: tensor<?x8xf32> {heddle.name = "x", heddle.sizes = ["rows"]}) -> (tensor<?x128256xf32> {heddle.name = "y"}) {
  %table = heddle.weight_ref @table : tensor<128256x8xf16>
  %y = heddle.linear %x, %table : tensor<?x8xf32>, tensor<128256x8xf16>
  return %y : tensor<?x128256xf32>
}
}
