#include "reference/unit/chunks.hpp"

#include <algorithm>

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/unit/terms.hpp"

namespace mx {
namespace {

/// Elements [first, end) of an operand, with their scales.
DotOperand part(const DotOperand& whole, const UnitSide& side, std::size_t first, std::size_t end) {
  DotOperand cut = whole;
  cut.codes = whole.codes.subspan(first, end - first);
  if (!side.scale) return cut;
  const auto block = static_cast<std::size_t>(side.scale->block_size);
  cut.scales = whole.scales.subspan(first / block, (end - first + block - 1) / block);
  return cut;
}

}  // namespace

std::string_view ChunkedDot::problem(const UnitConfig& config, std::size_t chunk) {
  if (const std::string_view why = UnitDot::size_problem(config, chunk); !why.empty()) return why;
  for (const UnitSide* const side : {&config.a, &config.b}) {
    if (side->scale && chunk % static_cast<std::size_t>(side->scale->block_size) != 0) {
      return "a chunk has whole blocks of scales";
    }
  }
  return {};
}

Checked<ChunkedDot> ChunkedDot::make(const UnitConfig& config, std::size_t chunk) {
  const Checked<UnitDot> dot = UnitDot::make(config);
  if (!dot) return Problem{std::string(dot.problem())};
  if (const std::string_view why = problem(config, chunk); !why.empty()) {
    return Problem{std::string(why)};
  }
  return ChunkedDot(dot.value(), chunk);
}

std::uint64_t ChunkedDot::operator()(const DotOperand& a, const DotOperand& b) const {
  const UnitConfig& config = dot_.config();
  const Arithmetic addition = Arithmetic::ieee(config.result);
  std::uint64_t total = 0;
  for (std::size_t first = 0; first < a.codes.size(); first += chunk_) {
    const std::size_t end = std::min(first + chunk_, a.codes.size());
    const std::uint64_t sum = dot_(part(a, config.a, first, end), part(b, config.b, first, end), 0);
    if (first == 0) {
      total = sum;
      continue;
    }
    total = addition.add(total, sum).code;
    if (decode(config.result, total).cls == ValueClass::kNan) {
      total = unit::nan_code(config);
    }
  }
  return total;
}

}  // namespace mx
