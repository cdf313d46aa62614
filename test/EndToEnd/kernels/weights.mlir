// Weights of every rank, as operands, tables and columns of contractions.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified scaled as a whole
// CHECK: verified projected as a whole
// CHECK: verified part as a whole
// CHECK: verified rows as a whole
// CHECK: verified constants as a whole

heddle.weight @factor = dense<0.5> : tensor<f32>
heddle.weight @bias = dense_resource<bias> : tensor<3x5x7xf32>
heddle.weight @heads = dense_resource<heads> : tensor<3x4x35xf32>

func.func @scaled(%x: tensor<?x3x5x7xf32> {heddle.sizes = ["n"]}) -> tensor<?x3x5x7xf32> {
  %f = heddle.weight_ref @factor : tensor<f32>
  %b = heddle.weight_ref @bias : tensor<3x5x7xf32>
  %y = heddle.generic over ["n", 3, 5, 7]
      ins(%x, %f, %b : tensor<?x3x5x7xf32>, tensor<f32>, tensor<3x5x7xf32>)
      maps [affine_map<(n, h, i, j) -> (n, h, i, j)>, affine_map<(n, h, i, j) -> ()>,
            affine_map<(n, h, i, j) -> (h, i, j)>] {
  ^bb0(%e: f32, %factor: f32, %bias: f32):
    %0 = arith.mulf %e, %factor : f32
    %1 = arith.addf %0, %bias : f32
    heddle.yield %1 : f32
  } : tensor<?x3x5x7xf32>
  return %y : tensor<?x3x5x7xf32>
}

