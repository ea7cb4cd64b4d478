// Helpers that run `mxgold quantize` and look into its output.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "cli/files/tensor_file.hpp"
#include "tests/cli/files/byte_builder.hpp"
#include "tests/cli/program/program.hpp"

namespace mx::cli::test {

/// The words of a tensor of an open file; a missing tensor fails the test.
inline std::vector<std::uint64_t> words_of(const TensorFile& file, const std::string& name) {
  std::vector<std::uint64_t> result;
  const Tensor* const tensor = file.find(name);
  EXPECT_NE(tensor, nullptr) << name;
  if (tensor == nullptr || tensor->elements == 0) return result;
  const std::size_t size = tensor->data.size() / tensor->elements;
  for (std::uint64_t i = 0; i < tensor->elements; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, tensor->data.data() + i * size, size);
    result.push_back(word);
  }
  return result;
}

/// Runs quantize on a file and opens the result; a failure of the program fails the test.
inline TensorFile quantize(const Scratch& scratch, const std::string& input,
                           const std::vector<std::string>& options,
                           const std::string& output = "out.safetensors") {
  std::vector<std::string> arguments = {"quantize", input, "-o", scratch.path(output)};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const ProgramEnd outcome = run_program(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return TensorFile::open(scratch.path(output));
}

using Words = std::vector<std::uint64_t>;

}  // namespace mx::cli::test
