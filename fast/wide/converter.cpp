// SPDX-License-Identifier: Apache-2.0
#include "fast/wide/converter.hpp"

#include <algorithm>
#include <array>

#include "fast/cpu/ends.hpp"
#include "fast/cpu/resolve.hpp"
#include "fast/cpu/threads.hpp"
#include "fast/wide/constants.hpp"
#include "reference/format/rows.hpp"

namespace mx::fast {

struct WidePlan::Constants {
  wide::Constants wide;
};

namespace {

std::string_view source_problem(const ElementFormat& source) {
  constexpr std::array kSources = {formats::fp64, formats::fp32, formats::tf32, formats::bf16,
                                   formats::fp16};
  return std::ranges::find(kSources, source) != kSources.end()
             ? ""
             : "sources other than fp64, fp32, tf32, bf16 and fp16";
}

std::string_view destination_problem(const ElementFormat& f) {
  if (f.kind != FormatKind::kFloat || !f.is_signed) return "codes that are no signed floats";
  if (f.man_bits < 1 || !f.has_subnormal) return "codes without subnormals";
  if (f.zero == ZeroKind::kNone) return "codes without a zero";
  return f.max_code >> f.man_bits == 0 ? "codes of one binade" : "";
}

std::string_view policy_problem(const ElementPolicy& p) {
  if (p.src_ftz != SourceSubnormals::kKeep) return "src_ftz";
  if (p.dst_ftz != ResultSubnormals::kKeep) return "dst_ftz";
  if (p.staging != Staging::kNone) return "staging";
  return is_stochastic(p.rounding) ? "the rounding is stochastic" : "";
}

}  // namespace

namespace wide {

Constants constants_of(const ElementJob& job) {
  const ElementFormat& s = job.source;
  const ElementFormat& f = job.destination;
  Constants c;
  c.source_bytes = s.storage_bits / 8;
  c.bytes = f.storage_bits / 8;
  c.lane_bytes = std::max({c.source_bytes, c.bytes, 4});
  c.source_man = s.man_bits;
  c.man = f.man_bits;
  c.least_field = f.emin() + s.bias + kFieldOffset;
  c.normalizes = f.emin() < s.emin();
  c.same_range = f.emin() == s.emin() && f.exp_bits == s.exp_bits;
  c.source_sign = s.sign_bit();
  c.infinity = s.inf_code();
  c.rounding = cpu::masks_of(job.policy.rounding);
  c.limit = f.max_code;
  c.sign_bit = f.sign_bit();
  c.drops_zero_sign =
      f.zero != ZeroKind::kPosAndNeg || job.policy.zero_sign == ZeroSign::kFlushPositive;
  c.drops_input_sign = job.policy.zero_sign == ZeroSign::kFlushInput;
  for (const bool negative : {false, true}) {
    const cpu::Ends ends(f, job.policy, negative);
    const std::size_t sign = negative ? 1 : 0;
    c.overflow_code[sign] = ends.overflow();
    c.infinity_code[sign] = ends.infinity();
    c.nan_code[sign] = ends.nan();
  }
  return c;
}

}  // namespace wide

Checked<WidePlan> WidePlan::make(const ElementJob& job) {
  for (const std::string_view why :
       {source_problem(job.source), destination_problem(job.destination),
        policy_problem(job.policy)}) {
    if (!why.empty()) return cpu::no_path(why);
  }
  return WidePlan(std::make_shared<const Constants>(Constants{wide::constants_of(job)}));
}

bool WidePlan::convert(std::span<const std::byte> source, std::span<std::byte> codes,
                       int threads) const {
  const wide::Constants& c = constants_->wide;
  const auto from = static_cast<std::size_t>(c.source_bytes);
  const auto to = static_cast<std::size_t>(c.bytes);
  const std::size_t elements = codes.size() / to;
  if (codes.size() % to != 0 || source.size() != elements * from) return false;
  cpu::share_blocks(1, elements, 1, threads, [&](std::size_t, std::size_t first, std::size_t last) {
    wide::convert(c, source.data() + first * from, last - first, codes.data() + first * to);
  });
  return true;
}

}  // namespace mx::fast
