// SPDX-License-Identifier: Apache-2.0
#include "cli/identify/probes.hpp"

#include <algorithm>

#include "golden/bytes/number_text.hpp"
#include "golden/stimulus/stimulus.hpp"

namespace mx::cli {
namespace {

constexpr std::uint64_t kMostProbes = 1000;
constexpr std::size_t kMostWords = 6;  ///< of a row that are shown

}  // namespace

golden::RecordBatch probes_of(const golden::VectorHeader& header) {
  golden::VectorHeader asked = header;
  asked.configs.resize(1);
  asked.suite = token_of(golden::SuiteKind::kSmoke);
  asked.level = 1;
  asked.shard = 0;
  asked.shards = 1;
  const golden::Stimulus stimulus(asked);
  asked.count = std::min(stimulus.size(), kMostProbes);
  golden::RecordBatch operands(asked.shape(), static_cast<std::size_t>(asked.count));
  stimulus.fill(0, asked.count, operands);
  return operands;
}

std::string words_text(std::span<const std::uint64_t> words, int bits) {
  std::string text = "[";
  const std::size_t count = std::min(words.size(), kMostWords);
  for (std::size_t i = 0; i < count; ++i) {
    text += (i == 0 ? "" : " ") + golden::hex(words[i], bits);
  }
  return text + (count < words.size() ? " ...]" : "]");
}

}  // namespace mx::cli
