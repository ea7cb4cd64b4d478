#include "golden/compare/block_answers.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "golden/compare/element_difference.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::golden {
QuantizerConfig at_level(const QuantizerConfig& config, const BlockInput& input) {
  QuantizerConfig c = config;
  if (input.tensor_amax != 0) {
    c.tensor = tensor_level(c, decode(formats::fp32, input.tensor_amax));
  }
  return c;
}

std::vector<std::uint64_t> decoded_values(const QuantizerConfig& config, const BlockInput& input,
                                          std::uint64_t scale,
                                          std::span<const std::uint64_t> codes) {
  std::vector<std::uint64_t> values(codes.size());
  Quantizer::make(at_level(config, input))
      .value()
      .dequantize_block(scale, codes, formats::fp32, values);
  return values;
}

BlockResult Answering::operator()(const BlockInput& input, std::span<std::uint64_t> codes) {
  random_ = input.random;
  const std::uint32_t shared = input.random.empty() ? 0 : input.random.front();
  if (random_.size() != input.lanes.size()) random_.assign(input.lanes.size(), shared);
  if (input.tensor_amax == 0) return plain_.quantize_block(input.lanes, random_, codes);
  return Quantizer::make(at_level(config_, input))
      .value()
      .quantize_block(input.lanes, random_, codes);
}

FullAnswer full_answer(Answering& answering, const BlockInput& input) {
  FullAnswer answer{.result = {}, .codes = std::vector<std::uint64_t>(input.lanes.size())};
  answer.result = answering(input, answer.codes);
  return answer;
}

FullAnswer full_answer(const QuantizerConfig& config, const BlockInput& input) {
  Answering answering(config);
  return full_answer(answering, input);
}

bool raw_equal(const FullAnswer& a, const FullAnswer& b) {
  return a.result.scale_code == b.result.scale_code && a.codes == b.codes;
}

bool OpenParts::any() const { return scale || std::ranges::find(elements, true) != elements.end(); }

OpenParts open_parts(const BlockSubject& subject, const BlockInput& input,
                     const BlockResult& result) {
  const QuantizerConfig config = at_level(subject.config, input);
  const MaskedBlock masked = masked_block(subject.masks, config, input.lanes, result);
  OpenParts open{.scale = masked.scale,
                 .elements = std::vector<bool>(input.lanes.size()),
                 .is_under_nan = (result.flags & kBlockCodesMasked) != 0 && !masked.scale};
  for (std::size_t i = 0; i < input.lanes.size(); ++i) {
    open.elements[i] = is_lane_masked(masked, config, input.lanes[i], i);
  }
  return open;
}

Agreement judge(const BlockSubject& a, const BlockSubject& b, const BlockInput& input,
                const FullAnswer& of_a, const FullAnswer& of_b) {
  const bool by_code = same_codes(a.config, b.config);
  if (by_code && raw_equal(of_a, of_b)) return Agreement::kAgree;
  const OpenParts open_a = open_parts(a, input, of_a.result);
  const OpenParts open_b = open_parts(b, input, of_b.result);
  const bool scale_open = open_a.scale || open_b.scale;
  std::vector<std::uint64_t> answers_a = of_a.codes;
  std::vector<std::uint64_t> answers_b = of_b.codes;
  if (!by_code) {
    answers_a = decoded_values(a.config, input, of_a.result.scale_code, of_a.codes);
    answers_b = decoded_values(b.config, input, of_b.result.scale_code, of_b.codes);
    if (answers_a == answers_b) return Agreement::kAgree;
    if (scale_open) return Agreement::kMasked;
  } else if (of_a.result.scale_code != of_b.result.scale_code && !scale_open) {
    return Agreement::kDiffer;
  }
  for (std::size_t i = 0; i < input.lanes.size(); ++i) {
    if (answers_a[i] != answers_b[i] && !open_a.is_open(i) && !open_b.is_open(i)) {
      return Agreement::kDiffer;
    }
  }
  return Agreement::kMasked;
}