// y[n, h, o] = sum_i x[n, i] w[h, o, i]: a projection into heads
func.func @projected(%x: tensor<?x35xf32> {heddle.sizes = ["n"]}) -> tensor<?x3x4xf32> {
  %w = heddle.weight_ref @heads : tensor<3x4x35xf32>
  %y = heddle.generic over ["n", 3, 4] reduce [35] initial [0.0 : f32]
      ins(%x, %w : tensor<?x35xf32>, tensor<3x4x35xf32>)
      maps [affine_map<(n, h, o, i) -> (n, i)>, affine_map<(n, h, o, i) -> (h, o, i)>] {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<?x3x4xf32>
  return %y : tensor<?x3x4xf32>
}

// A part of the matrix: heads 1 and 2, and inputs 3 to 33.
func.func @part(%x: tensor<?x31xf32> {heddle.sizes = ["n"]}) -> tensor<?x2x4xf32> {
  %w = heddle.weight_ref @heads offsets [1, 0, 3] : tensor<2x4x31xf32>
  %y = heddle.generic over ["n", 2, 4] reduce [31] initial [0.0 : f32]
      ins(%x, %w : tensor<?x31xf32>, tensor<2x4x31xf32>)
      maps [affine_map<(n, h, o, i) -> (n, i)>, affine_map<(n, h, o, i) -> (h, o, i)>] {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}

func.func @rows(%ids: tensor<4xi32>) -> tensor<4x5x7xf32> {
  %b = heddle.weight_ref @bias : tensor<3x5x7xf32>
  %y = heddle.gather %b, %ids axis(0) : tensor<3x5x7xf32>, tensor<4xi32> -> tensor<4x5x7xf32>
  return %y : tensor<4x5x7xf32>
}

func.func @constants(%x: tensor<2x2x2xf32>) -> tensor<2x2x2xf32> {
  %c = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]>
      : tensor<2x2x2xf32>
  %y = arith.mulf %x, %c : tensor<2x2x2xf32>
  return %y : tensor<2x2x2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      bias: "0x04000000193da13a2df5983ecc5b8cbed4fd63bf9ccae8be8cdc7dbf2359763d2c8cab3f7e02fcbe71d71ebf94ccfa3ee5b9b63e6de3d73d27336ebf85a1efbc64ff313f390facbf9d4ceabe445bf3bf930fa5bff9bdebbfbbbb70beb03ba2bf29e38a3e5b83203ed36a3fbe971221c0c7e709bfeda846bd8b0ee83d7ddbc3bf149cf4be3a807abff50f4fbf87cb873f98ba4ebf7b3505bd6067623fd76615bffec3e4bd063be23d05a0823da1ce9cbf69ef9b3dededad3fd608c6bf81005c3fe26ff43d673724bfd30600407423433f4c8299bff79b983deea1133f1a5041be35d32e3f3c3a88bdbcd02a3f8221b83f34f82cbf9103503ea736edbea752023efef597bf1c4d14bf99e748be6415663fa296923f5c69a9bfaf6d4bbf769b253f9d07ffbf9a24edbe5e3ec7bddee5a03fc67c303f8488a7befbb5bcbe9d1980be0303c33f1626dbbeff7b9bbe8e86b43e7f56f7bde0044abec1998ebf8ac43cbc141de3bead43953fcf30273fd4c8c5bc051b2b3f6203aebe14ac863fcceeb0bb8c58153ffd3ba5bf0c80b13e1317d8bfd44202c065e49bbea86166bf75fd273e18aa0f40cfeb54bf",
      heads: "0x04000000c4ba1fbf6955523e3d6cfc3ecba334be67df52be9dd4333fab18053f7d4f84bfd129a2bdf188103d5af986bfa109853e09a35bbf5dd9783f2f5f453e52e6b63da24d17bfb5e9f2bd27b6ffbff6d190bf23c6b93e713a08c056bb583f1780dfbf9db9413f7e7258bff66b473f1318063e02b7c4bf1be49f3fdc89b83fb9c486bdc13e8cbe2ab423be95a379bf7e9e8c3ff7fa0abf0aad51bd79154bbf544620bf7f8ca3bfa6e7a03f22c91dbea446773f694f5a3c6ec431bf4a43a7be4d6b0fbfe266023cfa22c0be578f99be2375b0bf748d4ebf28b8d33ff1d52bbf8cec86bf09b6ac3e7f21b43f781dbabfc08655be32ce21bf1669e1bf28243c3f760dc0bc1a50923d7c9740bf78d9e83e640f0abf385512be7ddb8dbf41a99bbfb5f2aa3f9dd101bf2157953ed7670abdc9dde1bebb0902bf184d213f648e9abe0b141bbefc09b63cd397963ff8352e3f2fe4c33e374610bf5ae4b0bf6514733f1469773fdd1510bee6b80a3fa70c483f81c8543fcadf6b3fb746e9bea2eac13f5d909fbfe2995c3faae4fc3e81a55f3f5883f03f4f02be3f289592bf6426d8bfa41f513fedeb81bff93f4bbc61f8563ff467d2bfeb0907c0d7c2843efbcd353dcdb37bbea1d61d3dc04a5cbf2fbac1bf92a72abee7c178bf995dd2bf5174013f217d7bbd8224d03e6f427dbf8a7628bf49c17fbff6fa62bf0319483e067148bf524eb63e7df4ad3e3d9c0140e946b2bf924d633f7745b7bdf4dc65bc2395b9bf869eebbe2d423e3f6ceaa8bdd5ffa53dd1d894bef1c8933f3de7afbc9cd30cc0ab2b31bf8701fcbf911750c0a4b507bf17b2aa3fcd00413dfa1596bfb5d170bfefb7903fe068213eda9a443dc0fa5abd98491d3d112f4e3f0d750d3fb1e15c3eb67c85bf06d8023fd12a2fbf23038c3fcbb1a2bf83ec0cbec71df1bbfc8da9bf9169dc3f9ceeba3fda5aedbe858f453fd4e1c13e8f4427c02b34803eee437bbddc6daa3d0ad789bfdbe789be778936be7913983f063aab3ef906b6bb4ab5c33fba240ebf6963c7be6e8be8bf76d8c83f7cde763f8eb66a3fee3c2b3f9595e13d22a95c3e020781bea17c50be776d5e3da183c13f90410e3fe3736fbd0a5314bf438f22bf7025cd3f42b6013ff2578a3dbf3eb1be76f58dbfb6ee88bd0ea85f3fa4fac8be48b268bed45662be0373e03dc8e7cbbf440c71beaab95abf2a74623ff44545bf56b9133fc420c33fb08fa0bee7001abfd106443e6ff904bba45d7ebfa1fdeb3e37fe0040412784bec7be4fbe55c085bf905fa33eeb9c9fbfeaaf8dbf23cca33fc6cb67bfed698a3f2a1ec33f70c6843e0fab0d3f5ce3f93f2c7349be3acf17bfad36adbf0bd52a3d9954bd3f0ba8753fe42c71bfe2f95abf5e1101bf29a4953e293d52bed1995b3e39ee973edaf898be6e8d24bdf48c533e4ff8abbdbee6003fdb78ef3f7f8b173f9999643dbcd2d7bf50a2c63ec22cf9bf3b5bb4bfa3c95a3fd2cb343f9c8919bea5e1dabf6521bebecbc12dbfff07233fa87e104007235e3eef8047bfa2d495bf1ec365bd460935befb6493bfa74bee3d225193bf88598e3fef04883f21d98a3fbeb6f2be9fb7033f3a3d07be6012c7be80a4adbe125da6bf87d0b8bf37584b3f37d343be7a9e5d3e0c38803f49d7ddbfc0bc48bffa8a333ea6c0c83ee70fc1be25bc833fc571573e1b509bbf89466ebf5a334e3f517bed3e7014f3bfd681ac3f4d18193faaf2ab3f7174c4bece6697bebf2f90bf0e5d224046aa33be4a34cb3ff5b425bffcc5273ee1eed5bf2a07c4be5dd77b3f2439a0bfc13e893f6faaac3e2fa085bfae6800bfa80aebbecad44abdbb4009bf24c953bfebf29bbe1f7183bf350fa5bfb45445bd0c04623f74c2c3bf04e9653b876326bf34267abfe47a5a3fc5a604bf59c8bf3f8da347bf97e3c53ee0bc68be930741bfdf71163fc0b31ebe026c1a3fbdb441bd07fc8abfae09d1bdf2ce543dd45d753f3f0168bf571821bd8666dcbf40c8263f096e8abfca36e7bf5a8d72bd16878d3f1421c3bfc0448bbf43473ebf599390bf5f44c23ea2af4ebf31b538bf8153153f686941bf5a95dd3eb3ac78bf5b279bbf01f0eabfe53bee3ffef8a3beabc9793e8a5bfebc04cd233e0d844b3d7540f43f8cfb84bfeb5ac7bfe58781bfbfd7aabfe8383f3f4e04523fc71876bfcdf9b1bfe8a7b5be5910b23fd37334c003d1063f59b289bfc02a853f69f989bf062292bec1cdc0bf922d7abf2d63b13f7211523f73a7cdbe9ec35ebf4668f2bf5f8dc9bed128fdbcb124acbdfb15c0bd75978fbf9aba87bdfa671ebd2331a53f1ff1ee3fda460cbea02c44bf5a1585bd118d1bbf24103ebf243b70bd008b85bfd0291b3f"
    }
  }
#-}
