// What the handles of the C ABI point to, where more than one file needs them.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>

#include "backend/tensor/converter.hpp"
#include "backend/tensor/quantizer.hpp"
#include "mxgold.h"
#include "reference/block/quantizer.hpp"
#include "reference/element/encode.hpp"
#include "reference/parallel/threads.hpp"

namespace mx::abi {

/// What computes large tensors, and its self-check, which the first of them waits for.
template <typename Worker>
class Checkable {
 public:
  explicit Checkable(Worker worker) : worker_(std::move(worker)) {}

  [[nodiscard]] const Worker& unchecked() const { return worker_; }
  /// Throws std::runtime_error where a bit differs from the reference's.
  [[nodiscard]] const Worker& checked() const {
    std::call_once(once_, [&] { problem_ = worker_.self_check(); });
    if (!problem_.empty()) throw std::runtime_error(problem_);
    return worker_;
  }

 private:
  Worker worker_;
  mutable std::once_flag once_;
  mutable std::string problem_;
};

/// Elements from which a tensor is worth a self-check of its fast path.
inline constexpr std::uint64_t kLarge = 1 << 15;

}  // namespace mx::abi

struct mxgold_conversion {
  mx::Conversion conversion;
  mx::abi::Checkable<mx::backend::TensorConverter> arrays;
};

struct mxgold_quantizer {
  mx::Quantizer quantizer;
  mx::backend::Choice choice;
  mx::abi::Checkable<mx::backend::TensorQuantizer> tensors;
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
