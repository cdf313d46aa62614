// Numbers of control flow whose ops LLVM leaves open.

// Doubles x as often as n / d, n << s and f as an integer say.
func.func @counted(%x: tensor<2xf32> {heddle.name = "x"}, %k: tensor<3xi32> {heddle.name = "k"},
                   %f: tensor<f32> {heddle.name = "f"})
    -> (tensor<2xf32> {heddle.name = "quotient"}, tensor<2xf32> {heddle.name = "shift"},
        tensor<2xf32> {heddle.name = "cast"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %n = tensor.extract %k[%c0] : tensor<3xi32>
  %d = tensor.extract %k[%c1] : tensor<3xi32>
  %s = tensor.extract %k[%c2] : tensor<3xi32>
  %float = tensor.extract %f[] : tensor<f32>
  %quotient = arith.divsi %n, %d : i32
  %some = arith.minsi %quotient, %ten : i32
  %a = scf.for %i = %zero to %some step %one iter_args(%y = %x) -> (tensor<2xf32>) : i32 {
    %z = arith.addf %y, %y : tensor<2xf32>
    scf.yield %z : tensor<2xf32>
  }
  %shifted = arith.shli %n, %s : i32
  %few = arith.minsi %shifted, %ten : i32
  %b = scf.for %i = %zero to %few step %one iter_args(%y = %x) -> (tensor<2xf32>) : i32 {
    %z = arith.addf %y, %y : tensor<2xf32>
    scf.yield %z : tensor<2xf32>
  }
  %cast = arith.fptosi %float : f32 to i32
  %most = arith.minsi %cast, %ten : i32
  %c = scf.for %i = %zero to %most step %one iter_args(%y = %x) -> (tensor<2xf32>) : i32 {
    %z = arith.addf %y, %y : tensor<2xf32>
    scf.yield %z : tensor<2xf32>
  }
  return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// Doubles x at each step from -3 to 2, of unsigned numbers and of others.
func.func @stepped(%x: tensor<2xf32> {heddle.name = "x"}, %k: tensor<1xi32> {heddle.name = "k"})
    -> (tensor<2xf32> {heddle.name = "below"}, tensor<2xf32> {heddle.name = "above"}) {
  %c0 = arith.constant 0 : index
  %first = arith.constant -3 : i32
  %last = arith.constant 2 : i32
  %step = tensor.extract %k[%c0] : tensor<1xi32>
  %a = scf.for %i = %first to %last step %step iter_args(%y = %x) -> (tensor<2xf32>) : i32 {
    %z = arith.addf %y, %y : tensor<2xf32>
    scf.yield %z : tensor<2xf32>
  }
  %b = scf.for unsigned %i = %first to %last step %step iter_args(%y = %x) -> (tensor<2xf32>) : i32 {
    %z = arith.addf %y, %y : tensor<2xf32>
    scf.yield %z : tensor<2xf32>
  }
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}
