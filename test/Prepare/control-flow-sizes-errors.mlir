// RUN: heddle-opt %s --split-input-file --verify-diagnostics --heddle-resolve-sizes

func.func @grows(%x: tensor<?x4xf32> {heddle.sizes = ["n"]}, %y: tensor<?x4xf32> {heddle.sizes = ["m"]}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected value 0 that it carries round to keep its type 'tensor<?x4xf32, #heddle.sizes<"n">>', found 'tensor<?x4xf32, #heddle.sizes<"m">>'}}
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x) -> (tensor<?x4xf32>) {
    // expected-note @+1 {{the value of the next step}}
    %z = arith.negf %y : tensor<?x4xf32>
    scf.yield %z : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

func.func @branches(%x: tensor<?x4xf32> {heddle.sizes = ["n"]}, %y: tensor<?x4xf32> {heddle.sizes = ["m"]}) -> tensor<?x4xf32> {
  %true = arith.constant true
  // expected-error @+1 {{expected both branches to give one type, found 'tensor<?x4xf32, #heddle.sizes<"n">>' and 'tensor<?x4xf32, #heddle.sizes<"m">>'}}
  %r = scf.if %true -> tensor<?x4xf32> {
    scf.yield %x : tensor<?x4xf32>
  } else {
    scf.yield %y : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

func.func @cache(%x: !heddle.cache<1 x 1 x 8 x f32> {heddle.sizes = ["n", "m"]}) -> !heddle.cache<1 x 1 x 8 x f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected it to carry tensors and numbers, found '!heddle.cache<1 x 1 x 8 x f32, <"n", "m">>'}}
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x) -> (!heddle.cache<1 x 1 x 8 x f32>) {
    scf.yield %a : !heddle.cache<1 x 1 x 8 x f32>
  }
  return %r : !heddle.cache<1 x 1 x 8 x f32>
}

// -----

func.func @index_past_the_end(%x: tensor<?xi1> {heddle.sizes = ["n"]}, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected index 0 from 0 to 0, found 1}}
  %v = tensor.extract %x[%c1] : tensor<?xi1>
  %r = scf.if %v -> tensor<4xf32> {
    %z = arith.addf %y, %y : tensor<4xf32>
    scf.yield %z : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @computed_dimension(%x: tensor<?x4xf32> {heddle.sizes = ["n"]}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x) -> (tensor<?x4xf32>) {
    // expected-error @+1 {{expected a constant that is a dimension of 'tensor<?x4xf32, #heddle.sizes<"n">>'}}
    %n = tensor.dim %x, %i : tensor<?x4xf32>
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> (tensor<?x4xf32>) {
      %y = arith.addf %b, %b : tensor<?x4xf32>
      scf.yield %y : tensor<?x4xf32>
    }
    scf.yield %s : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

func.func @negative_number(%x: tensor<1xf32>) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.extract %x[%c0] : tensor<1xf32>
  // expected-error @+1 {{expected a tensor, which may be of rank 0; numbers outside of tensors are computed by arith alone}}
  %e = math.exp %n : f32
  %zero = arith.constant 0.0 : f32
  %p = arith.cmpf ogt, %e, %zero : f32
  %y = scf.if %p -> (tensor<1xf32>) {
    scf.yield %x : tensor<1xf32>
  } else {
    %z = arith.negf %x : tensor<1xf32>
    scf.yield %z : tensor<1xf32>
  }
  return %y : tensor<1xf32>
}
