// Slices that stay within their input for every n, which takes more than a look at
// coefficients, and ones that do not for some n.
// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes | FileCheck %s

// CHECK-LABEL: func.func @first_few
func.func @first_few(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32> {
  %y = heddle.slice %x offsets [0] sizes ["min(n, 5)"] steps [1] : tensor<?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @last_few
func.func @last_few(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32> {
  %y = heddle.slice %x offsets ["n - min(n, 4)"] sizes ["min(n, 4)"] steps [1] : tensor<?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @middle
func.func @middle(%x: tensor<?xf32> {heddle.sizes = ["2 * n"]}) -> tensor<?xf32> {
  %y = heddle.slice %x offsets ["floordiv(n, 2)"] sizes ["n"] steps [1] : tensor<?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @rest_of_blocks
func.func @rest_of_blocks(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32> {
  %y = heddle.slice %x offsets ["n - mod(n, 8)"] sizes ["mod(n, 8)"] steps [1] : tensor<?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// 1 element, at 2.
func.func @negative_middle(%x: tensor<?xf32> {heddle.sizes = ["2 * n"]}) -> tensor<?xf32> {
  // expected-error @+1 {{expected elements of dimension 0 from 0 to 2 * n - 1, found}}
  %y = heddle.slice %x offsets ["ceildiv(n, 2) + 1"] sizes ["n"] steps [1] : tensor<?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// 5 elements, where n is 4.
func.func @negative_few(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32> {
  // expected-error @+1 {{expected elements of dimension 0 from 0 to n - 1, found}}
  %y = heddle.slice %x offsets [0] sizes ["max(n, 5)"] steps [1] : tensor<?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// 8 elements, where n is 7.
func.func @negative_blocks(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32> {
  // expected-error @+1 {{expected elements of dimension 0 from 0 to n - 1, found}}
  %y = heddle.slice %x offsets [0] sizes ["8 * ceildiv(n, 8)"] steps [1] : tensor<?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
