heddle.weight @table = dense<[[0.5, 1.0], [2.0, -4.0], [8.0, 16.0]]> : tensor<3x2xf32>

// factor x, the sum of that, and its factor
func.func @scale(%x: tensor<?xf32> {heddle.name = "x", heddle.sizes = ["count"]},
                 %factor: tensor<f32> {heddle.name = "factor"})
    -> (tensor<?xf32> {heddle.name = "y"}, tensor<f32> {heddle.name = "total"},
        tensor<f32> {heddle.name = "same"}) {
  %all = heddle.broadcast %factor to ["count"] : tensor<f32> -> tensor<?xf32>
  %y = arith.mulf %x, %all : tensor<?xf32>
  %total = heddle.reduce sum %y axes [0] : tensor<?xf32> -> tensor<f32>
  return %y, %total, %factor : tensor<?xf32>, tensor<f32>, tensor<f32>
}

// Nothing but numbers: x doubled, often, and what becomes of it in other types
func.func @double(%x: tensor<bf16> {heddle.name = "x"}, %often: tensor<i32> {heddle.name = "often"},
                  %negates: tensor<i1> {heddle.name = "negates"})
    -> (tensor<bf16> {heddle.name = "y"}, tensor<i64> {heddle.name = "rounded"},
        tensor<i8> {heddle.name = "narrow"}, tensor<i1> {heddle.name = "is_large"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = tensor.extract %often[] : tensor<i32>
  %end = arith.index_cast %count : i32 to index
  %doubled = scf.for %i = %zero to %end step %one iter_args(%y = %x) -> (tensor<bf16>) {
    %next = arith.addf %y, %y : tensor<bf16>
    scf.yield %next : tensor<bf16>
  }
  %goes = tensor.extract %negates[] : tensor<i1>
  %y = scf.if %goes -> tensor<bf16> {
    %minus = arith.negf %doubled : tensor<bf16>
    scf.yield %minus : tensor<bf16>
  } else {
    scf.yield %doubled : tensor<bf16>
  }
  %rounded = heddle.cast %y : tensor<bf16> -> tensor<i64>
  %narrow = heddle.cast %y : tensor<bf16> -> tensor<i8>
  %limit = arith.constant dense<100> : tensor<i64>
  %large = arith.cmpi sgt, %rounded, %limit : tensor<i64>
  return %y, %rounded, %narrow, %large : tensor<bf16>, tensor<i64>, tensor<i8>, tensor<i1>
}

// An id out of range is refused
func.func @find(%id: tensor<i64> {heddle.name = "id"}) -> (tensor<2xf32> {heddle.name = "row"}) {
  %table = heddle.weight_ref @table : tensor<3x2xf32>
  %row = heddle.embedding %id, %table : tensor<i64>, tensor<3x2xf32>
  return %row : tensor<2xf32>
}
