// Rows of experts, grouped by these: tails of panels and of groups, biases, inputs that each
// choice has for itself, one token of each sequence, an expert for all, and no tokens.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: python3 %S/../Inputs/random_weights.py %s weights
// RUN: heddlec %s --weights=weights --verify --quiet -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --weights=weights --verify --target-cpu=x86-64-v3 --quiet -o kernel.o | FileCheck %s %}
// CHECK-COUNT-6: verified {{.*}} as a whole

// PoCL takes half a minute for these kernels: on a device with --slow alone.
// UNSUPPORTED: brief

// Matrices are in panels, and no kernel copies those that are chosen.
// RUN: heddlec %s --weights=weights --emit=kernels --quiet | FileCheck %s --check-prefix=PANELS
// PANELS-LABEL: func.func @layer
// PANELS: heddle.weight_ref @gate layout(<panels of {{[0-9]+}} along 1>)
// PANELS: heddle.weight_ref @down layout(<panels of {{[0-9]+}} along 1>)
// PANELS-NOT: -> tensor<{{.*}}x72x37xf32

// Integers are chosen before they are decoded, and multiplied as integers with what shares their
// scales.
// RUN: %if slow %{ heddlec %s --weights=weights --weight-type=int8 --verify --quiet -o kernel.o | FileCheck %s %}
// RUN: %if slow %{ heddlec %s --weights=weights --weight-type=int4 --verify --quiet -o kernel.o | FileCheck %s %}
// RUN: %if slow && !device %{ heddlec %s --weights=weights --weight-type=int8 --arithmetic=int16 --verify --quiet -o kernel.o | FileCheck %s %}
// RUN: %if !device %{ heddlec %s --weights=weights --weight-type=int8 --arithmetic=int8 --verify --quiet -o kernel.o | FileCheck %s %}
// RUN: %if slow && !device %{ heddlec %s --weights=weights --weight-type=int4 --arithmetic=int8 --verify --quiet -o kernel.o | FileCheck %s %}
// RUN: %if slow && !device %{ heddlec %s --weights=weights --weight-type=int4 --arithmetic=int16 --target-cpu=x86-64-v3 --verify --quiet -o kernel.o | FileCheck %s %}

// RUN: heddlec %s --weights=weights --weight-type=int4 --emit=kernels --quiet | FileCheck %s --check-prefix=HALVES

// Where bytes are multiplied, matrices lose their signs, and one kernel subtracts what is too much.
// RUN: heddlec %s --weights=weights --weight-type=int8 --arithmetic=int8 --target-cpu=icelake-server --emit=kernels --quiet \
// RUN:   | FileCheck %s --check-prefix=BYTES
// BYTES-LABEL: func.func @own
// BYTES: heddle.weight_ref @narrow.offset_binary layout(<panels of 32 along 1 groups of 4>) : tensor<3x40x64xui8>
// BYTES: heddle.launch @[[PRODUCT:own_expert_linear_generic[^(]*]](
// BYTES: heddle.kernel @[[PRODUCT]]({{.*}}x16x64xi8{{.*}}#heddle.product_tiles<rows = 8, columns = 32
// BYTES: #heddle.contraction<rows(0, 1) columns(2, 3) i32 sums of 64>
// BYTES: arith.subf
// BYTES: heddle.yield

// HALVES-LABEL: func.func @shared
// HALVES: heddle.weight_ref @narrow.quantize layout(<panels of {{[0-9]+}} along 1>) : tensor<3x40x64xi4>
// HALVES: heddle.kernel @shared_expert_linear
// HALVES: heddle.choice

// Weights that are stored in fewer bits are chosen as they are stored.
// RUN: heddlec %s --weights=weights --weight-type=bf16 --emit=kernels --quiet | FileCheck %s --check-prefix=NARROW
// NARROW: heddle.weight_ref @gate.cast layout(<panels of {{[0-9]+}} along 1>) : tensor<5x72x37xbf16>
// NARROW: heddle.choice

