#include <cassert>
#include <mutex>

#include "reference/block/block_elements.hpp"
#include "reference/block/scale.hpp"
#include "reference/bulk/bulk.hpp"
#include "reference/number/philox.hpp"
#include "reference/parallel/threads.hpp"
#include "reference/tensor/layout.hpp"

namespace mx {
namespace {

using namespace layout;

/// What is kept of some elements on their way.
struct QuantizeBuffers {
  std::vector<std::uint64_t> words;
  std::vector<std::uint32_t> random;
  std::vector<std::uint64_t> codes;
};

void add(TensorSummary& summary, const BlockResult& block, std::uint64_t elements) {
  ++summary.blocks;
  summary.elements += elements;
  summary.nan_scales += (block.flags & kBlockNanScale) != 0 ? 1 : 0;
  summary.flags |= block.flags;
}

/// The parts of one call.
class Encoding {
 public:
  Encoding(const Quantizer& quantizer, const BlockedShape& shape, Tail tail,
           std::span<const std::byte> source, CounterRandom random, std::span<std::byte> codes,
           std::span<std::byte> scales)
      : quantizer_(quantizer),
        c_(quantizer.config()),
        shape_(shape),
        tail_(tail),
        source_(source),
        random_(random),
        codes_(codes),
        scales_(scales),
        rounds_at_random_(is_stochastic(c_.element.rounding)),
        draws_(rounds_at_random_ || facts_of(c_.block.rule).draws) {}

  /// Are blocks so long that they are scanned and encoded piece by piece?
  [[nodiscard]] bool in_pieces() const {
    return block_capacity(shape_) > kPiece && scale_needs_only_scan(c_);
  }

  /// Blocks that fit into buffers.
  [[nodiscard]] TensorSummary blocks(std::uint64_t first, std::uint64_t last) const {
    QuantizeBuffers buffers;
    TensorSummary summary;
    for (std::uint64_t b = first; b < last; ++b) {
      const BlockPlace place = place_of(shape_, b);
      load(place, 0, place.count, buffers);
      const BlockResult result =
          bulk::quantize_block(quantizer_, buffers.words, buffers.random, buffers.codes);
      store(place, 0, buffers.codes);
      finish(b, place, result);
      add(summary, result, place.count);
    }
    return summary;
  }

  /// One long block, its pieces shared by threads: the scan first, then the elements.
  [[nodiscard]] TensorSummary long_block(std::uint64_t block, int threads) const {
    const BlockPlace place = place_of(shape_, block);
    std::mutex mutex;
    BlockScan scan;
    share_work(place.count, kPiece, threads, [&](std::uint64_t first, std::uint64_t last) {
      QuantizeBuffers buffers;
      load(place, first, last, buffers);
      const BlockScan part = scan_block(c_, buffers.words);
      const std::lock_guard lock(mutex);
      merge(scan, part);
    });
    const std::uint32_t word = draws_ ? random_word(index_of(place, 0)) : 0;
    const BlockElements lanes = lanes_under(c_, scale_of_scan(c_, scan, place.count, word));
    BlockResult result = lanes.block;
    share_work(place.count, kPiece, threads, [&](std::uint64_t first, std::uint64_t last) {
      QuantizeBuffers buffers;
      load(place, first, last, buffers);
      const std::uint8_t flags =
          bulk::encode_lanes(c_, lanes, first, buffers.words, buffers.random, buffers.codes);
      store(place, first, buffers.codes);
      const std::lock_guard lock(mutex);
      result.flags |= flags;
    });
    finish(block, place, result);
    TensorSummary summary;
    add(summary, result, place.count);
    return summary;
  }

 private:
  [[nodiscard]] std::uint64_t index_of(const BlockPlace& place, std::uint64_t i) const {
    return element_index(shape_, shape_.length, place, place.width, i);
  }

  [[nodiscard]] std::uint32_t random_word(std::uint64_t index) const {
    const int bits = rounds_at_random_ ? c_.element.random_bits : 32;
    return counter_random(random_.seed, random_.tensor, index, bits);
  }

