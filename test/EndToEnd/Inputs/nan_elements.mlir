func.func @difference(%x: tensor<?x16xf32> {heddle.name = "x", heddle.sizes = ["rows"]},
    %y: tensor<?x16xf32> {heddle.name = "y", heddle.sizes = ["rows"]}) -> (tensor<?x16xf32> {heddle.name = "z"}) {
  %z = arith.subf %x, %x : tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
func.func @cancel(%x: tensor<?x16xf32> {heddle.name = "x", heddle.sizes = ["rows"]},
    %y: tensor<?x16xf32> {heddle.name = "y", heddle.sizes = ["rows"]}) -> (tensor<?x16xf32> {heddle.name = "z"}) {
  %s = arith.addf %x, %y : tensor<?x16xf32>
  %z = arith.subf %s, %y : tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
func.func @negated(%x: tensor<?x16xf32> {heddle.name = "x", heddle.sizes = ["rows"]},
    %y: tensor<?x16xf32> {heddle.name = "y", heddle.sizes = ["rows"]}) -> (tensor<?x16xf32> {heddle.name = "z"}) {
  %n = arith.negf %x : tensor<?x16xf32>
  %z = arith.addf %x, %n : tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
func.func @quotient(%x: tensor<?x16xf32> {heddle.name = "x", heddle.sizes = ["rows"]},
    %y: tensor<?x16xf32> {heddle.name = "y", heddle.sizes = ["rows"]}) -> (tensor<?x16xf32> {heddle.name = "z"}) {
  %z = arith.divf %x, %x : tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
func.func @product(%x: tensor<?x16xf32> {heddle.name = "x", heddle.sizes = ["rows"]},
    %y: tensor<?x16xf32> {heddle.name = "y", heddle.sizes = ["rows"]}) -> (tensor<?x16xf32> {heddle.name = "z"}) {
  %zero = arith.subf %y, %y : tensor<?x16xf32>
  %z = arith.mulf %x, %zero : tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
func.func @relu(%x: tensor<?x16xf32> {heddle.name = "x", heddle.sizes = ["rows"]},
    %y: tensor<?x16xf32> {heddle.name = "y", heddle.sizes = ["rows"]}) -> (tensor<?x16xf32> {heddle.name = "z"}) {
  %z = heddle.activation relu %x : tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
