heddle.weight @bias = dense<[1.0, -2.0, 0.5, 0.25, 3.0]> : tensor<5xbf16>
heddle.weight @codes = dense<[[1, -2, 3], [-4, 5, -6], [7, -8, 127], [-128, 0, 1]]> : tensor<4x3xi8>
heddle.weight @table = dense<[[0.5, 1.0], [2.0, -4.0], [8.0, 16.0]]> : tensor<3x2xf32>

// x x + bias, rounded twice, and whether that is above x
func.func @square(%x: tensor<?x5xbf16> {heddle.name = "x", heddle.sizes = ["rows"]})
    -> (tensor<?x5xbf16> {heddle.name = "y"}, tensor<?x5xi1> {heddle.name = "above"}) {
  %bias = heddle.weight_ref @bias : tensor<5xbf16>
  %all = heddle.broadcast %bias to ["rows", 5] : tensor<5xbf16> -> tensor<?x5xbf16>
  %square = arith.mulf %x, %x : tensor<?x5xbf16>
  %y = arith.addf %square, %all : tensor<?x5xbf16>
  %above = arith.cmpf ogt, %y, %x : tensor<?x5xbf16>
  return %y, %above : tensor<?x5xbf16>, tensor<?x5xi1>
}

// The sum of each row, in f32 and rounded once
func.func @sums(%x: tensor<?x70xf16> {heddle.name = "x", heddle.sizes = ["rows"]})
    -> (tensor<?xf16> {heddle.name = "y"}) {
  %y = heddle.reduce sum %x axes [1] : tensor<?x70xf16> -> tensor<?xf16>
  return %y : tensor<?xf16>
}

// c ? a b : b, which wraps around, and !c
func.func @choose(%c: tensor<?xi1> {heddle.name = "c", heddle.sizes = ["count"]},
                  %a: tensor<?xi8> {heddle.name = "a", heddle.sizes = ["count"]},
                  %b: tensor<?xi8> {heddle.name = "b", heddle.sizes = ["count"]})
    -> (tensor<?xi8> {heddle.name = "y"}, tensor<?xi1> {heddle.name = "other"}) {
  %product = arith.muli %a, %b : tensor<?xi8>
  %y = heddle.where %c, %product, %b
     : tensor<?xi1>, tensor<?xi8>, tensor<?xi8> -> tensor<?xi8>
  %true = arith.constant dense<true> : tensor<1xi1>
  %all = heddle.broadcast %true to ["count"] : tensor<1xi1> -> tensor<?xi1>
  %other = arith.xori %c, %all : tensor<?xi1>
  return %y, %other : tensor<?xi8>, tensor<?xi1>
}

// x 3 + the constant, in 64 bits, and rows of codes for the lower two bits of it
func.func @wide(%x: tensor<?x2xi64> {heddle.name = "x", heddle.sizes = ["count"]})
    -> (tensor<?x2xi64> {heddle.name = "y"}, tensor<?x2x3xi8> {heddle.name = "rows"}) {
  %three = arith.constant dense<3> : tensor<1x1xi64>
  %factor = heddle.broadcast %three to ["count", 2] : tensor<1x1xi64> -> tensor<?x2xi64>
  %constant = arith.constant dense<[4294967296, -5]> : tensor<2xi64>
  %all = heddle.broadcast %constant to ["count", 2] : tensor<2xi64> -> tensor<?x2xi64>
  %product = arith.muli %x, %factor : tensor<?x2xi64>
  %y = arith.addi %product, %all : tensor<?x2xi64>
  %mask = heddle.broadcast %three to ["count", 2] : tensor<1x1xi64> -> tensor<?x2xi64>
  %low = arith.andi %y, %mask : tensor<?x2xi64>
  %codes = heddle.weight_ref @codes : tensor<4x3xi8>
  %rows = heddle.gather %codes, %low axis(0)
        : tensor<4x3xi8>, tensor<?x2xi64> -> tensor<?x2x3xi8>
  return %y, %rows : tensor<?x2xi64>, tensor<?x2x3xi8>
}

// Indices outside are those of the nearest row; ids outside are refused
func.func @find(%at: tensor<?xi64> {heddle.name = "at", heddle.sizes = ["count"]},
                %ids: tensor<?xi64> {heddle.name = "ids", heddle.sizes = ["count"]})
    -> (tensor<?x2xf32> {heddle.name = "nearest"}, tensor<?x2xf32> {heddle.name = "rows"}) {
  %table = heddle.weight_ref @table : tensor<3x2xf32>
  %nearest = heddle.gather %table, %at axis(0)
           : tensor<3x2xf32>, tensor<?xi64> -> tensor<?x2xf32>
  %rows = heddle.embedding %ids, %table : tensor<?xi64>, tensor<3x2xf32>
  return %nearest, %rows : tensor<?x2xf32>, tensor<?x2xf32>
}
