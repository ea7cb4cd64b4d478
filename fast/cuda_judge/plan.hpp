// What a judge holds, and how its kernels are chosen.
#pragma once

#include <bit>

#include "fast/cuda_judge/arithmetic.hpp"
#include "fast/cuda_judge/judge.hpp"

namespace mx::fast {

struct WordJudge::Constants {
  cpu::Source source = cpu::Source::kFp32;
  cuda_judge::Conversion conversion;
  bool is_short = false;
  int segment_bits = 24;
};

namespace cuda_judge {

/// Why steps are no table of answers, or "".
[[nodiscard]] std::string_view table_problem(std::span<const AnswerStep> steps);
[[nodiscard]] std::vector<Step> table_of(std::span<const AnswerStep> steps);
[[nodiscard]] WordVerdict verdict_of(const Tally& tally);

/// f.operator()<Element>() for the encoder of a conversion.
template <class Function>
void with_encoder(const WordJudge::Constants& constants, const Function& f) {
  const cpu::ElementConstants& c = constants.conversion.mode.block.element;
  const auto is = [&](int man_bits, unsigned sign_bit) {
    return c.man_bits == man_bits && c.sign_bit == sign_bit;
  };
  if (!constants.is_short) return f.template operator()<cuda::AnyElement>();
  if (is(3, 0x80)) return f.template operator()<cuda::PlainElement<3, 8, false>>();
  if (is(2, 0x80)) return f.template operator()<cuda::PlainElement<2, 8, false>>();
  if (is(3, 0x20)) return f.template operator()<cuda::PlainElement<3, 6, false>>();
  if (is(2, 0x20)) return f.template operator()<cuda::PlainElement<2, 6, false>>();
  if (is(1, 0x08)) return f.template operator()<cuda::PlainElement<1, 4, false>>();
  f.template operator()<cuda::PlainElement<6, 8, true>>();
}

/// f.operator()<Source, Element>().
template <class Function>
void with_types(const WordJudge::Constants& constants, const Function& f) {
  with_encoder(constants, [&]<class Element>() {
    switch (constants.source) {
      case cpu::Source::kFp32:
        return f.template operator()<cuda::Fp32, Element>();
      case cpu::Source::kBf16:
        return f.template operator()<cuda::Bf16, Element>();
      case cpu::Source::kFp16:
        return f.template operator()<cuda::Fp16, Element>();
    }
  });
}

}  // namespace cuda_judge
}  // namespace mx::fast
