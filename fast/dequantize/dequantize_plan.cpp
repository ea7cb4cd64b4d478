#include "fast/dequantize/dequantize_plan.hpp"

#include <atomic>

#include "fast/cpu/threads.hpp"
#include "fast/cpu/walk.hpp"
#include "fast/dequantize/dequantize_kernels.hpp"
#include "fast/dequantize/resolve.hpp"

namespace mx::fast {

struct DequantizePlan::Constants {
  dequantize::BlockConstants block;
};

struct WidenPlan::Constants {
  dequantize::DequantizeConstants decode;
};

Checked<DequantizePlan> DequantizePlan::make(const DequantizeJob& job) {
  const Checked<dequantize::BlockConstants> block = dequantize::resolve(job);
  if (!block) return Problem{std::string(block.problem())};
  return DequantizePlan(std::make_shared<const Constants>(Constants{*block}));
}

int DequantizePlan::block_size() const { return constants_->block.block_size; }

bool DequantizePlan::dequantize(const BlockLayout& layout, std::span<const std::byte> codes,
                                std::span<const std::byte> scales, std::span<std::byte> words,
                                int threads) const {
  const dequantize::BlockConstants& c = constants_->block;
  const std::size_t inner = layout.inner;
  return cpu::walk_back(
      {layout, codes, scales, words}, cpu::word_bytes(c.decode.word.format), c.block_size, threads,
      [&](const auto* code, const auto* scale, std::byte* word, std::size_t elements) {
        return dequantize::dequantize_blocks(c, {code, elements, scale, word});
      },
      [&](const auto* code, const auto* scale, std::byte* word, std::size_t rows) {
        return dequantize::dequantize_columns(c, {code, rows, inner, inner, scale, word});
      });
}

Checked<WidenPlan> WidenPlan::make(const WidenJob& job) {
  const Checked<dequantize::DequantizeConstants> constants = dequantize::resolve(job);
  if (!constants) return Problem{std::string(constants.problem())};
  return WidenPlan(std::make_shared<const Constants>(Constants{*constants}));
}

bool WidenPlan::convert(std::span<const std::byte> codes, std::span<std::byte> words,
                        int threads) const {
  const dequantize::DequantizeConstants& c = constants_->decode;
  const std::size_t width = cpu::word_bytes(c.word.format);
  if (words.size() != codes.size() * width) return false;
  const auto* const code = reinterpret_cast<const std::uint8_t*>(codes.data());
  std::atomic<bool> is_clean = true;
  cpu::share_blocks(1, codes.size(), 1, threads,
                    [&](std::size_t, std::size_t first, std::size_t last) {
                      if (!dequantize::decode_elements(c, code + first, last - first,
                                                       words.data() + first * width)) {
                        is_clean = false;
                      }
                    });
  return is_clean;
}

}  // namespace mx::fast
