// What the handles of the C ABI point to, where more than one file needs them.
#pragma once

#include <cstdint>
#include <span>

#include "mxgold.h"
#include "reference/block/quantizer.hpp"
#include "reference/element/encode.hpp"
#include "reference/parallel/threads.hpp"

struct mxgold_conversion {
  mx::Conversion conversion;
};

struct mxgold_quantizer {
  mx::Quantizer quantizer;
};

namespace mx::abi {

/// A thread more pays for itself in tensors of some size only.
inline int threads_for(std::uint64_t bytes) { return bytes < 1 << 20 ? 1 : machine_threads(); }

inline std::span<const std::byte> read_bytes(const void* data, std::uint64_t size) {
  return {static_cast<const std::byte*>(data), size};
}

inline std::span<std::byte> write_bytes(void* data, std::uint64_t size) {
  return {static_cast<std::byte*>(data), size};
}

}  // namespace mx::abi
