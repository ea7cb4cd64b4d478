#include "bridge/bus/explain.hpp"

#include <fmt/format.h>

#include "golden/explain/model.hpp"
#include "golden/explain/text.hpp"
#include "golden/explain/values.hpp"
#include "golden/text/exact.hpp"

namespace mx::bridge {
namespace {

using golden::ExplainedCase;
using golden::Field;

std::vector<golden::ExplainInput> inputs_of(const Handle& handle, const ElementFormat& source) {
  const std::span<const std::uint64_t> codes = handle.of(Field::kSource);
  const std::span<const std::uint64_t> random = handle.of(Field::kRandom);
  std::vector<golden::ExplainInput> inputs;
  for (std::size_t i = 0; i < handle.model().used_words(Field::kSource); ++i) {
    inputs.push_back({.text = golden::hex_code(source, codes[i]),
                      .code = codes[i],
                      .random = random.empty() ? 0 : static_cast<std::uint32_t>(random[i])});
  }
  return inputs;
}

std::string text_of(const Handle& handle, const ExplainedCase& what) {
  return golden::explanation_text(
      golden::explain_case(what, inputs_of(handle, what.config.source)));
}

}  // namespace

bool explain(Handle& handle, std::string& text) {
  text.clear();
  if (!handle.is_open()) return false;
  if (!handle.has_answer()) return handle.refuse("nothing was answered that could be explained");
  const golden::Configuration& what = handle.model().configuration();
  if (const auto* const c = std::get_if<QuantizerConfig>(&what.what)) {
    text = text_of(handle, {.profile = what.origin.profile,
                            .format = c->format.name,
                            .is_block = true,
                            .config = *c,
                            .masks = what.origin.masks});
    return handle.accept();
  }
  if (const auto* const c = std::get_if<ConversionConfig>(&what.what)) {
    ExplainedCase one{.profile = what.origin.profile,
                      .format = c->destination.name,
                      .is_block = false,
                      .config = {c->source, {}, c->policy, {}},
                      .masks = what.origin.masks};
    one.config.format.element = c->destination;
    text = text_of(handle, one);
    return handle.accept();
  }
  if (const auto* const c = std::get_if<golden::DequantizeCase>(&what.what)) {
    const std::span<const std::uint64_t> codes = handle.of(Field::kA);
    text = golden::values_text(
        golden::explain_values({.what = *c,
                                .scale = handle.word(Field::kAScale),
                                .codes = codes.first(handle.model().used_words(Field::kA)),
                                .profile = what.origin.profile}));
    return handle.accept();
  }
  return handle.refuse(fmt::format("op={} is not explained: block, cvt and dequantize are",
                                   token_of(what.operation())));
}

}  // namespace mx::bridge
