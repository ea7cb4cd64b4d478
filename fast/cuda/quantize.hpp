// Quantization by the CUDA path: on a device where there is one, and by the same arithmetic on the
// host everywhere.
//
// What it computes is one configuration of the reference: FP32, BF16 or FP16 into the six OCP MX
// element formats, blocks of 32 consecutive elements (the last may be short), scale format e8m0,
// rule floor, ties_to_even, sat_finite, and the special blocks of the profile mxgold-default
// (spec F11.2 and F12.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "reference/format/format.hpp"

namespace mx::fast {

enum class Error : std::uint8_t {
  kNone,
  kUnsupportedFormat,  ///< not one of the 3 sources or 6 element formats
  kBadSize,            ///< a span does not fit the source span
  kNoDevice,           ///< no device code in this build, no driver, or no device
  kDevice              ///< a CUDA call failed
};

/// Success, or what went wrong in words. On an error the outputs are unspecified.
struct Status {
  Error error = Error::kNone;
  std::string_view detail = {};
  [[nodiscard]] explicit operator bool() const { return error == Error::kNone; }
};

/// Where the results go, caller-owned. For n elements in b = ceil(n / 32) blocks: `codes` has n
/// bytes, one element code each; `scales` b bytes; `status` b words in the layout of
/// m_axis_tuser (spec R6), the scale code in the low byte.
struct QuantizedSpans {
  std::span<std::byte> codes;
  std::span<std::byte> scales;
  std::span<std::uint16_t> status;
};

/// True for the 3 x 6 combinations that the kernel is instantiated for.
[[nodiscard]] bool is_supported(const ElementFormat& source, const ElementFormat& element);

/// Number of blocks of a source span; the span's size must be a multiple of the word size.
[[nodiscard]] std::size_t block_count(const ElementFormat& source, std::size_t source_bytes);

/// Quantizes source words, in the host's byte order. The span may be unaligned and may be empty.
[[nodiscard]] Status quantize_on_host(const ElementFormat& source, const ElementFormat& element,
                                      std::span<const std::byte> words, QuantizedSpans out);

/// The same on the current CUDA device: copies in, runs the kernel, copies out, waits.
[[nodiscard]] Status quantize_on_device(const ElementFormat& source, const ElementFormat& element,
                                        std::span<const std::byte> words, QuantizedSpans out);

/// Why quantize_on_device cannot work here: no device code in this build, no driver, no device.
/// Empty where it can.
[[nodiscard]] std::string_view device_problem();

[[nodiscard]] inline bool device_available() { return device_problem().empty(); }

}  // namespace mx::fast
