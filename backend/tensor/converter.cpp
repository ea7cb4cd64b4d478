#include "backend/tensor/converter.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "backend/tensor/self_check.hpp"
#include "reference/bulk/bulk.hpp"
#include "reference/number/philox.hpp"
#include "reference/number/word_bytes.hpp"

namespace mx::backend {

TensorSummary convert_by_reference(const Conversion& reference, std::span<const std::byte> source,
                                   CounterRandom random, std::span<std::byte> codes,
                                   std::uint64_t first, std::uint64_t last) {
  const std::uint64_t piece = std::min<std::uint64_t>(last - first, 1024);
  const ConversionConfig& c = reference.config();
  const std::size_t from = storage_bytes(c.source);
  const std::size_t to = storage_bytes(c.destination);
  const bool draws = is_stochastic(c.policy.rounding);
  std::vector<std::uint64_t> words(piece);
  std::vector<std::uint64_t> made(piece);
  std::vector<std::uint32_t> drawn(draws ? piece : 0);
  TensorSummary summary{.elements = last - first};
  for (std::uint64_t start = first; start < last; start += piece) {
    const std::uint64_t count = std::min(piece, last - start);
    for (std::uint64_t i = 0; i < count; ++i) {
      words[i] = load_word(source.data() + (start + i) * from, from);
    }
    for (std::uint64_t i = 0; draws && i < count; ++i) {
      drawn[i] = counter_random(random.seed, random.tensor, start + i, c.policy.random_bits);
    }
    summary.flags |=
        bulk::convert(reference, std::span(words).first(count),
                      std::span(drawn).first(draws ? count : 0), std::span(made).first(count), {});
    for (std::uint64_t i = 0; i < count; ++i) {
      store_word(codes.data() + (start + i) * to, to, made[i]);
    }
  }
  return summary;
}

Checked<TensorConverter> TensorConverter::make(const ConversionConfig& config, Choice choice,
                                               Wanted wanted) {
  Checked<Conversion> reference = Conversion::make(config);
  if (!reference) return Problem{std::string(reference.problem())};
  TensorConverter made(std::move(reference).value());
  if (choice == Choice::kReference) return made;
  const fast::ElementJob job{config.source, config.destination, config.policy};
  if (is_cuda(choice)) {
    made.chosen_.refuse("no fast path: the CUDA path takes blocks, not single values");
  } else if (wanted == Wanted::kFlags) {
    made.chosen_.refuse("the fast path of single values has no flags");
  } else {
    made.chosen_.take(fast::ConvertPlan::make(job));
  }
  if (insists(choice) && !made.is_fast()) return Problem{made.chosen_.why_reference()};
  return made;
}

std::string TensorConverter::self_check() const {
  if (!is_fast()) return {};
  const std::vector<std::byte> words = structured_words(reference_.config().source, 32);
  const std::uint64_t elements = words.size() / storage_bytes(reference_.config().source);
  const std::size_t width = storage_bytes(reference_.config().destination);
  std::vector<std::byte> codes(elements * width);
  std::vector<std::byte> fast_codes(codes.size());
  static_cast<void>(convert_by_reference(reference_, words, {}, codes, 0, elements));
  compute(words, {}, fast_codes, 0);
  const auto code = std::ranges::mismatch(codes, fast_codes);
  if (code.in1 == codes.end()) return {};
  const auto at = static_cast<std::size_t>(code.in1 - codes.begin()) / width;
  return "the fast path's code of element " + std::to_string(at) +
         " of the self-check differs from the reference's";
}

void TensorConverter::compute(std::span<const std::byte> source, CounterRandom random,
                              std::span<std::byte> codes, std::uint64_t first) const {
  const bool fits = chosen_.plan<fast::ConvertPlan>()->convert(source, codes, 1,
                                                               {random.seed, random.tensor}, first);
  if (!fits) throw std::logic_error("source words and codes do not fit each other");
}

TensorSummary TensorConverter::convert(std::span<const std::byte> source, CounterRandom random,
                                       std::span<std::byte> codes, std::uint64_t first,
                                       std::uint64_t last) const {
  if (!is_fast()) return convert_by_reference(reference_, source, random, codes, first, last);
  const std::size_t word = storage_bytes(reference_.config().source);
  const std::size_t width = storage_bytes(reference_.config().destination);
  compute(source.subspan(first * word, (last - first) * word), random,
          codes.subspan(first * width, (last - first) * width), first);
  return {.elements = last - first};
}

}  // namespace mx::backend
