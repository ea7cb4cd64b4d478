#include "golden/coverpoints/result_points.hpp"

#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

constexpr int kMostCodeBits = 10;

}  // namespace

CodePoint::CodePoint(const ElementFormat& format) : point_("code", "every code of the result") {
  if (format.bits > kMostCodeBits) return;
  const int digits = (format.bits + 3) / 4;
  for (std::uint64_t code = 0; code <= format.code_mask(); ++code) {
    point_.bins.push_back({filled("{:0{}X}", code, digits), 0, Reach::kOpen});
  }
}

void CodePoint::sample(std::uint64_t code) {
  if (!point_.bins.empty()) point_.hit(static_cast<std::size_t>(code));
}

void CodePoint::append_to(std::vector<Coverpoint>& points) const {
  if (!point_.bins.empty()) points.push_back(point_);
}

FlagsPoint::FlagsPoint(std::span<const std::string_view> names)
    : names_(names), point_("flags", "every flag set and clear") {
  for (const std::string_view name : names) {
    for (const int value : {0, 1}) {
      point_.bins.push_back({filled("{}={}", name, value), 0, Reach::kOpen});
    }
  }
}

void FlagsPoint::sample(std::uint64_t flags) {
  for (std::size_t bit = 0; 2 * bit < point_.bins.size(); ++bit) {
    point_.hit(2 * bit + (flags >> bit & 1));
  }
}

void FlagsPoint::exclude(const std::function<bool(std::string_view)>& is_impossible) {
  for (std::size_t bit = 0; bit < names_.size(); ++bit) {
    if (is_impossible(names_[bit])) point_.bins[2 * bit + 1].reach = Reach::kUnreachable;
  }
}

}  // namespace mx::golden
