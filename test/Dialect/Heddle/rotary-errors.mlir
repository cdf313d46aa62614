// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_rotary_c1(%x: tensor<?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{operand #0 must be 3D tensor with static channels}}
  %0 = heddle.rotary %x at(%starts) heads(8) positions(512) base(10000.0)
     : tensor<?x64xf32>, tensor<?xi32>
  return
}

// -----

func.func @negative_rotary_c2_divides(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected heads that divide 64 channels into an even number, found 7}}
  %0 = heddle.rotary %x at(%starts) heads(7) positions(512) base(10000.0)
     : tensor<?x?x64xf32>, tensor<?xi32>
  return
}

// -----

func.func @negative_rotary_c2_even(%x: tensor<?x?x24xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected heads that divide 24 channels into an even number, found 8}}
  %0 = heddle.rotary %x at(%starts) heads(8) positions(512) base(10000.0)
     : tensor<?x?x24xf32>, tensor<?xi32>
  return
}

// -----

func.func @negative_rotary_c2_zero(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected heads that divide 64 channels into an even number, found 0}}
  %0 = heddle.rotary %x at(%starts) heads(0) positions(512) base(10000.0)
     : tensor<?x?x64xf32>, tensor<?xi32>
  return
}

// -----

func.func @negative_rotary_c3(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected a finite positive base, found 0.0}}
  %0 = heddle.rotary %x at(%starts) heads(8) positions(512) base(0.0)
     : tensor<?x?x64xf32>, tensor<?xi32>
  return
}

// -----

func.func @negative_rotary_c4(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected positions from 1 to 1073739776, found -1}}
  %0 = heddle.rotary %x at(%starts) heads(8) positions(-1) base(10000.0)
     : tensor<?x?x64xf32>, tensor<?xi32>
  return
}

// -----

func.func @negative_rotary_c4_count(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected positions from 1 to 1073739776, found 1073739777}}
  %0 = heddle.rotary %x at(%starts) heads(8) positions(1073739777) base(10000.0)
     : tensor<?x?x64xf32>, tensor<?xi32>
  return
}

// -----

func.func @negative_rotary_c4_bytes(%x: tensor<?x?x256xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected positions whose rotary table takes at most 268435456 bytes, found 134152193 that take 268435968}}
  %0 = heddle.rotary %x at(%starts) heads(2) positions(134152193) base(10000.0)
     : tensor<?x?x256xf32>, tensor<?xi32>
  return
}

// -----

func.func @rotary_c4_bytes(%x: tensor<?x?x256xf32>, %starts: tensor<?xi32>) {
  %0 = heddle.rotary %x at(%starts) heads(2) positions(134152192) base(10000.0)
     : tensor<?x?x256xf32>, tensor<?xi32>
  return
}
