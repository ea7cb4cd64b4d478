// Runs mxgold with --json and reads what it prints.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program/program.hpp"

namespace mx::cli::test {

/// A failure of the program fails the test.
[[nodiscard]] inline nlohmann::json run_json(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const ProgramEnd outcome = run_program(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out, nullptr, false);
}

}  // namespace mx::cli::test
