heddle.weight @levels = dense<[0, 7, 200, 255]> : tensor<4xui8>
heddle.weight @scales = dense<[1.0, -448.0, 0.001953125]> : tensor<3xf8E4M3FN>

// An image of bytes as numbers from 0 to a limit that the caller chooses, its brightest pixel,
// and pixels of a table.
func.func @image(%x: tensor<?xui8> {heddle.name = "x", heddle.sizes = ["n"]},
                 %most: f32 {heddle.name = "most"}, %level: index {heddle.name = "level"})
    -> (tensor<?xf32> {heddle.name = "y"}, tensor<ui8> {heddle.name = "brightest"},
        tensor<ui8> {heddle.name = "chosen"}, f32 {heddle.name = "doubled"}) {
  %255 = arith.constant 255.0 : f32
  %scale = arith.divf %most, %255 : f32
  %wide = heddle.cast %x : tensor<?xui8> -> tensor<?xf32>
  %one = tensor.from_elements %scale : tensor<1xf32>
  %all = heddle.broadcast %one to ["n"] : tensor<1xf32> -> tensor<?xf32>
  %y = arith.mulf %wide, %all : tensor<?xf32>
  %brightest = heddle.reduce max %x axes [0] : tensor<?xui8> -> tensor<ui8>
  %levels = heddle.weight_ref @levels : tensor<4xui8>
  %number = arith.index_cast %level : index to i64
  %at = tensor.from_elements %number : tensor<1xi64>
  %found = heddle.gather %levels, %at axis(0) : tensor<4xui8>, tensor<1xi64> -> tensor<1xui8>
  %chosen = heddle.squeeze %found axes [0] : tensor<1xui8> -> tensor<ui8>
  %doubled = arith.addf %most, %most : f32
  return %y, %brightest, %chosen, %doubled : tensor<?xf32>, tensor<ui8>, tensor<ui8>, f32
}

// In double precision: what f32 cannot tell from 1.
func.func @precise(%x: tensor<?xf64> {heddle.name = "x", heddle.sizes = ["n"]})
    -> (tensor<?xf64> {heddle.name = "y"}, tensor<f64> {heddle.name = "sum"}) {
  %y = math.exp %x : tensor<?xf64>
  %sum = heddle.reduce sum %y axes [0] : tensor<?xf64> -> tensor<f64>
  return %y, %sum : tensor<?xf64>, tensor<f64>
}

// Floats of eight bits as they are stored, and as numbers.
func.func @stored(%x: tensor<?xf8E5M2> {heddle.name = "x", heddle.sizes = ["n"]})
    -> (tensor<?xf32> {heddle.name = "y"}, tensor<?xf8E4M3FN> {heddle.name = "narrow"},
        tensor<3xf8E4M3FN> {heddle.name = "scales"}) {
  %y = heddle.cast %x : tensor<?xf8E5M2> -> tensor<?xf32>
  %narrow = heddle.cast %x : tensor<?xf8E5M2> -> tensor<?xf8E4M3FN>
  %scales = heddle.weight_ref @scales : tensor<3xf8E4M3FN>
  return %y, %narrow, %scales : tensor<?xf32>, tensor<?xf8E4M3FN>, tensor<3xf8E4M3FN>
}

// The largest of numbers without a sign is not the largest of those with one.
func.func @largest(%x: tensor<?xui64> {heddle.name = "x", heddle.sizes = ["n"]},
                   %s: tensor<?xi16> {heddle.name = "s", heddle.sizes = ["n"]})
    -> (tensor<ui64> {heddle.name = "most"}, tensor<i32> {heddle.name = "place"},
        tensor<?xui16> {heddle.name = "same"}) attributes {heddle.symbols = [#heddle.symbol<"n", 1 to 65536>]} {
  %most = heddle.reduce max %x axes [0] : tensor<?xui64> -> tensor<ui64>
  %place = heddle.arg_reduce max %x axis(0) : tensor<?xui64> -> tensor<i32>
  %same = heddle.cast %s : tensor<?xi16> -> tensor<?xui16>
  return %most, %place, %same : tensor<ui64>, tensor<i32>, tensor<?xui16>
}
