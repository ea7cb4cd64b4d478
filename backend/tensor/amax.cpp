#include "backend/tensor/amax.hpp"

#include "backend/tensor/self_check.hpp"
#include "fast/scaled/quantizer.hpp"
#include "reference/element/encode.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::backend {
namespace {

/// Words from which looking twice costs next to nothing.
constexpr std::size_t kWorthwhile = std::size_t{1} << 16;

bool is_trusted(const ElementFormat& source, const ElementPolicy& policy) {
  const std::vector<std::byte> words = structured_words(source, 16);
  const std::size_t block = 16 * storage_bytes(source);
  for (std::size_t at = 0; at < words.size(); at += block) {
    const auto some = std::span(words).subspan(at, block);
    const auto found = fast::largest_finite(source, some);
    if (!found || decode(source, *found) != tensor_amax(source, policy, some)) return false;
  }
  return true;
}

}  // namespace

Unpacked find_amax(const ElementFormat& source, const ElementPolicy& policy,
                   std::span<const std::byte> words, Choice choice, int threads) {
  const bool is_plain =
      policy.src_ftz == SourceSubnormals::kKeep && policy.staging == Staging::kNone;
  if (choice != Choice::kReference && is_plain && words.size() >= kWorthwhile) {
    const auto found = fast::largest_finite(source, words, threads);
    if (found && is_trusted(source, policy)) return decode(source, *found);
  }
  return tensor_amax(source, policy, words, threads);
}

}  // namespace mx::backend
