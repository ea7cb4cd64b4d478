// Another machine with a fused multiply-add, and a generator of cases for it, in this process.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tests/external/testfloat/agreement.hpp"
#include "tests/external/testfloat/functions.hpp"

namespace mx::external {

using FusedOperands = std::array<std::uint64_t, 3>;

/// How a machine is asked: in a rounding, under a rule of tininess.
struct Way {
  Rounding rounding = Rounding::kTiesToEven;
  Tininess tininess = Tininess::kAfterRounding;
};

class FusedMachine {
 public:
  FusedMachine() = default;
  FusedMachine(const FusedMachine&) = delete;
  FusedMachine& operator=(const FusedMachine&) = delete;
  virtual ~FusedMachine() = default;

  /// How many cases the generator says that it has.
  [[nodiscard]] virtual std::uint64_t announced() const = 0;
  /// Fills the room with the next cases. How many: fewer than it holds only at the generator's end.
  [[nodiscard]] virtual std::size_t make(std::span<FusedOperands> room) = 0;
  /// Where the generator's random numbers stand, in one word; "" of one that has no such place.
  [[nodiscard]] virtual std::string place() const { return {}; }
  /// Lets the first cases of all go by, without making them: then its random numbers stand at
  /// `place`. False where that is no place, or where not so many cases are left.
  [[nodiscard]] virtual bool leap(std::uint64_t cases, std::string_view place) {
    return cases == 0 && place.empty();
  }
  /// Takes the cases that it is asked next.
  virtual void take(std::span<const FusedOperands> cases) = 0;
  /// Its answers to them in a way.
  virtual void answer(const Way& way, std::span<TestfloatAnswer> answers) = 0;
  /// Does it look at the rule of tininess for one of them? Where it does not, its answer is the
  /// same under both.
  [[nodiscard]] virtual bool has_tininess_read(std::size_t) const { return true; }
};

/// TestFloat's generator and SoftFloat for mulAdd of a format, "f16", "f32" or "f64"; nothing where
/// this program was built without them. Their state is global: one at a time.
[[nodiscard]] std::unique_ptr<FusedMachine> berkeley_machine(std::string_view format, int level,
                                                             std::uint64_t seed);

}  // namespace mx::external
