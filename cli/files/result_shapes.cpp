#include "cli/files/result_shapes.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "cli/base/error.hpp"
#include "cli/text/names.hpp"

namespace mx::cli {
namespace {

std::uint64_t product(const Lengths& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{1}, std::multiplies<>());
}

}  // namespace

std::vector<Lengths> result_shapes(const Lengths& a, const Lengths& b) {
  const std::uint64_t rows = product(a), columns = product(b);
  std::vector<Lengths> shapes = {{rows, columns}, a};
  shapes.back().insert(shapes.back().end(), b.begin(), b.end());
  if (rows == 1 || columns == 1) shapes.push_back({rows * columns});
  return shapes;
}

std::vector<Lengths> paired_shapes(const Lengths& a) { return {{product(a)}, a}; }

void require_shape(const std::string& path, const Tensor& tensor, std::string_view what,
                   std::span<const Lengths> shapes) {
  const std::uint64_t count = product(shapes.front());
  if (tensor.elements != count) {
    fail(Exit::kBadInput, "{}: {} {} for {} dot products; give one each", path, tensor.elements,
         what, count);
  }
  if (std::ranges::find(shapes, tensor.shape) != shapes.end()) return;
  fail(Exit::kBadInput, "{}: tensor {}: {} of shape [{}]; give them as [{}], as the products are",
       path, printable(tensor.name), what, fmt::join(tensor.shape, ", "),
       fmt::join(shapes.front(), ", "));
}

}  // namespace mx::cli
