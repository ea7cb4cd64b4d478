// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sample.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <numeric>

#include "reference/number/philox.hpp"

namespace mx::test {

bool is_whole() { return std::getenv("MX_ALL") != nullptr; }

std::vector<std::size_t> sampled_places(std::size_t count, std::size_t n, std::uint32_t stream) {
  std::vector<std::size_t> places;
  if (is_whole() || n <= 1) {
    places.resize(count);
    std::iota(places.begin(), places.end(), std::size_t{0});
    return places;
  }
  for (std::size_t first = 0; first < count; first += n) {
    const std::size_t width = std::min(n, count - first);
    places.push_back(first + counter_random(kSampleSeed, stream, first, 32) % width);
  }
  std::cout << "sample: " << places.size() << " of " << count << ", one in " << n << ", seed "
            << kSampleSeed << ", stream " << stream << "\n";
  return places;
}

}  // namespace mx::test
