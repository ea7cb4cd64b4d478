// Looks at vectors and counts what they hit.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "golden/coverpoints/coverpoint.hpp"
#include "golden/vectors/record.hpp"

namespace mx::golden {

/// What of a vector's answer is not compared and covers nothing, because its profile leaves it open
/// or the device does not give it.
class NotCompared {
 public:
  /// The words of a field `open`; none for nothing.
  explicit NotCompared(std::span<const std::uint64_t> words) : words_(words) {}

  [[nodiscard]] bool flags() const { return is_set(0); }
  [[nodiscard]] bool scale() const { return is_set(1); }
  [[nodiscard]] bool code(std::size_t lane) const { return is_set(lane + 2); }

 private:
  [[nodiscard]] bool is_set(std::size_t bit) const {
    return !words_.empty() && (words_[bit / 8] >> bit % 8 & 1) != 0;
  }

  std::span<const std::uint64_t> words_;
};

/// Looks at vectors of one configuration with their expected answers. Serves one thread.
class Collector {
 public:
  Collector() = default;
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;
  virtual ~Collector() = default;

  virtual void sample(const RecordBatch& batch, std::size_t i, const NotCompared& open) = 0;
  /// The same with the vector's own field `open`.
  void sample(const RecordBatch& batch, std::size_t i) {
    sample(batch, i, NotCompared(batch.of(Field::kOpen, i)));
  }
  [[nodiscard]] virtual std::vector<Coverpoint> points() const = 0;
};

}  // namespace mx::golden
