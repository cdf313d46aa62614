// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_launch_c1_name(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{expected a heddle.kernel, found nothing named @relu}}
  %0 = heddle.launch @relu(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func private @relu(tensor<?x4xf32>) -> tensor<?x4xf32>

func.func @negative_launch_c1_symbol(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{expected a heddle.kernel, found nothing named @relu}}
  %0 = heddle.launch @relu(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

// expected-note @+1 {{the kernel}}
heddle.kernel @relu(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = heddle.activation relu %x : tensor<?x4xf32>
  heddle.yield %y : tensor<?x4xf32>
}

func.func @negative_launch_c2_operand(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{expected the types of the kernel, '(tensor<?x4xf32>) -> tensor<?x4xf32>'}}
  %0 = heddle.launch @relu(%x) : (tensor<?x8xf32>) -> tensor<?x4xf32>
  return
}

// -----

// expected-note @+1 {{the kernel}}
heddle.kernel @relu(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = heddle.activation relu %x : tensor<?x4xf32>
  heddle.yield %y : tensor<?x4xf32>
}

func.func @negative_launch_c2_results(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{expected the types of the kernel, '(tensor<?x4xf32>) -> tensor<?x4xf32>'}}
  heddle.launch @relu(%x) : (tensor<?x4xf32>) -> ()
  return
}

// -----

heddle.kernel @read(%c: !heddle.cache<1 x 4 x 8 x f32>) -> tensor<?x?x32xf32> {
  %k, %v = heddle.cache.read %c layer(0) : !heddle.cache<1 x 4 x 8 x f32>
  heddle.yield %k : tensor<?x?x32xf32>
}

func.func @negative_launch_c3_missing(%c: !heddle.cache<5 x 4 x 8 x f32>) {
  // expected-error @+1 {{expected a layer for the cache}}
  %0 = heddle.launch @read(%c) : (!heddle.cache<5 x 4 x 8 x f32>) -> tensor<?x?x32xf32>
  return
}

// -----

heddle.kernel @read(%c: !heddle.cache<1 x 4 x 8 x f32>) -> tensor<?x?x32xf32> {
  %k, %v = heddle.cache.read %c layer(0) : !heddle.cache<1 x 4 x 8 x f32>
  heddle.yield %k : tensor<?x?x32xf32>
}

func.func @negative_launch_c3_range(%c: !heddle.cache<5 x 4 x 8 x f32>) {
  // expected-error @+1 {{expected a layer below 5, found 5}}
  %0 = heddle.launch @read(%c) layer(5) : (!heddle.cache<5 x 4 x 8 x f32>) -> tensor<?x?x32xf32>
  return
}

// -----

heddle.kernel @append(%c: !heddle.cache<1 x 4 x 8 x f32>) -> !heddle.cache<1 x 4 x 8 x f32> {
  heddle.yield %c : !heddle.cache<1 x 4 x 8 x f32>
}

heddle.kernel @read(%c: !heddle.cache<1 x 4 x 8 x f32>) -> tensor<?x?x32xf32> {
  %k, %v = heddle.cache.read %c layer(0) : !heddle.cache<1 x 4 x 8 x f32>
  heddle.yield %k : tensor<?x?x32xf32>
}

func.func @negative_launch_c4(%cache: !heddle.cache<5 x 4 x 8 x f32>) {
  // expected-error @+1 {{expected no use of the cache's old value after this, which changes it in place}}
  %0 = heddle.launch @append(%cache) layer(1)
     : (!heddle.cache<5 x 4 x 8 x f32>) -> !heddle.cache<5 x 4 x 8 x f32>
  // expected-note @+1 {{used here}}
  %1 = heddle.launch @read(%cache) layer(1)
     : (!heddle.cache<5 x 4 x 8 x f32>) -> tensor<?x?x32xf32>
  return
}
