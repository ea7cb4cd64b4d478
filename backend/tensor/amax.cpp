#include "backend/tensor/amax.hpp"

#include <cstring>

#include "backend/tensor/self_check.hpp"
#include "fast/scaled/scaled_block_plan.hpp"
#include "reference/element/encode.hpp"
#include "reference/number/word_bytes.hpp"
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

/// Is any word, its sign aside, `least` or more?
template <typename Word>
bool reaches(std::span<const std::byte> words, std::uint64_t mask, std::uint64_t least) {
  bool any = false;
  for (std::size_t at = 0; at + sizeof(Word) <= words.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, words.data() + at, sizeof word);
    any |= static_cast<Word>(word & static_cast<Word>(mask)) >= static_cast<Word>(least);
  }
  return any;
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

bool has_specials(const ElementFormat& source, std::span<const std::byte> words) {
  const std::size_t size = storage_bytes(source);
  if (source.inf == InfKind::kIeeeTop && source.nan == NanKind::kIeeeAll) {
    // They lie above all numbers.
    const std::uint64_t mask = source.magnitude_mask();
    const std::uint64_t least = source.inf_code();
    if (size == 4) return reaches<std::uint32_t>(words, mask, least);
    if (size == 2) return reaches<std::uint16_t>(words, mask, least);
    if (size == 1) return reaches<std::uint8_t>(words, mask, least);
    return reaches<std::uint64_t>(words, mask, least);
  }
  for (std::size_t at = 0; at < words.size(); at += size) {
    const ValueClass cls = decode(source, load_word(words.data() + at, size)).cls;
    if (cls == ValueClass::kInf || cls == ValueClass::kNan) return true;
  }
  return false;
}

}  // namespace mx::backend
