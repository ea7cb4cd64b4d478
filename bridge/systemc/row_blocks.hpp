// Blocks along the rows of a tensor, each a record of a model.
#pragma once

#include <mxgold_model.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace mxgold {

struct RowBlocks {
  std::uint64_t rows = 0;
  std::uint64_t length = 0;  ///< elements of a row
  std::uint64_t block = 1;   ///< elements of a whole block

  [[nodiscard]] std::uint64_t in_a_row() const { return (length + block - 1) / block; }
  [[nodiscard]] std::uint64_t count() const { return rows * in_a_row(); }
  /// The first element of block i, and how many it has.
  [[nodiscard]] std::uint64_t first(std::uint64_t i) const {
    return i / in_a_row() * length + i % in_a_row() * block;
  }
  [[nodiscard]] std::uint64_t elements(std::uint64_t i) const {
    return std::min(block, length - i % in_a_row() * block);
  }
};

/// Codes of a tensor as they are stored.
struct Stored {
  const std::vector<std::uint8_t>& bytes;
  std::size_t width;  ///< bytes of a code
  [[nodiscard]] std::uint64_t word(std::uint64_t i) const;
};

/// Sets the block of rows whose length is known; "" or why such blocks are no records. `quantizer`:
/// of the same format, or nullptr where there is none.
[[nodiscard]] std::string find_block(const mxgold_quantizer* quantizer, mxgold_model* model,
                                     mxgold_model_facts& facts, RowBlocks& blocks);

/// What the model of a dequantization makes of stored blocks; "" or what is wrong with one.
[[nodiscard]] std::string dequantize_blocks(mxgold_model* model, const mxgold_model_facts& facts,
                                            const RowBlocks& blocks, const Stored& codes,
                                            const Stored& scales, std::size_t value_width,
                                            std::vector<std::uint8_t>& values);

/// What the model of a quantization makes of stored elements.
struct QuantizedBlocks {
  std::vector<std::uint8_t> codes;
  std::vector<std::uint8_t> scales;
  std::vector<std::uint8_t> flags;
  std::uint32_t all_flags = 0;
};
/// `random`: a word for each element, where the model draws. "" or what is wrong with a block.
[[nodiscard]] std::string quantize_blocks(mxgold_model* model, const mxgold_model_facts& facts,
                                          const RowBlocks& blocks, const Stored& source,
                                          const Stored& random, QuantizedBlocks& out);

}  // namespace mxgold
