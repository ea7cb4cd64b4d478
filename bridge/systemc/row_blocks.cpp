#include "row_blocks.hpp"

#include <array>

#include "mxgold_systemc/words.hpp"

namespace mxgold {
namespace {

/// Asks a model; "" or what is wrong with block i.
std::string ask(mxgold_model* model, const mxgold_record& record, std::uint64_t i) {
  std::array<char, 256> why{};
  const mxgold_status status = mxgold_model_answer(model, &record, nullptr, why.data(), why.size());
  return status == MXGOLD_OK ? std::string() : "block " + std::to_string(i) + ": " + why.data();
}

std::uint32_t lanes_of(const mxgold_model_facts& facts, std::uint64_t elements) {
  return facts.varies != 0 ? static_cast<std::uint32_t>(elements) : 0;
}

}  // namespace

std::uint64_t Stored::word(std::uint64_t i) const {
  return get_word(bytes.data() + i * width, width);
}

std::string find_block(const mxgold_quantizer* quantizer, mxgold_model* model,
                       mxgold_model_facts& facts, RowBlocks& blocks) {
  mxgold_block_info info{};
  if (quantizer != nullptr && mxgold_block(quantizer, &info) == MXGOLD_OK) {
    const std::string extent = info.extent;
    if (info.tile_lines != 1 || extent == "tensor") {
      return "tiles and blocks of whole tensors are no records: leave FLAGS_OUT and RANDOM 0, and "
             "the policies of a result at their defaults";
    }
    const auto length = static_cast<std::uint32_t>(blocks.length);
    if (extent == "axis" && mxgold_model_set_lanes(model, length) != MXGOLD_OK) {
      return "rows of " + std::to_string(length) + " elements are too long for one block";
    }
  }
  static_cast<void>(mxgold_model_describe(model, &facts));
  blocks.block = facts.lanes;
  return {};
}

std::string dequantize_blocks(mxgold_model* model, const mxgold_model_facts& facts,
                              const RowBlocks& blocks, const Stored& codes, const Stored& scales,
                              std::size_t value_width, std::vector<std::uint8_t>& values) {
  std::vector<std::uint64_t> in(blocks.block);
  std::vector<std::uint64_t> out(blocks.block);
  std::uint64_t scale = 0;
  mxgold_record record{};
  record.operands[MXGOLD_FIELD_A_SCALE] = &scale;
  record.operands[MXGOLD_FIELD_A] = in.data();
  record.results[1] = out.data();
  for (std::uint64_t block = 0; block < blocks.count(); ++block) {
    const std::uint64_t first = blocks.first(block);
    const std::uint64_t count = blocks.elements(block);
    scale = scales.word(block);
    for (std::uint64_t i = 0; i < count; ++i) in[i] = codes.word(first + i);
    record.elements = lanes_of(facts, count);
    if (std::string why = ask(model, record, block); !why.empty()) return why;
    for (std::uint64_t i = 0; i < count; ++i) {
      put_word(values.data() + (first + i) * value_width, value_width, out[i]);
    }
  }
  return {};
}

std::string quantize_blocks(mxgold_model* model, const mxgold_model_facts& facts,
                            const RowBlocks& blocks, const Stored& source, const Stored& random,
                            QuantizedBlocks& out) {
  const std::size_t code_width = storage_bytes(facts.fields[MXGOLD_FIELD_CODE].bits);
  const std::size_t scale_width = storage_bytes(facts.fields[MXGOLD_FIELD_SCALE].bits);
  const bool draws = facts.fields[MXGOLD_FIELD_RANDOM].words != 0;
  out.codes.resize(blocks.rows * blocks.length * code_width);
  out.scales.resize(blocks.count() * scale_width);
  out.flags.resize(blocks.count());
  std::vector<std::uint64_t> in(blocks.block);
  std::vector<std::uint64_t> drawn(blocks.block);
  std::vector<std::uint64_t> codes(blocks.block);
  std::uint64_t scale = 0;
  std::uint64_t flags = 0;
  mxgold_record record{};
  record.operands[MXGOLD_FIELD_SOURCE] = in.data();
  record.operands[MXGOLD_FIELD_RANDOM] = drawn.data();
  record.results[0] = &scale;
  record.results[1] = codes.data();
  record.results[2] = &flags;
  for (std::uint64_t block = 0; block < blocks.count(); ++block) {
    const std::uint64_t first = blocks.first(block);
    const std::uint64_t count = blocks.elements(block);
    for (std::uint64_t i = 0; i < count; ++i) {
      in[i] = source.word(first + i);
      if (draws) drawn[i] = random.word(first + i);
    }
    record.elements = lanes_of(facts, count);
    if (std::string why = ask(model, record, block); !why.empty()) return why;
    for (std::uint64_t i = 0; i < count; ++i) {
      put_word(out.codes.data() + (first + i) * code_width, code_width, codes[i]);
    }
    put_word(out.scales.data() + block * scale_width, scale_width, scale);
    out.flags[block] = static_cast<std::uint8_t>(flags);
    out.all_flags |= static_cast<std::uint32_t>(flags);
  }
  return {};
}

}  // namespace mxgold
