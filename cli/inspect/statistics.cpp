// SPDX-License-Identifier: Apache-2.0
#include "cli/inspect/statistics.hpp"

#include <algorithm>
#include <vector>

#include "cli/tensors/packing.hpp"
#include "reference/number/unpacked.hpp"
#include "reference/number/word_bytes.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::cli {
namespace {

/// Counts `times` occurrences of a word.
class CodeCounter {
 public:
  explicit CodeCounter(const ElementFormat& format)
      : format_(format), greatest_(decode(format, format.max_code)) {}

  void add(std::uint64_t word, std::uint64_t times) {
    counts_.codes += times;
    if (!format_.takes(word)) {
      counts_.stray += times;
      return;
    }
    const Unpacked value = decode(format_, word & format_.code_mask());
    switch (value.cls) {
      case ValueClass::kZero:
        counts_.zero += times;
        break;
      case ValueClass::kInf:
        counts_.infinite += times;
        break;
      case ValueClass::kNan:
        counts_.nan += times;
        break;
      case ValueClass::kFinite:
        if (is_subnormal(value)) counts_.subnormal += times;
        if (value.exponent == greatest_.exponent && value.significand == greatest_.significand) {
          counts_.greatest += times;
        }
        break;
    }
  }
  void set_distinct(std::uint64_t count) { counts_.distinct = count; }
  [[nodiscard]] const CodeStatistics& counts() const { return counts_; }

 private:
  [[nodiscard]] bool is_subnormal(const Unpacked& value) const {
    return format_.kind == FormatKind::kFloat && format_.zero != ZeroKind::kNone &&
           value.exponent < format_.emin();
  }

  const ElementFormat& format_;
  Unpacked greatest_;
  CodeStatistics counts_;
};

/// Words of at most 16 bits are counted first and looked at once each.
class WordHistogram {
 public:
  explicit WordHistogram(std::size_t size) : size_(size), times_(std::size_t{1} << (8 * size)) {}

  void add(std::span<const std::byte> words) {
    for (std::size_t at = 0; at + size_ <= words.size(); at += size_) {
      ++times_[load_word(words.data() + at, size_)];
    }
  }
  void tell(CodeCounter& counter) const {
    std::uint64_t distinct = 0;
    for (std::size_t word = 0; word < times_.size(); ++word) {
      if (times_[word] == 0) continue;
      ++distinct;
      counter.add(word, times_[word]);
    }
    counter.set_distinct(distinct);
  }

 private:
  std::size_t size_;
  std::vector<std::uint64_t> times_;
};

/// Codes of a packed tensor, some at a time.
void add_packed_codes(const Tensor& tensor, const TensorUse& use, WordHistogram& histogram) {
  const std::uint64_t step = (std::uint64_t{1} << 16) * std::max<std::uint64_t>(use.group, 1);
  std::vector<std::byte> codes;
  std::uint64_t at = 0;
  for (std::uint64_t first = 0; first < use.elements; first += step) {
    codes.resize(std::min(step, use.elements - first));
    const std::uint64_t bytes = packed_bytes(use.packing, codes.size(), use.group);
    unpack(use.packing, tensor.data.subspan(at, bytes), codes, use.group);
    histogram.add(codes);
    at += bytes;
  }
}

}  // namespace

CodeStatistics statistics_of(const Tensor& tensor, const TensorUse& use) {
  CodeCounter counter(*use.format);
  const std::size_t size = storage_bytes(*use.format);
  if (!use.packing.empty()) {
    WordHistogram histogram(1);
    add_packed_codes(tensor, use, histogram);
    histogram.tell(counter);
  } else if (size <= 2) {
    WordHistogram histogram(size);
    histogram.add(tensor.data);
    histogram.tell(counter);
  } else {
    for (std::size_t at = 0; at + size <= tensor.data.size(); at += size) {
      counter.add(load_word(tensor.data.data() + at, size), 1);
    }
  }
  return counter.counts();
}

}  // namespace mx::cli
