// Judges a backend of the CUDA path against the reference: every code, scale and status bit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fast/cuda/stream.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::fast::test {

inline constexpr int kBlockSize = 32;

/// Where the results of n elements in b = ceil(n / 32) blocks go: n codes, one a byte; b scale
/// codes; b words in the layout of m_axis_tuser (spec R6).
struct QuantizedSpans {
  std::span<std::byte> codes;
  std::span<std::byte> scales;
  std::span<std::uint16_t> status;
};

/// The sources and the OCP MX element formats: 3 x 6 combinations.
[[nodiscard]] std::vector<const ElementFormat*> ocp_sources();
[[nodiscard]] std::vector<const ElementFormat*> ocp_elements();

/// Blocks of 32 that so many bytes of source words are.
[[nodiscard]] std::size_t block_count(const ElementFormat& source, std::size_t source_bytes);

/// quantize_on_host, quantize_on_device or a deliberately wrong variant.
using Backend = Status (*)(const ElementFormat& source, const ElementFormat& element,
                           std::span<const std::byte> words, QuantizedSpans out);

/// The default configuration by the CUDA path: by its arithmetic on the host, on a device.
[[nodiscard]] Status quantize_on_host(const ElementFormat& source, const ElementFormat& element,
                                      std::span<const std::byte> words, QuantizedSpans out);
[[nodiscard]] Status quantize_on_device(const ElementFormat& source, const ElementFormat& element,
                                        std::span<const std::byte> words, QuantizedSpans out);

/// What was compared. A run that compared nothing proves nothing: tests assert floors on these.
struct Tally {
  std::uint64_t elements = 0;
  std::uint64_t blocks = 0;
  std::uint64_t mismatches = 0;  ///< blocks in which a code, the scale or a status bit differs
  std::array<std::uint64_t, 16> status_bits{};  ///< blocks whose reference status has the bit
  std::string first_mismatch;
};

/// Source codes as words of the format's width.
[[nodiscard]] std::vector<std::byte> to_bytes(const ElementFormat& source,
                                              std::span<const std::uint32_t> codes);

/// `elements` source words of the seeded classes of tests/fast/stimulus.hpp.
[[nodiscard]] std::vector<std::byte> random_words(const ElementFormat& source, std::uint64_t seed,
                                                  std::size_t elements);

/// The reference under the configuration that the CUDA path implements.
class BackendCheck {
 public:
  BackendCheck(const ElementFormat& source, const ElementFormat& element);

  [[nodiscard]] const ElementFormat& source() const { return quantizer_.config().source; }
  [[nodiscard]] const ElementFormat& element() const { return quantizer_.config().format.element; }
  [[nodiscard]] const Quantizer& quantizer() const { return quantizer_; }

  /// Quantizes the codes, in blocks of 32 with a short tail, by both and compares all results.
  void compare(Backend backend, std::span<const std::uint32_t> codes, Tally& tally) const;

 private:
  Quantizer quantizer_;
};

}  // namespace mx::fast::test
