// What the handles of the C ABI point to, where more than one file needs them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "backend/tensor/converter.hpp"
#include "backend/tensor/tensor_dequantizer.hpp"
#include "backend/tensor/tensor_quantizer.hpp"
#include "mxgold.h"
#include "reference/block/quantizer.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/element/encode.hpp"
#include "reference/parallel/threads.hpp"
#include "reference/profiles/masks.hpp"
#include "reference/profiles/profile.hpp"

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

/// The same, of a worker that is made when the first tensor needs it: tables cost more than a
/// block.
template <typename Worker>
class Deferred {
 public:
  explicit Deferred(std::function<Worker()> make) : make_(std::move(make)) {}

  [[nodiscard]] const Worker& checked() const {
    std::call_once(once_, [&] { worker_.emplace(make_()); });
    return worker_->checked();
  }

 private:
  std::function<Worker()> make_;
  mutable std::once_flag once_;
  mutable std::optional<Checkable<Worker>> worker_;
};

/// Elements from which a tensor is worth a self-check of its fast path.
inline constexpr std::uint64_t kLarge = 1 << 15;

/// The ways back of a quantizer, one for each output format, made and checked when first asked for.
class WaysBack {
 public:
  /// Null where the choice has no path to the format. Throws as Checkable::checked().
  [[nodiscard]] const backend::TensorDequantizer* to(const ElementFormat& output,
                                                     const QuantizerConfig& config,
                                                     backend::Choice choice) const {
    Way& way = way_to(output, config, choice);
    return way.dequantizer ? &way.dequantizer->checked() : nullptr;
  }

 private:
  struct Way {
    ElementFormat output;
    std::unique_ptr<Checkable<backend::TensorDequantizer>> dequantizer;
  };

  Way& way_to(const ElementFormat& output, const QuantizerConfig& config,
              backend::Choice choice) const {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find(ways_, output, &Way::output);
    if (known != ways_.end()) return *known;
    Checked<backend::TensorDequantizer> made =
        backend::TensorDequantizer::make(config, output, choice);
    Way way{output, nullptr};
    if (made) {
      way.dequantizer =
          std::make_unique<Checkable<backend::TensorDequantizer>>(std::move(made).value());
    }
    return ways_.emplace_back(std::move(way));
  }

  mutable std::mutex mutex_;
  mutable std::list<Way> ways_;  // whose places do not change
};

}  // namespace mx::abi

struct mxgold_conversion {
  mxgold_conversion(const mx::Conversion& one, const mx::backend::TensorConverter& many,
                    mx::Masks open)
      : conversion(one), masks(open), arrays(many) {}

  std::string source, destination;  ///< the names that it was made by
  mx::Conversion conversion;
  mx::Masks masks;  ///< what the profile leaves open
  mx::abi::Checkable<mx::backend::TensorConverter> arrays;
};

struct mxgold_quantizer {
  /// The choice has a path for the configuration.
  mxgold_quantizer(const mx::Quantizer& made, mx::backend::Choice chosen, mx::Masks open,
                   const mx::Profile* from, std::shared_ptr<const mx::FormatCatalog> names)
      : book(std::move(names)),
        quantizer(made),
        masks(open),
        profile(from),
        choice(chosen),
        tensors([made, chosen] {
          return mx::backend::TensorQuantizer::make(made.config(), chosen).value();
        }) {}

  std::string source;                             ///< the name that it was made by
  std::shared_ptr<const mx::FormatCatalog> book;  ///< keeps the names of formats
  mx::Quantizer quantizer;
  mx::Masks masks;
  const mx::Profile* profile;  ///< whose policies it started with; may be null
  mx::backend::Choice choice;
  mx::abi::Deferred<mx::backend::TensorQuantizer> tensors;
  mx::abi::WaysBack back;
};

namespace mx::abi {

/// A thread more pays for itself in tensors of some size only.
inline int threads_for(std::uint64_t bytes) { return bytes < 1 << 20 ? 1 : machine_threads(); }

/// Memory of a caller; of no bytes where `data` is null.
struct Buffer {
  const void* data;
  std::uint64_t bytes;
};

/// Does an output share a byte with an input, or with another output?
inline bool is_shared(std::initializer_list<Buffer> outputs, std::initializer_list<Buffer> inputs) {
  const auto meet = [](const Buffer& a, const Buffer& b) {
    const auto first = reinterpret_cast<std::uintptr_t>(a.data);
    const auto second = reinterpret_cast<std::uintptr_t>(b.data);
    const bool is_any = a.data != nullptr && b.data != nullptr && a.bytes != 0 && b.bytes != 0;
    return is_any && (first < second ? second - first < a.bytes : first - second < b.bytes);
  };
  for (const Buffer* output = outputs.begin(); output != outputs.end(); ++output) {
    const auto meets = [&](const Buffer& other) { return meet(*output, other); };
    if (std::any_of(inputs.begin(), inputs.end(), meets)) return true;
    if (std::any_of(output + 1, outputs.end(), meets)) return true;
  }
  return false;
}

/// How many values an array holds, and the bytes of one before and after its conversion.
struct ArraySizes {
  std::uint64_t count = 0;
  std::size_t source = 0;
  std::size_t code = 0;
};

/// Checks the arrays that go with a conversion, and finds their sizes.
inline mxgold_status read_sizes(const mxgold_conversion* conversion, Buffer source, Buffer codes,
                                ArraySizes& sizes) {
  if (conversion == nullptr || (source.data == nullptr && source.bytes > 0) ||
      (codes.data == nullptr && codes.bytes > 0)) {
    return MXGOLD_NULL_ARGUMENT;
  }
  const ConversionConfig& config = conversion->conversion.config();
  sizes.source = storage_bytes(config.source);
  sizes.code = storage_bytes(config.destination);
  sizes.count = source.bytes / sizes.source;
  const bool are_whole = source.bytes % sizes.source == 0 && codes.bytes % sizes.code == 0;
  return are_whole && codes.bytes / sizes.code == sizes.count ? MXGOLD_OK : MXGOLD_BAD_SIZE;
}

inline std::span<const std::byte> read_bytes(const void* data, std::uint64_t size) {
  return {static_cast<const std::byte*>(data), size};
}

inline std::span<std::byte> write_bytes(void* data, std::uint64_t size) {
  return {static_cast<std::byte*>(data), size};
}

}  // namespace mx::abi
