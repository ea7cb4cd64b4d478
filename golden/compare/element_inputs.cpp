// The order of element inputs, the inputs worth trying, and conversions without the settings that
// do not matter to them.
#include <algorithm>

#include "golden/compare/element_difference.hpp"
#include "golden/points/gaps.hpp"
#include "golden/points/sort_unique.hpp"
#include "reference/format/table.hpp"

namespace mx::golden {

std::uint64_t simplicity(const ElementFormat& source, std::uint64_t code) {
  const std::uint64_t sign = (code & source.sign_bit()) != 0 ? 1 : 0;
  return (code & source.magnitude_mask()) << 1 | sign;
}

std::vector<std::uint64_t> directed_inputs(const ElementFormat& source,
                                           const ElementFormat& destination, std::size_t limit) {
  const SourceGrid grid(source);
  std::vector<std::uint64_t> magnitudes;
  const auto near = [&](const Unpacked& value) {
    const std::uint64_t at = grid.floor(value);
    magnitudes.push_back(at);
    if (at > 0) magnitudes.push_back(at - 1);
    if (at < grid.max()) magnitudes.push_back(at + 1);
  };
  if (destination.max_code > 0) {
    const FormatGaps ladder(destination);
    for (const Gap& gap : ladder.gaps()) {
      near(start_of(gap));
      near(midpoint(gap));
    }
    near(end_of(ladder.last()));
  }
  sort_unique(magnitudes);
  const std::size_t wanted = std::max<std::size_t>(limit / 2, 1);
  std::vector<std::uint64_t> chosen;
  const std::size_t step = (magnitudes.size() + wanted - 1) / wanted;
  for (std::size_t i = 0; i < magnitudes.size(); ++i) {
    // Neighbours of a threshold stay together.
    if (step <= 1 || (i / 3) % step == 0 || i < 9 || i + 9 >= magnitudes.size()) {
      chosen.push_back(magnitudes[i]);
    }
  }
  for (const std::uint64_t edge :
       {std::uint64_t{0}, std::uint64_t{1}, source.man_mask(), source.man_mask() + 1, grid.max()}) {
    chosen.push_back(edge);
  }
  std::vector<std::uint64_t> codes;
  for (const std::uint64_t magnitude : chosen) {
    codes.push_back(grid.code(false, magnitude));
    codes.push_back(grid.code(true, magnitude));
  }
  for (const std::uint64_t code : grid.infinities()) codes.push_back(code);
  for (const std::uint64_t code : grid.nans()) codes.push_back(code);
  sort_unique(codes);
  std::ranges::sort(codes, {}, [&](std::uint64_t c) { return simplicity(source, c); });
  return codes;
}

namespace {

/// Has the first rounding no effect? Two roundings in one direction are one.
bool stages_nothing(const ConversionConfig& c) {
  const ElementPolicy& p = c.policy;
  if (p.staging == Staging::kViaUnbounded) {
    const bool is_directed = facts_of(p.rounding).kind == RoundingKind::kDirected;
    return c.destination.kind != FormatKind::kFloat ||
           (is_directed && p.dst_ftz != ResultSubnormals::kFlushBeforeRounding);
  }
  const ElementFormat* via = staging_format(p.staging);
  return via != nullptr && holds_all(*via, c.source);
}

}  // namespace

ConversionConfig normalized(const ConversionConfig& conversion) {
  const ElementFormat& to = conversion.destination;
  const ElementPolicy defaults;
  ConversionConfig result = conversion;
  ElementPolicy& p = result.policy;
  p.tininess = defaults.tininess;  // flags only
  if (!is_stochastic(p.rounding)) p.random_bits = defaults.random_bits;
  if (to.zero != ZeroKind::kNone) p.zero_in = defaults.zero_in;
  if (to.zero != ZeroKind::kPosAndNeg) p.zero_sign = defaults.zero_sign;
  if (to.is_signed) p.unsigned_negative = defaults.unsigned_negative;
  if (to.kind != FormatKind::kTwosComplement || !to.is_signed) p.int_min = defaults.int_min;
  if (stages_nothing(conversion)) p.staging = Staging::kNone;
  if (!to.has_nan()) {
    if (p.nan == NanPolicy::kCanonicalPositive) p.nan = NanPolicy::kToPositiveMax;
    if (p.nan == NanPolicy::kKeepSign) p.nan = NanPolicy::kToSignedMax;
  } else if (!to.nan_has_sign() && p.nan == NanPolicy::kKeepSign) {
    p.nan = NanPolicy::kCanonicalPositive;
  }
  if (!to.is_signed && p.nan == NanPolicy::kToMin) p.nan = NanPolicy::kToOppositeZero;  // both 0
  const bool has_quirk = to.zero == ZeroKind::kNone && to.man_bits == 0;
  if (!has_quirk) p.e8m0_quirk = E8m0Quirk::kNone;
  if (p.e8m0_quirk == E8m0Quirk::kOnnxNearest) {
    p.e8m0_quirk = E8m0Quirk::kMldtypesNearest;  // two names of one effect
  }
  return result;
}

}  // namespace mx::golden
