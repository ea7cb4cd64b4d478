// Every fast path that computes on this machine's processor, as calls on fixed inputs.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace mx::fast::test {

/// Makes a plan, calls it and returns every byte that it wrote; the inputs are the same each time.
struct Path {
  std::string name;
  std::function<std::vector<std::byte>()> call;
};

/// By vectors: blocks, single values, drawn or not, there and back, under every rule, and Hadamard
/// transforms. Empty in a build without the kernels.
[[nodiscard]] std::vector<Path> vector_paths();

/// The CUDA path's arithmetic on the host: blocks, words, NVFP4 under every rule, there and back.
[[nodiscard]] std::vector<Path> cuda_host_paths();

}  // namespace mx::fast::test
