#include "fast/candidates/resolve.hpp"

#include <bit>

#include "fast/rules/binary32.hpp"
#include "fast/scaled/chain.hpp"
#include "fast/scaled/resolve.hpp"

namespace mx::fast::candidates {
namespace {

std::uint32_t word_of(const ElementFormat& format, std::uint32_t code) {
  return word32(scaled::code_value(format, code));
}

float kept_of(std::uint32_t element, std::uint32_t scale, std::uint32_t amax, std::uint32_t top) {
  const std::uint32_t product = multiply32(multiply32(element, scale), amax);
  return std::bit_cast<float>(product == kInf32 ? kInf32 : divide32(product, top));
}

}  // namespace

Errors resolve_errors(const ScaledBlockJob& job) {
  const BlockFormat& format = job.blocks.format;
  const FourOverSix kind = job.blocks.block.four_over_six;
  const std::uint32_t top = scaled::largest_encoded(kind);
  Errors errors;
  errors.four = scaled::resolve_four(job);
  errors.squares = kind == FourOverSix::kMse448 || kind == FourOverSix::kMse256;
  for (std::uint32_t scale = 0; scale <= format.scale.max_code; ++scale) {
    for (std::uint32_t code = 0; code < kMagnitudes; ++code) {
      errors.kept[scale][code] = kept_of(word_of(format.element, code),
                                         word_of(format.scale, scale), job.tensor.amax, top);
    }
  }
  return errors;
}

}  // namespace mx::fast::candidates