  /// Elements [first, last) of a block, and their random words.
  void load(const BlockPlace& place, std::uint64_t first, std::uint64_t last,
            QuantizeBuffers& buffers) const {
    const std::size_t size = storage_bytes(c_.source);
    buffers.words.resize(last - first);
    buffers.codes.resize(last - first);
    buffers.random.resize(draws_ ? last - first : 0);
    for (std::uint64_t i = first; i < last; ++i) {
      const std::uint64_t index = index_of(place, i);
      buffers.words[i - first] = load_word(source_, index, size);
      if (draws_) buffers.random[i - first] = random_word(index);
    }
  }

  void store(const BlockPlace& place, std::uint64_t first,
             std::span<const std::uint64_t> codes) const {
    const std::uint64_t length = stored_length(shape_, tail_);
    const std::size_t size = storage_bytes(c_.format.element);
    for (std::uint64_t i = 0; i < codes.size(); ++i) {
      store_word(codes_, element_index(shape_, length, place, place.width, first + i), size,
                 codes[i]);
    }
  }

  /// The scale, and zero codes where a short block is padded to its full width.
  void finish(std::uint64_t block, const BlockPlace& place, const BlockResult& result) const {
    store_word(scales_, block, scale_bytes(c_.format), result.scale_code);
    if (tail_ == Tail::kShort || place.width == shape_.block_size || place.width == 0) return;
    const std::uint64_t length = stored_length(shape_, tail_);
    for (std::uint64_t line = 0; line < place.count / place.width; ++line) {
      for (std::uint64_t i = place.width; i < shape_.block_size; ++i) {
        const std::uint64_t lane = line * shape_.block_size + i;
        store_word(codes_, element_index(shape_, length, place, shape_.block_size, lane),
                   storage_bytes(c_.format.element), 0);
      }
    }
  }

  const Quantizer& quantizer_;
  const QuantizerConfig& c_;
  const BlockedShape& shape_;
  Tail tail_;
  std::span<const std::byte> source_;
  CounterRandom random_;
  std::span<std::byte> codes_;
  std::span<std::byte> scales_;
  bool rounds_at_random_;
  bool draws_;
};

}  // namespace

Unpacked tensor_amax(const ElementFormat& source, const ElementPolicy& policy,
                     std::span<const std::byte> words, int threads) {
  const std::size_t size = storage_bytes(source);
  Unpacked amax;
  std::mutex mutex;
  share_work(words.size() / size, kSharedWords, threads,
             [&](std::uint64_t first, std::uint64_t last) {
               Unpacked largest;
               for (std::uint64_t i = first; i < last; ++i) {
                 const Unpacked x = decode_flushed(source, policy, load_word(words, i, size));
                 if (x.cls == ValueClass::kFinite && compare_magnitude(x, largest) > 0) largest = x;
               }
               const std::lock_guard lock(mutex);
               if (compare_magnitude(largest, amax) > 0) amax = largest;
             });
  amax.negative = false;
  return amax;
}

Checked<TensorSummary> quantize_tensor(const Quantizer& quantizer, const BlockedShape& shape,
                                       Tail tail, std::span<const std::byte> source,
                                       CounterRandom random, std::span<std::byte> codes,
                                       std::span<std::byte> scales, std::uint64_t first_block,
                                       std::uint64_t last_block, int threads) {
  assert(source.size() == shape.elements * storage_bytes(quantizer.config().source));
  assert(scales.size() >= shape.scales * scale_bytes(quantizer.config().format));
  const Range range = range_of(shape, first_block, last_block);
  std::string stray =
      stray_in_blocks(shape, shape.length, range, quantizer.config().source, source, threads);
  if (!stray.empty()) return Problem{std::move(stray)};
  const Encoding work(quantizer, shape, tail, source, random, codes, scales);
  TensorSummary summary;
  if (work.in_pieces()) {
    for (std::uint64_t b = range.first; b < range.last; ++b) {
      summary += work.long_block(b, threads);
    }
    return summary;
  }
  std::mutex mutex;
  share_work(range.last - range.first, blocks_at_a_time(shape), threads,
             [&](std::uint64_t first, std::uint64_t last) {
               const TensorSummary part = work.blocks(range.first + first, range.first + last);
               const std::lock_guard lock(mutex);
               summary += part;
             });
  return summary;
}

}  // namespace mx
