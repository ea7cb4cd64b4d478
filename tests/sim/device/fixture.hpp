// Device files of the tests, right and changed. Compiled devices are kept below the build folder.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/program.hpp"

namespace mx::sim::test {

class DeviceTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    setenv("MXGOLD_CACHE", MX_CACHE, 1);
  }

  /// A device file of the tests with texts replaced, beside which its sources are found.
  [[nodiscard]] std::string variant(
      const std::string& name, const std::vector<std::pair<std::string, std::string>>& changes) {
    std::string text = read(std::string(MX_DEVICES) + "/" + name + ".json");
    const auto replace = [&](const std::string& from, const std::string& to) {
      const std::size_t at = text.find(from);
      ASSERT_NE(at, std::string::npos) << name << " has no " << from;
      text.replace(at, from.size(), to);
    };
    for (const auto& [from, to] : changes) replace(from, to);
    if (text.find("\"modules/") != std::string::npos) {
      replace("\"modules/", std::string("\"") + MX_DEVICES + "/modules/");
    }
    const std::string path = file(fmt::format("{}_{}.json", name, made_++));
    std::ofstream(path) << text;
    return path;
  }

  [[nodiscard]] static std::string device(const std::string& name) {
    return std::string("--dut device:") + MX_DEVICES + "/" + name + ".json";
  }

 private:
  int made_ = 0;
};

}  // namespace mx::sim::test
