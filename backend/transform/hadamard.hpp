// Hadamard transforms of tensors by the fastest path that is proven for their source.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "backend/tensor/choice.hpp"
#include "backend/tensor/chosen.hpp"
#include "fast/hadamard/hadamard.hpp"
#include "reference/tensor/hadamard.hpp"

namespace mx::backend {

/// Transforms of one mask and source. A value type; the calls are const and may run side by side.
class TensorTransform {
 public:
  /// The problem: the source has no transform (hadamard_problem), or kCpu is asked for and has no
  /// path.
  [[nodiscard]] static Checked<TensorTransform> make(const Hadamard& hadamard,
                                                     const ElementFormat& source, Choice choice);

  [[nodiscard]] bool is_fast() const { return chosen_.is_fast(); }
  /// As TensorQuantizer has them.
  [[nodiscard]] std::string path() const { return chosen_.path(); }
  [[nodiscard]] std::string why_reference() const { return chosen_.why_reference(); }
  [[nodiscard]] std::string self_check() const;

  /// As transform_tensor(). Throws std::logic_error where the spans do not fit the shape.
  void transform(const BlockedShape& shape, std::span<const std::byte> words,
                 std::span<std::byte> values, int threads = 1) const;

 private:
  TensorTransform(const Hadamard& hadamard, const ElementFormat& source)
      : hadamard_(hadamard), source_(source) {}

  Hadamard hadamard_;
  ElementFormat source_;
  Chosen<fast::HadamardPlan> chosen_;
};

}  // namespace mx::backend
