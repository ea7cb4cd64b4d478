// The bench as text: what a device's module is compiled with (sim/bench, and what that includes).
// CMake makes the definition (sim/device/bench_files.cmake).
#pragma once

#include <span>
#include <string_view>

namespace mx::sim {

struct BenchFile {
  std::string_view path;  ///< as include lines spell it
  std::string_view text;
};

[[nodiscard]] std::span<const BenchFile> bench_files();
/// What checks descriptions and writes the tables: a program of another version is another one.
[[nodiscard]] std::span<const BenchFile> maker_files();

}  // namespace mx::sim
