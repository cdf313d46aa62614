// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_rotary_c1(%x: tensor<?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{operand #0 must be 3D tensor with static channels}}
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) positions(512) base(10000.0)
     : tensor<?x64xf32>
  return
}

// -----

func.func @negative_rotary_c2_divides(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected heads that divide 64 channels into an even number, found 7}}
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(7) positions(512) base(10000.0)
     : tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_rotary_c2_even(%x: tensor<?x?x24xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected heads that divide 24 channels into an even number, found 8}}
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) positions(512) base(10000.0)
     : tensor<?x?x24xf32>
  return
}

// -----

func.func @negative_rotary_c2_zero(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected heads that divide 64 channels into an even number, found 0}}
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(0) positions(512) base(10000.0)
     : tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_rotary_c3(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected a finite base of at least 1, found 0.0}}
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) positions(512) base(0.0)
     : tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_rotary_c4(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected positions from 1 to 1073739776, found -1}}
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) positions(-1) base(10000.0)
     : tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_rotary_c4_count(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected positions from 1 to 1073739776, found 1073739777}}
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) positions(1073739777) base(10000.0)
     : tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_rotary_c4_bytes(%x: tensor<?x?x256xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected positions whose rotary table takes at most 268435456 bytes, found 134152193 that take 268435968}}
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(2) positions(134152193) base(10000.0)
     : tensor<?x?x256xf32>
  return
}

// -----

func.func @rotary_c4_bytes(%x: tensor<?x?x256xf32>, %starts: tensor<?xi32>) {
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(2) positions(134152192) base(10000.0)
     : tensor<?x?x256xf32>
  return
}

// -----

func.func @negative_rotary_c2_rotated(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected heads that divide 64 channels, found 7}}
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(7) rotated(2) positions(512) base(10000.0)
     : tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_rotary_c5_odd(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected an even number from 2 to 8 of rotated channels, found 3}}
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) rotated(3) positions(512) base(10000.0)
     : tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_rotary_c5_most(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected an even number from 2 to 8 of rotated channels, found 10}}
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) rotated(10) interleaved positions(512) base(10000.0)
     : tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_rotary_c5_zero(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected an even number from 2 to 8 of rotated channels, found 0}}
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) rotated(0) positions(512) base(10000.0)
     : tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_rotary_c6_dynamic(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected more than 2 channels that rotate, which dynamic scaling divides by, found 2}}
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) rotated(2) positions(512) base(10000.0)
       scaling(<dynamic, factor = 2.0, original = 128, length = 512>)
     : tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_rotary_c6_yarn(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected a base above 1, whose logarithm yarn divides by, found 1.0}}
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) positions(512) base(1.0)
       scaling(<yarn, factor = 2.0, original = 128>)
     : tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_rotary_c6_longrope(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // expected-error @+1 {{expected a short_factor of 4 numbers, one for each pair of channels, found 1}}
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) positions(512) base(10000.0)
       scaling(<longrope, factor = 2.0, original = 128, length = 512, short_factor = [1.0], long_factor = [1.0]>)
     : tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_rotary_c7_two(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>, %ids: tensor<?x?xi32>, %cos: tensor<?x?x4xf32>, %half: tensor<?x?x4xf16>) {
  // expected-error @+1 {{expected at most one of 'at', 'position_ids', and 'cosines' with 'sines'}}
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) position_ids(%ids : tensor<?x?xi32>) heads(8) positions(512) base(10000.0)
     : tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_rotary_c7_sines(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>, %ids: tensor<?x?xi32>, %cos: tensor<?x?x4xf32>, %half: tensor<?x?x4xf16>) {
  // expected-error @+1 {{expected at most one of 'at', 'position_ids', and 'cosines' with 'sines'}}
  %0 = heddle.rotary %x cosines(%cos : tensor<?x?x4xf32>) heads(8) : tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_rotary_c8_base(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>, %ids: tensor<?x?xi32>, %cos: tensor<?x?x4xf32>, %half: tensor<?x?x4xf16>) {
  // expected-error @+1 {{expected 'positions' and 'base' where no cosines are given}}
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) positions(512) : tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_rotary_c8_given(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>, %ids: tensor<?x?xi32>, %cos: tensor<?x?x4xf32>, %half: tensor<?x?x4xf16>) {
  // expected-error @+1 {{expected no 'positions', 'base' or 'scaling' where cosines are given}}
  %0 = heddle.rotary %x cosines(%cos : tensor<?x?x4xf32>) sines(%cos : tensor<?x?x4xf32>) heads(8) base(10000.0) : tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_rotary_c8_scaling(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>, %ids: tensor<?x?xi32>, %cos: tensor<?x?x4xf32>, %half: tensor<?x?x4xf16>) {
  // expected-error @+1 {{expected no 'positions', 'base' or 'scaling' where cosines are given}}
  %0 = heddle.rotary %x cosines(%cos : tensor<?x?x4xf32>) sines(%cos : tensor<?x?x4xf32>) heads(8) scaling(<linear, factor = 4.0>) : tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_rotary_c9_types(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>, %ids: tensor<?x?xi32>, %cos: tensor<?x?x4xf32>, %half: tensor<?x?x4xf16>) {
  // expected-error @+1 {{expected cosines and sines of one type, found 'tensor<?x?x4xf32>' and 'tensor<?x?x4xf16>'}}
  %0 = heddle.rotary %x cosines(%cos : tensor<?x?x4xf32>) sines(%half : tensor<?x?x4xf16>) heads(8) : tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_rotary_c9_pairs(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>, %ids: tensor<?x?xi32>, %cos: tensor<?x?x4xf32>, %half: tensor<?x?x4xf16>) {
  // expected-error @+1 {{expected a cosine for each of 8 pairs of channels, found 4}}
  %0 = heddle.rotary %x cosines(%cos : tensor<?x?x4xf32>) sines(%cos : tensor<?x?x4xf32>) heads(4) : tensor<?x?x64xf32>
  return
}
