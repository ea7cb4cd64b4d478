#include "golden/vectors/block_vector.hpp"

#include <algorithm>
#include <stdexcept>

namespace mx::golden {
namespace {

template <typename T>
void append_range(std::vector<T>& to, const std::vector<T>& from, std::size_t first,
                  std::size_t last) {
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first),
            from.begin() + static_cast<std::ptrdiff_t>(last));
}

}  // namespace

void BlockBatch::resize(std::size_t count) {
  config_word.resize(count);
  status.resize(count);
  source.resize(count * lanes());
  codes.resize(count * lanes());
  random.resize(random_words == RandomWords::kPresent ? count * lanes() : 0);
}

BlockVector BlockBatch::at(std::size_t i) const {
  BlockVector block;
  block.config_word = config_word[i];
  block.status = status[i];
  const auto x = source_of(i);
  const auto r = random_of(i);
  const auto c = codes_of(i);
  block.source.assign(x.begin(), x.end());
  block.random.assign(r.begin(), r.end());
  block.codes.assign(c.begin(), c.end());
  return block;
}

void BlockBatch::append(const BlockVector& block) {
  if (block.source.size() != lanes() || block.codes.size() != lanes() ||
      (random_words == RandomWords::kPresent && block.random.size() != lanes())) {
    throw std::invalid_argument("a block of another size cannot be appended to a batch");
  }
  const std::size_t i = size();
  resize(i + 1);
  config_word[i] = block.config_word;
  status[i] = block.status;
  std::ranges::copy(block.source, source_of(i).begin());
  std::ranges::copy(block.codes, codes_of(i).begin());
  if (random_words == RandomWords::kPresent) std::ranges::copy(block.random, random_of(i).begin());
}

void BlockBatch::append(const BlockBatch& other, std::size_t first, std::size_t last) {
  if (other.block_size != block_size || other.random_words != random_words) {
    throw std::invalid_argument("batches of different shapes cannot be joined");
  }
  append_range(config_word, other.config_word, first, last);
  append_range(status, other.status, first, last);
  append_range(source, other.source, first * lanes(), last * lanes());
  append_range(codes, other.codes, first * lanes(), last * lanes());
  if (!other.random.empty()) {
    append_range(random, other.random, first * lanes(), last * lanes());
  }
}

void CvtBatch::resize(std::size_t count) {
  source.resize(count);
  code.resize(count);
  flags.resize(count);
  random.resize(random_words == RandomWords::kPresent ? count : 0);
}

}  // namespace mx::golden
