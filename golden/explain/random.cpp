#include "golden/explain/random.hpp"

#include <limits>
#include <optional>

#include "golden/bytes/number_text.hpp"
#include "golden/names/names.hpp"
#include "golden/text/filled.hpp"
#include "reference/element/random_source.hpp"
#include "reference/number/philox.hpp"

namespace mx::golden {
namespace {

std::uint32_t word_of(const std::string& text, Spelling spelling) {
  const std::string_view digits =
      std::string_view(text).substr(text.starts_with("0x") || text.starts_with("0X") ? 2 : 0);
  const std::optional<std::uint64_t> word = parse_hex(digits);
  if (!word || *word > std::numeric_limits<std::uint32_t>::max()) {
    throw Refusal(filled("{} {}: give a word of at most 8 hexadecimal digits",
                         spelled(spelling, "rbits"), printable(text)));
  }
  return static_cast<std::uint32_t>(*word);
}

/// How a source makes R of a word: how many inputs share it, N, and R of each.
struct Sharing {
  std::size_t inputs = 1;
  int bits = 0;
  std::optional<PtxRs> shape;
};

Sharing sharing_of(std::string_view name, const ElementFormat& source, const ElementFormat& element,
                   Spelling spelling) {
  const std::string argument = spelled(spelling, "random_source");
  if (name == token_of(RandomSource::kPtxRsShared)) {
    const std::optional<PtxRs> shape = ptx_rs_shape(element);
    if (!shape) throw Refusal(filled("{} {}: not to {}", argument, name, element.name));
    return {static_cast<std::size_t>(ptx_rs_elements(*shape)), ptx_rs_bits(*shape), shape};
  }
  if (name == token_of(RandomSource::kAmdTopBits)) {
    const std::optional<RandomBits> bits = amd_random(source, element, 0);
    if (!bits)
      throw Refusal(filled("{} {}: not {} to {}", argument, name, source.name, element.name));
    return {1, bits->bits, std::nullopt};
  }
  const std::vector<std::string_view> known = {token_of(RandomSource::kPtxRsShared),
                                               token_of(RandomSource::kAmdTopBits)};
  throw Refusal(
      unknown_name(filled("random source of {}", spelled(spelling, "rbits")), name, known));
}

void set_from_words(const RandomGiven& given, const ElementFormat& source,
                    const ElementFormat& element, const ElementPolicy& policy,
                    std::span<ExplainInput> inputs, Spelling spelling) {
  const Sharing sharing = sharing_of(given.source, source, element, spelling);
  if (policy.rounding != Rounding::kStochasticA || policy.random_bits != sharing.bits) {
    throw Refusal(filled("{} {} needs {} {}", spelled(spelling, "random_source"), given.source,
                         spelled(spelling, "rounding", "stochastic_a"),
                         spelled(spelling, "random_bits", filled("{}", sharing.bits))));
  }
  const std::size_t needed = (inputs.size() + sharing.inputs - 1) / sharing.inputs;
  if (given.rbits.size() != needed) {
    throw Refusal(filled("{}: {} words for {} inputs; {} share one, so give {}",
                         spelled(spelling, "rbits"), given.rbits.size(), inputs.size(),
                         sharing.inputs, needed));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint32_t word = word_of(given.rbits[i / sharing.inputs], spelling);
    inputs[i].random = sharing.shape ? ptx_rs_random(*sharing.shape, word)[i % sharing.inputs]
                                     : amd_random(source, element, word)->random;
  }
}

}  // namespace

void set_random(const RandomGiven& given, const ElementFormat& source, const ElementFormat& element,
                const ElementPolicy& policy, std::span<ExplainInput> inputs, Spelling spelling) {
  if (given.source.empty() != given.rbits.empty()) {
    throw Refusal(filled("{} and {} go together", spelled(spelling, "random_source"),
                         spelled(spelling, "rbits")));
  }
  if (!given.rbits.empty()) {
    if (!given.random.empty()) {
      throw Refusal(filled("give {} or {}, not both", spelled(spelling, "random"),
                           spelled(spelling, "rbits")));
    }
    set_from_words(given, source, element, policy, inputs, spelling);
    return;
  }
  if (given.random.size() > 1 && given.random.size() != inputs.size()) {
    throw Refusal(filled("{}: {} numbers for {} inputs; give one, or one each",
                         spelled(spelling, "random"), given.random.size(), inputs.size()));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    inputs[i].random = counter_random(given.seed.value_or(0), 0, i, policy.random_bits);
    if (given.random.empty()) continue;
    const std::uint64_t random = given.random.size() == 1 ? given.random[0] : given.random[i];
    if (random >> policy.random_bits != 0) {
      throw Refusal(filled("{} {}: needs to be below 2^{} ({})", spelled(spelling, "random"),
                           random, policy.random_bits, spelled(spelling, "random_bits")));
    }
    inputs[i].random = static_cast<std::uint32_t>(random);
  }
}

}  // namespace mx::golden
