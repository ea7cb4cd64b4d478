#include "cli/quantize/input.hpp"

#include <fmt/format.h>

#include <charconv>

#include "cli/base/error.hpp"
#include "cli/text/names.hpp"

namespace mx::cli {
namespace {

/// The axis that the values were transformed along, as it was said: the last one by default.
std::int64_t axis_of(const TensorFile& file, const std::string& path) {
  const auto found = file.metadata().find("axis");
  if (found == file.metadata().end()) return -1;
  const std::string& text = found->second;
  std::int64_t axis = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), axis);
  if (error != std::errc{} || stop != text.data() + text.size()) {
    fail(Exit::kBadInput, "{}: header: '__metadata__', field 'axis', value {}: not a whole number",
         path, printable(text));
  }
  return axis;
}

}  // namespace

Origin origin_of_input(const QuantizeOptions& options, const TensorFile& file) {
  Origin origin = origin_of_values(options.input, file.metadata());
  tell_open("quantize", origin);
  return origin;
}

void keep_transform(const TensorFile& file, const Origin& values,
                    const std::vector<QuantizeJob>& jobs, Recipe& recipe) {
  if (!values.hadamard) return;
  const std::string what = transform_text(values);
  if (recipe.hadamard) {
    fail(Exit::kUsage,
         "--hadamard: {} is {} already; leave it out, or dequantize with --undo-hadamard first",
         values.path, what);
  }
  if (!takes_hadamard(recipe)) {
    fail(Exit::kUsage,
         "{} is {}: its codes need blocks of a multiple of 16 elements along that axis, of which "
         "{} has none; dequantize with --undo-hadamard first",
         values.path, what, recipe.format.name);
  }
  const std::int64_t axis = axis_of(file, values.path);
  for (const QuantizeJob& job : jobs) {
    const auto rank = static_cast<std::int64_t>(job.tensor->shape.size());
    const auto from_first = [&](std::int64_t any) { return any < 0 ? any + rank : any; };
    if (from_first(axis) == from_first(recipe.axis)) continue;
    fail(Exit::kUsage,
         "--axis: {} is {} along axis {}, where tensor {} needs its blocks too; dequantize with "
         "--undo-hadamard first for another axis",
         values.path, what, axis, printable(job.tensor->name));
  }
  recipe.hadamard = values.hadamard;
  fmt::print(stderr, "mxgold quantize: {} is {}; so are its codes\n", values.path, what);
}

}  // namespace mx::cli
