// Which result fields of a device somebody looks at: a device without status flags is still one.
#pragma once

#include <array>
#include <span>
#include <string>

#include "golden/vectors/record.hpp"
#include "reference/policy/checked.hpp"

namespace mx::golden {

/// The fields that a device gives: results, and what passes through it. The words of other results
/// are not compared, but counted.
class Observed {
 public:
  /// Every field.
  Observed() = default;
  /// These fields of records of this shape, `all` for every one. The problem: no field, or a name
  /// that is no such field of these records, or no result field among them.
  [[nodiscard]] static Checked<Observed> make(std::span<const std::string> names,
                                              const RecordShape& shape);

  /// Every field but these.
  [[nodiscard]] static Observed all_but(std::span<const Field> hidden);

  [[nodiscard]] bool has(Field field) const { return !hidden_[static_cast<std::size_t>(field)]; }
  [[nodiscard]] bool has_all() const { return *this == Observed(); }
  /// The fields of a shape that are observed, results first: "scale,code".
  [[nodiscard]] std::string text(const RecordShape& shape) const;
  bool operator==(const Observed&) const = default;
  /// What both give.
  [[nodiscard]] Observed operator&(const Observed& other) const;

 private:
  std::array<bool, kFields> hidden_{};
};

}  // namespace mx::golden
