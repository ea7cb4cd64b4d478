// Answers of block quantizers, and how two of them are compared.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "golden/compare/block_difference.hpp"

namespace mx::golden {

/// A configuration at the tensor level of an input, if the input has one.
[[nodiscard]] QuantizerConfig at_level(const QuantizerConfig& config, const BlockInput& input);

/// A block's codes as binary32 values under a configuration's own formats, at the input's level.
[[nodiscard]] std::vector<std::uint64_t> decoded_values(const QuantizerConfig& config,
                                                        const BlockInput& input,
                                                        std::uint64_t scale,
                                                        std::span<const std::uint64_t> codes);

/// A configuration made ready for many blocks.
class Answering {
 public:
  explicit Answering(const QuantizerConfig& config)
      : config_(config), plain_(Quantizer::make(config).value()) {}

  BlockResult operator()(const BlockInput& input, std::span<std::uint64_t> codes);

 private:
  QuantizerConfig config_;
  Quantizer plain_;
  std::vector<std::uint32_t> random_;
};

struct FullAnswer {
  BlockResult result;
  std::vector<std::uint64_t> codes;
};

[[nodiscard]] FullAnswer full_answer(Answering& answering, const BlockInput& input);
[[nodiscard]] FullAnswer full_answer(const QuantizerConfig& config, const BlockInput& input);
[[nodiscard]] bool raw_equal(const FullAnswer& a, const FullAnswer& b);

/// What of a subject's answer to a block is left open.
[[nodiscard]] OpenParts open_parts(const BlockSubject& subject, const BlockInput& input,
                                   const BlockResult& result);

/// agreement() of two answers that are known.
[[nodiscard]] Agreement judge(const BlockSubject& a, const BlockSubject& b, const BlockInput& input,
                              const FullAnswer& of_a, const FullAnswer& of_b);

/// agreement() of two subjects made ready for many blocks; they outlive it.
class Agreeing {
 public:
  Agreeing(const BlockSubject& a, const BlockSubject& b)
      : a_(a), b_(b), answering_a_(a.config), answering_b_(b.config) {}

  [[nodiscard]] Agreement operator()(const BlockInput& input);
  [[nodiscard]] const QuantizerConfig& config() const { return a_.config; }

 private:
  const BlockSubject& a_;
  const BlockSubject& b_;
  Answering answering_a_;
  Answering answering_b_;
};

/// Zeros for elements, shorter significands and fewer elements, as long as the block still tells
/// the two apart.
[[nodiscard]] BlockInput shrunk(Agreeing& agreeing, BlockInput input);

}  // namespace mx::golden
