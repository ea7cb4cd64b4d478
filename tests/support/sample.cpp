// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sample.hpp"

#include <cstdlib>
#include <iostream>
#include <string_view>

namespace mx::test {
namespace {

constexpr std::uint64_t kSeed = 0x6D78676F6C64;

}  // namespace

bool runs_whole() {
  static const bool is_whole = [] {
    const char* const all = std::getenv("MX_ALL");
    const bool whole = all != nullptr && std::string_view(all) == "1";
    if (!whole) {
      std::cout << "parts of the products, drawn by seed 0x" << std::hex << kSeed << std::dec
                << "; MX_ALL=1 compares all\n";
    }
    return whole;
  }();
  return is_whole;
}

std::uint64_t random_number(std::uint64_t index) {
  std::uint64_t x = kSeed + (index + 1) * 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

bool Part::takes_all(std::initializer_list<std::uint64_t> values) {
  bool is_taken = runs_whole() || random_number(offered_++) % of_ == 0;
  std::size_t place = 0;
  for (const std::uint64_t value : values) is_taken |= !taken_.contains({place++, value});
  if (!is_taken) return false;
  place = 0;
  for (const std::uint64_t value : values) taken_.insert({place++, value});
  return true;
}

}  // namespace mx::test
