// SPDX-License-Identifier: Apache-2.0
// Who computes a tensor is held beside the reference once, not once a tensor.
#include "cli/tensors/backend.hpp"

#include <gtest/gtest.h>

namespace mx::cli {
namespace {

struct Worker {
  int* checks = nullptr;
  std::string problem;

  [[nodiscard]] std::string self_check() const {
    ++*checks;
    return problem;
  }
  [[nodiscard]] std::string path() const { return "cpu"; }
  [[nodiscard]] std::string why_reference() const { return ""; }
};

TEST(Backend, ChecksAWorkerOnceForWhatItComputes) {
  const BackendOptions options;
  int checks = 0;
  const auto ready = [&](const char* tensor, const char* what) {
    static_cast<void>(options.ready<Worker>(Worker{&checks, ""}, tensor, what));
  };
  ready("a", "blocks of fp32");
  ready("b", "blocks of fp32");
  EXPECT_EQ(checks, 1);
  ready("c", "blocks of bf16");
  ready("d", "values");
  ready("e", "blocks of fp32");
  EXPECT_EQ(checks, 3);
}

TEST(Backend, AWrongWorkerComputesNothing) {
  const BackendOptions options;
  int checks = 0;
  EXPECT_THROW(
      static_cast<void>(options.ready<Worker>(Worker{&checks, "differs"}, "a", "blocks of fp32")),
      Error);
}

}  // namespace
}  // namespace mx::cli