Agreement Agreeing::operator()(const BlockInput& input) {
  const FullAnswer of_a = full_answer(answering_a_, input);
  return judge(a_, b_, input, of_a, full_answer(answering_b_, input));
}

BlockInput shrunk(Agreeing& agreeing, BlockInput input) {
  const ElementFormat& source = agreeing.config().source;
  const auto keep = [&](const BlockInput& smaller) {
    if (agreeing(smaller) != Agreement::kDiffer) return;
    input = smaller;
  };
  for (std::size_t i = input.lanes.size(); i-- > 0;) {
    BlockInput smaller = input;
    smaller.lanes[i] = 0;
    if (input.lanes[i] != 0) keep(smaller);
  }
  const std::uint64_t mask = source.man_mask();
  for (std::size_t i = 0; i < input.lanes.size(); ++i) {
    if ((input.lanes[i] & source.magnitude_mask()) > source.max_code) continue;
    for (std::uint64_t cut = mask; cut != 0; cut >>= 1) {
      BlockInput smaller = input;
      smaller.lanes[i] &= ~cut;
      if (smaller.lanes[i] != input.lanes[i]) keep(smaller);
    }
  }
  // Lanes of zeros go where the answer does not depend on places.
  for (std::size_t i = input.lanes.size(); i-- > 0;) {
    if (input.lanes[i] != 0) continue;
    BlockInput smaller = input;
    smaller.lanes.erase(smaller.lanes.begin() + static_cast<std::ptrdiff_t>(i));
    if (!smaller.lanes.empty()) keep(smaller);
  }
  return input;
}

bool same_codes(const QuantizerConfig& a, const QuantizerConfig& b) {
  const auto shape = [](const QuantizerConfig& c) {
    ElementFormat element = c.format.element;
    element.name = {};
    element.canonical_nan = 0;
    element.parity = Parity::kCodeLsb;
    return element;
  };
  ElementFormat scale_a = a.format.scale;
  ElementFormat scale_b = b.format.scale;
  scale_a.name = scale_b.name = {};
  return shape(a) == shape(b) && scale_a == scale_b;
}

namespace {

/// What blocks are ordered by, one number after the other. Not vectors under `<`: libstdc++ 12 gets
/// those of unsigned integers wrong on big-endian machines.
std::vector<std::uint64_t> order_of(const ElementFormat& source, const BlockInput& x) {
  std::vector<std::uint64_t> magnitudes;
  for (const std::uint64_t lane : x.lanes) {
    // -0 is no zero to be left out, but smaller than any number.
    if (lane != 0) magnitudes.push_back(lane & source.magnitude_mask());
  }
  std::ranges::sort(magnitudes, std::greater<>());
  // A count before what it counts, so that two orders of the same counts are equally long.
  std::vector<std::uint64_t> order = {magnitudes.size(), x.tensor_amax != 0 ? 1U : 0U};
  order.insert(order.end(), magnitudes.begin(), magnitudes.end());
  order.push_back(x.lanes.size());
  for (const std::uint64_t lane : x.lanes) order.push_back(simplicity(source, lane));
  order.push_back(x.tensor_amax);
  order.insert(order.end(), x.random.begin(), x.random.end());
  return order;
}

}  // namespace

bool is_smaller(const ElementFormat& source, const BlockInput& a, const BlockInput& b) {
  return std::ranges::lexicographical_compare(order_of(source, a), order_of(source, b));
}

BlockAnswer answer_of(const QuantizerConfig& config, const BlockInput& input) {
  FullAnswer answer = full_answer(config, input);
  return {answer.result.scale_code, std::move(answer.codes)};
}

Agreement agreement(const BlockSubject& a, const BlockSubject& b, const BlockInput& input) {
  return judge(a, b, input, full_answer(a.config, input), full_answer(b.config, input));
}

}  // namespace mx::golden