heddle.weight @router from "router" : tensor<5x37xf32>
heddle.weight @gate from "gate" : tensor<5x72x37xf32>
heddle.weight @up from "up" : tensor<5x72x37xf32>
heddle.weight @down from "down" : tensor<5x37x72xf32>
heddle.weight @narrow from "narrow" : tensor<3x40x64xbf16>
heddle.weight @single.w from "single" : tensor<1x40x64xf32>
heddle.weight @bias from "bias" : tensor<3x40xbf16>

func.func @layer(%x: tensor<?x?x37xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x37xf32> {
  %r = heddle.weight_ref @router : tensor<5x37xf32>
  %g = heddle.weight_ref @gate : tensor<5x72x37xf32>
  %u = heddle.weight_ref @up : tensor<5x72x37xf32>
  %d = heddle.weight_ref @down : tensor<5x37x72xf32>
  %y = heddle.mixture_of_experts silu %x router(%r) experts(%g, %u, %d) top(2) normalized
      : tensor<?x?x37xf32>, tensor<5x37xf32>, tensor<5x72x37xf32>, tensor<5x72x37xf32>, tensor<5x37x72xf32>
  return %y : tensor<?x?x37xf32>
}

func.func @step(%x: tensor<?x1x37xf32> {heddle.sizes = ["batch"]}) -> tensor<?x1x37xf32> {
  %r = heddle.weight_ref @router : tensor<5x37xf32>
  %g = heddle.weight_ref @gate : tensor<5x72x37xf32>
  %u = heddle.weight_ref @up : tensor<5x72x37xf32>
  %d = heddle.weight_ref @down : tensor<5x37x72xf32>
  %y = heddle.mixture_of_experts silu %x router(%r) experts(%g, %u, %d) top(3)
      : tensor<?x1x37xf32>, tensor<5x37xf32>, tensor<5x72x37xf32>, tensor<5x72x37xf32>, tensor<5x37x72xf32>
  return %y : tensor<?x1x37xf32>
}

// Numbers of experts that there are not are those of the nearest one.
func.func @shared(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}, %e: tensor<?x2xi32> {heddle.sizes = ["n"]}) -> tensor<?x2x40xf32> {
  %w = heddle.weight_ref @narrow : tensor<3x40x64xbf16>
  %b = heddle.weight_ref @bias : tensor<3x40xbf16>
  %y = heddle.expert_linear %x, %e, %w bias(%b : tensor<3x40xbf16>)
      : tensor<?x64xf32>, tensor<?x2xi32>, tensor<3x40x64xbf16>
  return %y : tensor<?x2x40xf32>
}

func.func @own(%x: tensor<?x2x64xf32> {heddle.sizes = ["n"]}, %e: tensor<?x2xi64> {heddle.sizes = ["n"]}) -> tensor<?x2x40xf32> {
  %w = heddle.weight_ref @narrow : tensor<3x40x64xbf16>
  %y = heddle.expert_linear %x, %e, %w : tensor<?x2x64xf32>, tensor<?x2xi64>, tensor<3x40x64xbf16>
  return %y : tensor<?x2x40xf32>
}

func.func @fixed(%x: tensor<50x37xf32>) -> tensor<50x1x72xf32> {
  %e = arith.constant dense<4> : tensor<50x1xi32>
  %w = heddle.weight_ref @gate : tensor<5x72x37xf32>
  %y = heddle.expert_linear %x, %e, %w : tensor<50x37xf32>, tensor<50x1xi32>, tensor<5x72x37xf32>
  return %y : tensor<50x1x72xf32>
}

// One expert, of whom each choice is.
func.func @single(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}, %e: tensor<?x2xi32> {heddle.sizes = ["n"]}) -> tensor<?x2x40xf32> {
  %w = heddle.weight_ref @single.w : tensor<1x40x64xf32>
  %y = heddle.expert_linear %x, %e, %w : tensor<?x64xf32>, tensor<?x2xi32>, tensor<1x40x64xf32>
  return %y : tensor<?x2x40xf32>
}
