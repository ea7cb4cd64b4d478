// Most elements are finite normal numbers whose result lies inside the destination's range. For
// those the kernel's steps (encode_kernel.hpp) come down to a shift, a decision and an addition on
// constants that hold for the whole array; everything else takes the kernel itself. tests/reference
// compares the paths.
//
// Long arrays of narrow destinations take the tables of rank_table.hpp instead, which know every
// format and every policy.
#include "reference/bulk/element_loop.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "reference/bulk/rank_table.hpp"
#include "reference/element/encode_kernel.hpp"

namespace mx::kernel {
namespace {

/// What the straight path needs of the source, the destination and the scale.
struct Plan {
  bool usable = false;
  std::uint64_t source_sign, source_magnitude, source_hidden, source_max;
  int source_man, source_bias;  ///< bias with the block scale folded in
  std::uint64_t sign, max_code, negative_zero;
  int man_bits, field_bias, emin, emax, quantum;  ///< quantum: fixed formats only
};

Plan make_plan(const ElementFormat& s, const ElementFormat& d, const ElementPolicy& p,
               int scale_exponent) {
  Plan plan{};
  plan.usable = s.kind == FormatKind::kFloat && s.is_signed && s.zero != ZeroKind::kNone &&
                p.staging == Staging::kNone && p.dst_ftz == ResultSubnormals::kKeep &&
                d.is_signed && d.zero != ZeroKind::kNone &&
                (d.kind == FormatKind::kTwosComplement || (d.has_subnormal && d.man_bits > 0));
  plan.source_sign = s.sign_bit();
  plan.source_magnitude = s.magnitude_mask();
  plan.source_hidden = std::uint64_t{1} << s.man_bits;
  plan.source_max = s.max_code;
  plan.source_man = s.man_bits;
  plan.source_bias = s.bias + scale_exponent;
  plan.sign = d.sign_bit();
  plan.max_code = d.max_code;
  plan.negative_zero = zero_code(d, p, true);
  plan.man_bits = d.man_bits;
  plan.field_bias = d.bias - 1;
  plan.emin = d.emin();
  plan.emax = d.emax();
  plan.quantum = -d.frac_bits;
  return plan;
}

enum class Target : std::uint8_t { kFloat, kFixed };

/// Does a magnitude in the binade below the smallest normal reach it when it is rounded to full
/// precision? There the quantum is half that of the subnormals: one bit more is kept.
template <Rounding kRounding>
bool reaches_normal(const Plan& plan, int random_bits, bool negative, std::uint64_t significand,
                    int shift, std::uint32_t random) {
  const std::uint64_t kept = significand >> (shift - 1);
  const Discarded discarded{shift > 1 ? significand << (65 - shift) : 0, false};
  const bool up = round_up(kRounding, negative, (kept & 1) != 0, discarded, random_bits, random);
  return (kept + static_cast<std::uint64_t>(up)) >> (plan.man_bits + 1) != 0;
}

/// One element on the straight path; false where it does not apply.
template <Rounding kRounding, Target kTarget>
bool encode_straight(const Plan& plan, int random_bits, bool tiny_before, std::uint64_t source,
                     std::uint32_t random, Encoded& out) {
  const std::uint64_t magnitude = source & plan.source_magnitude;
  const bool negative = (source & plan.source_sign) != 0;
  const int exponent = static_cast<int>(magnitude >> plan.source_man) - plan.source_bias;
  // Steps 8.1 and 8.2 of spec F8, on the source's own significand.
  const int binade = exponent > plan.emin ? exponent : plan.emin;
  const int quantum = kTarget == Target::kFixed ? plan.quantum : binade - plan.man_bits;
  const int shift = quantum - (exponent - plan.source_man);
  const bool is_normal = magnitude >= plan.source_hidden && magnitude <= plan.source_max;
  if (!is_normal || exponent > plan.emax || shift < 1 || shift > 63) return false;
  const std::uint64_t significand = (magnitude & (plan.source_hidden - 1)) | plan.source_hidden;
  const std::uint64_t kept = significand >> shift;
  const Discarded discarded{significand << (64 - shift), false};
  // Steps 8.3 and 12: the decision, and the addition that carries into the exponent field.
  const std::uint64_t base = kTarget == Target::kFixed
                                 ? 0
                                 : static_cast<std::uint64_t>(binade + plan.field_bias)
                                       << plan.man_bits;
  const std::uint64_t lower = base + kept;
  const bool up = round_up(kRounding, negative, (lower & 1) != 0, discarded, random_bits, random);
  const std::uint64_t result = lower + static_cast<std::uint64_t>(up);
  if (result > plan.max_code) return false;  // step 10
  const bool inexact = discarded.fraction != 0;
  bool tiny = false;
  if (kTarget == Target::kFloat) {
    const bool below =
        exponent < plan.emin - 1 || tiny_before ||
        !reaches_normal<kRounding>(plan, random_bits, negative, significand, shift, random);
    tiny = inexact & (exponent < plan.emin) & below;
  }
  // Selections, not branches: signs, zeros and exactness are unpredictable.
  const bool is_zero = result == 0;
  out.flags = static_cast<std::uint8_t>((inexact ? kFlagInexact : 0) | (tiny ? kFlagUnderflow : 0) |
                                        (is_zero ? kFlagToZero : 0));
  if (kTarget == Target::kFixed) {
    out.code = (negative ? ~result + 1 : result) & (2 * plan.sign - 1);
  } else {
    const std::uint64_t sign = is_zero ? plan.negative_zero : plan.sign;
    out.code = result | (negative ? sign : 0);
  }
  return true;
}

struct Job {
  const ElementFormat& source;
  const ElementFormat& destination;
  const ElementPolicy& policy;
  int scale_exponent;
  std::span<const std::uint64_t> in;
  std::span<const std::uint32_t> random;
  std::span<std::uint64_t> out;
  std::span<std::uint8_t> flags;
};

Encoded encode_by_kernel(const Job& job, std::size_t i, std::uint32_t random) {
  Unpacked x = kernel::decode_flushed(job.source, job.policy, job.in[i]);
  if (x.cls == ValueClass::kFinite) x.exponent -= job.scale_exponent;
  return encode_with(kernel::staged(x, job.policy, job.destination), job.destination, job.policy,
                     random, NoTrace{});
}

template <Rounding kRounding, Target kTarget>
std::uint8_t run(const Job& job) {
  const Plan plan = make_plan(job.source, job.destination, job.policy, job.scale_exponent);
  const int random_bits = job.policy.random_bits;
  const bool tiny_before = job.policy.tininess == Tininess::kBeforeRounding;
  std::uint8_t all = 0;
  for (std::size_t i = 0; i < job.in.size(); ++i) {
    const std::uint32_t random = is_stochastic(kRounding) ? job.random[i] : 0;
    Encoded encoded;
    if (!plan.usable || !encode_straight<kRounding, kTarget>(plan, random_bits, tiny_before,
                                                             job.in[i], random, encoded)) {
      encoded = encode_by_kernel(job, i, random);
    }
    job.out[i] = encoded.code;
    if (!job.flags.empty()) job.flags[i] = encoded.flags;
    all |= encoded.flags;
  }
  return all;
}

/// Tables pay for themselves after this many elements.
constexpr std::size_t kTableElements = 2048;

enum class Flags : std::uint8_t { kKept, kOnlyTheirOr };

template <Rounding kRounding, Flags kFlags>
std::uint8_t run_table(const Job& job) {
  const RankTable table(job.source, job.destination, job.policy, job.scale_exponent);
  const RankTable::View view = table.view();
  const int random_bits = job.policy.random_bits;
  const std::uint64_t* const in = job.in.data();
  const std::uint32_t* const words = job.random.data();
  std::uint64_t* const out = job.out.data();
  std::uint8_t* const flags = job.flags.data();
  const std::size_t count = job.in.size();
  std::uint8_t all = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t random = is_stochastic(kRounding) ? words[i] : 0;
    const SignBinade& binade = view.binades[(in[i] >> view.man_bits) & view.binade_mask];
    Converted converted{};
    if (binade.shift != 0) [[likely]] {
      converted = convert_in<kRounding>(view, binade, in[i], random_bits, random);
    } else {
      const Encoded encoded = encode_by_kernel(job, i, random);
      converted = {encoded.code, encoded.flags};
    }
    out[i] = converted.code;
    if constexpr (kFlags == Flags::kKept) flags[i] = converted.flags;
    all |= converted.flags;
  }
  return all;
}

template <Rounding kRounding>
std::uint8_t run_target(const Job& job) {
  if (job.in.size() >= kTableElements &&
      RankTable::applies(job.source, job.destination, job.policy)) {
    return job.flags.empty() ? run_table<kRounding, Flags::kOnlyTheirOr>(job)
                             : run_table<kRounding, Flags::kKept>(job);
  }
  return job.destination.kind == FormatKind::kFloat ? run<kRounding, Target::kFloat>(job)
                                                    : run<kRounding, Target::kFixed>(job);
}

/// run_target for each rounding, by the values of the enum.
constexpr auto kRuns = []<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
  return std::array{&run_target<static_cast<Rounding>(kIndex)>...};
}
(std::make_index_sequence<tokens<Rounding>().size()>{});

}  // namespace

std::uint8_t encode_elements(const ElementFormat& source, const ElementFormat& destination,
                             const ElementPolicy& policy, int scale_exponent,
                             std::span<const std::uint64_t> codes_in,
                             std::span<const std::uint32_t> random,
                             std::span<std::uint64_t> codes_out, std::span<std::uint8_t> flags) {
  assert(codes_out.size() == codes_in.size());
  assert(std::ranges::all_of(codes_in, [&](std::uint64_t x) { return source.takes(x); }));
  assert(std::ranges::all_of(random, [&](std::uint32_t r) { return is_drawn(policy, r); }));
  const Job job{source, destination, policy, scale_exponent, codes_in, random, codes_out, flags};
  return kRuns[static_cast<std::size_t>(policy.rounding)](job);
}

}  // namespace mx::kernel
