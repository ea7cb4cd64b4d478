#include "sim/stimulus/tensor_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "reference/number/philox.hpp"
#include "reference/number/word_bytes.hpp"

namespace mx::sim {
namespace {

std::uint64_t row_length(const TensorView& tensor) {
  return tensor.shape.empty() ? 1 : tensor.shape.back();
}

std::uint64_t rows(const TensorView& tensor) {
  std::uint64_t count = 1;
  for (std::size_t i = 0; i + 1 < tensor.shape.size(); ++i) count *= tensor.shape[i];
  return count;
}

std::uint64_t blocks_in_row(const TensorView& tensor) {
  return (row_length(tensor) + kLanes - 1) / kLanes;
}

}  // namespace

struct TensorSource::Position {
  std::size_t tensor = 0;
  std::uint64_t row = 0;
  std::uint64_t block = 0;  ///< in the row
  std::uint32_t configuration = 0;
};

TensorSource::TensorSource(std::vector<TensorView> tensors, Configurations configurations,
                           std::uint64_t seed)
    : tensors_(std::move(tensors)), configurations_(std::move(configurations)), seed_(seed) {
  std::uint64_t total = 0;
  for (const TensorView& tensor : tensors_) {
    std::vector<std::uint32_t>& numbers = numbers_.emplace_back();
    for (std::uint32_t i = 0; i < configurations_.size(); ++i) {
      if (config_at(configurations_, i).source.name == tensor.format.name) numbers.push_back(i);
    }
    if (numbers.empty()) {
      throw StimulusError(fmt::format("tensor {}: no configuration has source {}", tensor.name,
                                      tensor.format.name));
    }
    starts_.push_back(total);
    total += rows(tensor) * blocks_in_row(tensor) * numbers.size();
    values_ += rows(tensor) * row_length(tensor);
  }
  starts_.push_back(total);
}

TensorSource::Position TensorSource::locate(std::uint64_t index) const {
  const auto after = std::ranges::upper_bound(starts_, index);
  Position position;
  position.tensor = static_cast<std::size_t>(after - starts_.begin()) - 1;
  std::uint64_t rest = index - starts_[position.tensor];
  const std::vector<std::uint32_t>& numbers = numbers_[position.tensor];
  position.configuration = numbers[rest % numbers.size()];
  rest /= numbers.size();
  position.block = rest % blocks_in_row(tensors_[position.tensor]);
  position.row = rest / blocks_in_row(tensors_[position.tensor]);
  return position;
}

void TensorSource::read_block(const Position& position, BlockIn& block) const {
  const TensorView& tensor = tensors_[position.tensor];
  const std::uint64_t length = row_length(tensor);
  const std::uint64_t column = position.block * kLanes;
  const std::uint64_t count = std::min<std::uint64_t>(kLanes, length - column);
  const std::uint64_t element = position.row * length + column;
  const std::size_t bytes = static_cast<std::size_t>(tensor.format.storage_bits) / 8;
  const std::byte* const words = tensor.data.data() + element * bytes;
  block.source.fill(0);
  if (bytes == sizeof(std::uint32_t)) {
    std::memcpy(block.source.data(), words, count * bytes);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      block.source[i] = static_cast<std::uint32_t>(load_word(words + i * bytes, bytes));
    }
  }
  block.keep = count == kLanes ? kAllLanes : (1U << count) - 1;
  block.last = column + count == length;
  block.config = position.configuration;
  block.random.fill(0);
  const golden::Configuration& configuration = configurations_[block.config];
  if (!golden::takes_random(configuration)) return;
  const int bits = golden::random_bits_of(configuration);
  for (std::size_t i = 0; i < count; ++i) {
    block.random[i] = counter_random(seed_, tensor.index, element + i, bits);
  }
}

void TensorSource::fill(std::uint64_t first, std::span<BlockIn> blocks) const {
  for (std::size_t i = 0; i < blocks.size(); ++i) read_block(locate(first + i), blocks[i]);
}

std::string TensorSource::describe(std::uint64_t index) const {
  const Position position = locate(index);
  return fmt::format("tensor {}, row {}, block {}", tensors_[position.tensor].name, position.row,
                     position.block);
}

}  // namespace mx::sim
