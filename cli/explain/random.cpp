#include "cli/explain/random.hpp"

#include <limits>
#include <optional>

#include "cli/base/error.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/number_text.hpp"
#include "reference/element/random_source.hpp"
#include "reference/number/philox.hpp"

namespace mx::cli {
namespace {

std::uint32_t word_of(const std::string& text) {
  const std::string_view digits =
      std::string_view(text).substr(text.starts_with("0x") || text.starts_with("0X") ? 2 : 0);
  const std::optional<std::uint64_t> word = golden::parse_hex(digits);
  if (!word || *word > std::numeric_limits<std::uint32_t>::max()) {
    fail(Exit::kUsage, "--rbits {}: give a word of at most 8 hexadecimal digits", printable(text));
  }
  return static_cast<std::uint32_t>(*word);
}

/// How a source makes R of a word: how many inputs share it, N, and R of each.
struct Sharing {
  std::size_t inputs = 1;
  int bits = 0;
  std::optional<PtxRs> shape;
};

Sharing sharing_of(std::string_view name, const ElementFormat& source,
                   const ElementFormat& element) {
  if (name == token_of(RandomSource::kPtxRsShared)) {
    const std::optional<PtxRs> shape = ptx_rs_shape(element);
    if (!shape) fail(Exit::kUsage, "--random-source {}: not to {}", name, element.name);
    return {static_cast<std::size_t>(ptx_rs_elements(*shape)), ptx_rs_bits(*shape), shape};
  }
  if (name == token_of(RandomSource::kAmdTopBits)) {
    const std::optional<RandomBits> bits = amd_random(source, element, 0);
    if (!bits)
      fail(Exit::kUsage, "--random-source {}: not {} to {}", name, source.name, element.name);
    return {1, bits->bits, std::nullopt};
  }
  const std::vector<std::string_view> known = {token_of(RandomSource::kPtxRsShared),
                                               token_of(RandomSource::kAmdTopBits)};
  throw Error(Exit::kUsage, unknown_name("random source of --rbits", name, known));
}

void set_from_words(const RandomOptions& options, const ElementFormat& source,
                    const ElementFormat& element, const ElementPolicy& policy,
                    std::span<golden::ExplainInput> inputs) {
  const Sharing sharing = sharing_of(options.source, source, element);
  if (policy.rounding != Rounding::kStochasticA || policy.random_bits != sharing.bits) {
    fail(Exit::kUsage, "--random-source {} needs --rounding stochastic_a --random-bits {}",
         options.source, sharing.bits);
  }
  const std::size_t needed = (inputs.size() + sharing.inputs - 1) / sharing.inputs;
  if (options.rbits.size() != needed) {
    fail(Exit::kUsage, "--rbits: {} words for {} inputs; {} share one, so give {}",
         options.rbits.size(), inputs.size(), sharing.inputs, needed);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint32_t word = word_of(options.rbits[i / sharing.inputs]);
    inputs[i].random = sharing.shape ? ptx_rs_random(*sharing.shape, word)[i % sharing.inputs]
                                     : amd_random(source, element, word)->random;
  }
}

}  // namespace

void set_random(const RandomOptions& options, const ElementFormat& source,
                const ElementFormat& element, const ElementPolicy& policy,
                std::span<golden::ExplainInput> inputs) {
  if (options.source.empty() != options.rbits.empty()) {
    fail(Exit::kUsage, "--random-source and --rbits go together");
  }
  if (!options.rbits.empty()) {
    if (!options.random.empty()) fail(Exit::kUsage, "give --random or --rbits, not both");
    set_from_words(options, source, element, policy, inputs);
    return;
  }
  if (options.random.size() > 1 && options.random.size() != inputs.size()) {
    fail(Exit::kUsage, "--random: {} numbers for {} inputs; give one, or one each",
         options.random.size(), inputs.size());
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    inputs[i].random = counter_random(options.seed, 0, i, policy.random_bits);
    if (options.random.empty()) continue;
    const std::uint64_t random = options.random.size() == 1 ? options.random[0] : options.random[i];
    if (random >> policy.random_bits != 0) {
      fail(Exit::kUsage, "--random {}: needs to be below 2^{} (--random-bits)", random,
           policy.random_bits);
    }
    inputs[i].random = static_cast<std::uint32_t>(random);
  }
}

}  // namespace mx::cli
