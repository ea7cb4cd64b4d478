#include "golden/coverpoints/source_points.hpp"

#include <algorithm>

#include "golden/points/gaps.hpp"

namespace mx::golden {
namespace {

/// Codes of which there is one in every class that the format has: ends of the subnormals and of
/// the normal numbers, their neighbours, specials.
std::vector<std::uint64_t> codes_of_all_classes(const ElementFormat& format) {
  const SourceGrid grid(format);
  std::vector<std::uint64_t> codes = grid.nans();
  for (const std::uint64_t code : grid.infinities()) codes.push_back(code);
  const std::uint64_t normal = format.kind == FormatKind::kFloat ? format.man_mask() + 1 : 1;
  for (const std::uint64_t middle : {std::uint64_t{1}, normal, grid.max()}) {
    const std::uint64_t below = std::min<std::uint64_t>(middle, 2);
    for (std::uint64_t i = 0; i <= below + 2; ++i) {
      const std::uint64_t m = middle - below + i;  // the last of all words is followed by 0
      if (m > grid.max()) break;
      for (const bool negative : {false, true}) codes.push_back(grid.code(negative, m));
    }
  }
  return codes;
}

}  // namespace

SourceClasses::SourceClasses(const ElementFormat& format)
    : format_(format),
      has_subnormals_(format.kind == FormatKind::kFloat && format.has_subnormal &&
                      format.man_bits > 0 && format.zero != ZeroKind::kNone) {
  const SourceGrid grid(format);
  const bool starts_at_zero = decode(format, grid.code(false, 0)).cls == ValueClass::kZero;
  smallest_ = decode(format, grid.code(false, starts_at_zero ? 1 : 0));
  largest_ = decode(format, grid.code(false, grid.max()));
  if (has_subnormals_) max_subnormal_ = decode(format, format.man_mask());
  std::ranges::fill(is_empty_, true);
  for (const std::uint64_t code : codes_of_all_classes(format)) {
    is_empty_[index(decode(format, code))] = false;
  }
}

std::string SourceClasses::name(std::size_t index) {
  const std::size_t classes = tokens<SourceClass>().size();
  const bool negative = index >= classes;
  std::string name(1, negative ? '-' : '+');
  return name.append(tokens<SourceClass>()[index % classes].text);
}

SourceClass SourceClasses::kind(const Unpacked& value) const {
  switch (value.cls) {
    case ValueClass::kZero:
      return SourceClass::kZero;
    case ValueClass::kInf:
      return SourceClass::kInfinity;
    case ValueClass::kNan:
      return value.signaling ? SourceClass::kSignalingNan : SourceClass::kQuietNan;
    case ValueClass::kFinite:
      break;
  }
  const auto is = [&](const Unpacked& other) { return compare_magnitude(value, other) == 0; };
  if (has_subnormals_ && value.exponent < format_.emin()) {
    if (is(smallest_)) return SourceClass::kMinSubnormal;
    return is(max_subnormal_) ? SourceClass::kMaxSubnormal : SourceClass::kSubnormal;
  }
  if (is(largest_)) return SourceClass::kMaxNormal;
  const bool is_least = has_subnormals_
                            ? value.exponent == format_.emin() && value.significand << 1 == 0
                            : is(smallest_);
  return is_least ? SourceClass::kMinNormal : SourceClass::kNormal;
}

std::size_t SourceClasses::index(const Unpacked& value) const {
  return static_cast<std::size_t>(kind(value)) +
         (value.negative ? tokens<SourceClass>().size() : 0);
}

bool is_rounded(const ElementFormat& source, const ElementPolicy& policy, const Unpacked& value) {
  if (value.cls == ValueClass::kZero) return true;
  const bool is_subnormal = source.kind == FormatKind::kFloat && value.exponent < source.emin();
  return value.cls == ValueClass::kFinite &&
         !(is_subnormal && policy.src_ftz == SourceSubnormals::kFlush);
}

SourcePoints::SourcePoints(const ElementFormat& format)
    : classes_(format),
      class_point_("source_class", "sign and kind of every source value"),
      exponent_point_("source_exponent", "the exponent of every finite source value") {
  for (std::size_t i = 0; i < SourceClasses::kCount; ++i) {
    const Reach reach = classes_.is_empty(i) ? Reach::kUnreachable : Reach::kOpen;
    class_point_.bins.push_back({SourceClasses::name(i), 0, reach});
  }
  const SourceGrid grid(format);
  const Unpacked first = decode(format, grid.code(false, 0));
  const Unpacked least =
      first.cls == ValueClass::kZero ? decode(format, grid.code(false, 1)) : first;
  least_exponent_ = least.exponent;
  const int last = decode(format, grid.code(false, grid.max())).exponent;
  for (int e = least_exponent_; e <= last; ++e) {
    exponent_point_.bins.push_back({std::to_string(e), 0, Reach::kOpen});
  }
}

void SourcePoints::sample(const Unpacked& value) {
  class_point_.hit(classes_.index(value));
  if (value.cls != ValueClass::kFinite) return;
  // Two's complement has one value beyond the last magnitude.
  const auto bin = static_cast<std::size_t>(value.exponent - least_exponent_);
  if (bin < exponent_point_.bins.size()) exponent_point_.hit(bin);
}

void SourcePoints::append_to(std::vector<Coverpoint>& points) const {
  points.push_back(class_point_);
  points.push_back(exponent_point_);
}

}  // namespace mx::golden
