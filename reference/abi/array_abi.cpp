// Arrays of single values over the C ABI.
#include <algorithm>
#include <mutex>
#include <vector>

#include "mxgold.h"
#include "reference/abi/guard.hpp"
#include "reference/abi/objects.hpp"
#include "reference/bulk/bulk.hpp"
#include "reference/number/philox.hpp"
#include "reference/tensor/layout.hpp"
#include "reference/tensor/tensor.hpp"

namespace {

using mx::abi::guarded;

/// An array on its way from source words to codes.
struct Array {
  const mx::Conversion& convert;
  std::span<const std::byte> source;
  std::span<std::byte> codes;
  mx::CounterRandom random;
};

/// Elements [first, last), and the OR of their flags.
std::uint8_t convert_part(const Array& array, std::uint64_t first, std::uint64_t last) {
  const mx::ConversionConfig& config = array.convert.config();
  const std::size_t from = mx::storage_bytes(config.source);
  const std::size_t to = mx::storage_bytes(config.destination);
  const bool draws = mx::is_stochastic(config.policy.rounding);
  const std::uint64_t piece = std::min<std::uint64_t>(last - first, 1024);
  std::vector<std::uint64_t> words(piece);
  std::vector<std::uint64_t> codes(piece);
  std::vector<std::uint32_t> random(draws ? piece : 0);
  std::uint8_t flags = 0;
  for (std::uint64_t start = first; start < last; start += piece) {
    const std::uint64_t count = std::min(piece, last - start);
    for (std::uint64_t i = 0; i < count; ++i) {
      words[i] = mx::layout::load_word(array.source, start + i, from);
      if (draws) {
        random[i] = mx::counter_random(array.random.seed, array.random.tensor, start + i,
                                       config.policy.random_bits);
      }
    }
    flags |= mx::bulk::convert(array.convert, {words.data(), count},
                               {random.data(), draws ? count : 0}, {codes.data(), count}, {});
    for (std::uint64_t i = 0; i < count; ++i) {
      mx::layout::store_word(array.codes, start + i, to, codes[i]);
    }
  }
  return flags;
}

}  // namespace

extern "C" mxgold_status mxgold_convert_array(const mxgold_conversion* conversion,
                                              const void* source, uint64_t source_bytes,
                                              uint64_t seed, uint32_t tensor_index, void* codes,
                                              uint64_t code_bytes, uint32_t* flags) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (conversion == nullptr || (source == nullptr && source_bytes > 0) ||
        (codes == nullptr && code_bytes > 0)) {
      return MXGOLD_NULL_ARGUMENT;
    }
    const mx::ConversionConfig& config = conversion->conversion.config();
    const std::size_t from = mx::storage_bytes(config.source);
    const std::size_t to = mx::storage_bytes(config.destination);
    const std::uint64_t count = source_bytes / from;
    if (source_bytes % from != 0 || code_bytes % to != 0 || code_bytes / to != count) {
      return MXGOLD_BAD_SIZE;
    }
    const Array array{conversion->conversion,
                      mx::abi::read_bytes(source, source_bytes),
                      mx::abi::write_bytes(codes, code_bytes),
                      {seed, tensor_index}};
    const int threads = mx::abi::threads_for(std::max(source_bytes, code_bytes));
    if (!mx::stray_word(config.source, array.source, threads).empty()) return MXGOLD_BAD_CODE;
    std::uint32_t all = 0;
    std::mutex mutex;
    mx::share_work(count, mx::layout::kSharedWords, threads,
                   [&](std::uint64_t first, std::uint64_t last) {
                     const std::uint32_t part = convert_part(array, first, last);
                     const std::lock_guard lock(mutex);
                     all |= part;
                   });
    if (flags != nullptr) *flags = all;
    return MXGOLD_OK;
  });
}
