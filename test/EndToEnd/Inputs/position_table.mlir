// A learned table of positions, of which a call takes as many rows as it has tokens.
func.func @f(%x: tensor<?x?x64xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
             %p: tensor<512x64xf32> {heddle.name = "p"})
    -> (tensor<?x?x64xf32> {heddle.name = "y"})
    attributes {heddle.symbols = [#heddle.symbol<"length", 1 to 512>]} {
  %rows = heddle.slice %p offsets [0, 0] sizes ["length", 64] steps [1, 1] : tensor<512x64xf32> -> tensor<?x64xf32>
  %all = heddle.broadcast %rows to ["batch", "length", 64] : tensor<?x64xf32> -> tensor<?x?x64xf32>
  %y = arith.addf %x, %all : tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

// The same backwards: row 0 is that of the last token.
func.func @backwards(%x: tensor<?x64xf32> {heddle.name = "x", heddle.sizes = ["length"]},
                     %p: tensor<512x64xf32> {heddle.name = "p"})
    -> (tensor<?x64xf32> {heddle.name = "y"}, tensor<8x8xf32> {heddle.name = "largest"})
    attributes {heddle.symbols = [#heddle.symbol<"length", 8 to 512>]} {
  %rows = heddle.slice %p offsets ["length - 1", 0] sizes ["length", 64] steps [-1, 1] : tensor<512x64xf32> -> tensor<?x64xf32>
  %y = arith.addf %x, %rows : tensor<?x64xf32>
  %t = heddle.transpose %x permutation [1, 0] : tensor<?x64xf32> -> tensor<64x?xf32>
  %columns, %at = heddle.top_k %t axis(1) k(8) : tensor<64x?xf32> -> tensor<64x8xf32>, tensor<64x8xi32>
  %one = heddle.slice %columns offsets [0, 0] sizes [8, 8] steps [1, 1] : tensor<64x8xf32> -> tensor<8x8xf32>
  return %y, %one : tensor<?x64xf32>, tensor<8x8xf32>
}
