// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_TEST_TEMPORARYFOLDER_H
#define HEDDLE_TEST_TEMPORARYFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace heddle::test {

/// A folder that lives as long as this object.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name =
        std::filesystem::temp_directory_path() / "heddle-test-XXXXXX";
    EXPECT_TRUE(mkdtemp(name.data()));
    folder = name;
  }
  ~TemporaryFolder() {
    std::error_code code;
    std::filesystem::remove_all(folder, code);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;

  const std::string &path() const { return folder; }
  std::string file(const std::string &name) const {
    return folder + "/" + name;
  }
  void write(const std::string &name, std::string_view content) const {
    EXPECT_TRUE(std::ofstream(file(name), std::ios::binary) << content);
  }

private:
  std::string folder;
};

} // namespace heddle::test

#endif // HEDDLE_TEST_TEMPORARYFOLDER_H
