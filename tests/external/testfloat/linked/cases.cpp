// Third parties' files are compiled here from their own folder, in namespaces: the compiler sees
// through the generator's small functions, and how far it has come can be set, which a library
// would hide. Its cases of mulAdd take turns: at level 2 one of three random operands, then one of
// the next of all triples of a list; at level 1 nine cases to a triple.
#if __has_include(<genCases_f64.c>) && __has_include(<softfloat.h>)
#include <array>
#include <cstdint>
#include <utility>

// NOLINTBEGIN(bugprone-suspicious-include,modernize-deprecated-headers): third parties' C
// What the files include, lest they do so in a namespace: <stdlib.h> would bring the C library's
// rand() there.
extern "C" {
#include <softfloat.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
}

#include "tests/external/testfloat/linked/cases.hpp"

namespace mx::external {
namespace {

Rand drawn;

/// What they call.
int rand() { return static_cast<int>(drawn.next()); }

namespace f16 {
#include <genCases_f16.c>
#include <random.c>
}  // namespace f16

namespace f32 {
#include <genCases_f32.c>
#include <random.c>
}  // namespace f32

namespace f64 {
#include <genCases_f64.c>
#include <random.c>
}  // namespace f64
// NOLINTEND(bugprone-suspicious-include,modernize-deprecated-headers)

/// A generator's parts by the names that they have in its file; the operand that changes fastest
/// first.
#define MX_GENERATOR(FORMAT)                                                    \
  namespace FORMAT {                                                            \
  int genCases_level;                                                           \
  uint_fast64_t genCases_total;                                                 \
  bool genCases_done;                                                           \
  }                                                                             \
  struct FORMAT##Generator {                                                    \
    static int level() { return FORMAT::genCases_level; }                       \
    static std::uint64_t announced() { return FORMAT::genCases_total; }         \
    static bool& done() { return FORMAT::genCases_done; }                       \
    static void begin(int level) {                                              \
      FORMAT::genCases_level = level;                                           \
      FORMAT::genCases_##FORMAT##_abc_init();                                   \
    }                                                                           \
    static FusedOperands next() {                                               \
      FORMAT::genCases_##FORMAT##_abc_next();                                   \
      return {FORMAT::genCases_##FORMAT##_a.v, FORMAT::genCases_##FORMAT##_b.v, \
              FORMAT::genCases_##FORMAT##_c.v};                                 \
    }                                                                           \
    static auto next_of(FORMAT::sequence* sequence) {                           \
      return level() == 1 ? FORMAT::FORMAT##NextQInP1(sequence)                 \
                          : FORMAT::FORMAT##NextQInP2(sequence);                \
    }                                                                           \
    static std::uint64_t terms() {                                              \
      return level() == 1 ? FORMAT::FORMAT##NumP1 : FORMAT::FORMAT##NumP2;      \
    }                                                                           \
    static constexpr std::uint64_t kExponents = FORMAT::FORMAT##NumQIn;         \
    static auto operands() {                                                    \
      return std::array{std::pair{&FORMAT::sequenceC, &FORMAT::currentC},       \
                        std::pair{&FORMAT::sequenceB, &FORMAT::currentB},       \
                        std::pair{&FORMAT::sequenceA, &FORMAT::currentA}};      \
    }                                                                           \
    static int& turn() { return FORMAT::subcase; }                              \
  }
MX_GENERATOR(f16);
MX_GENERATOR(f32);
MX_GENERATOR(f64);
#undef MX_GENERATOR

template <typename G>
void begin(int level, std::uint64_t seed) {
  drawn.seed(static_cast<std::uint32_t>(seed));
  G::begin(level);
}

template <typename G>
[[gnu::flatten]] std::size_t make(std::span<FusedOperands> room) {
  std::size_t made = 0;
  while (made < room.size() && !G::done()) room[made++] = G::next();
  return made;
}

/// A triple is taken at turn 0 of nine, or at turn 1 of two. Each of its operands is the next of a
/// list; it goes on when that of the operand after it has ended.
template <typename G>
void leap(std::uint64_t cases) {
  const std::uint64_t turns = G::level() == 1 ? 9 : 2;
  const std::uint64_t taken_at = G::level() == 1 ? 0 : 1;
  const std::uint64_t turn = cases % turns;
  const std::uint64_t taken = cases / turns + (turn > taken_at ? 1 : 0);
  G::turn() = static_cast<int>(turn);
  G::done() = cases == G::announced();
  if (taken == 0) return;
  std::uint64_t left = taken - 1;
  for (const auto& [sequence, current] : G::operands()) {
    const std::uint64_t at = left % (G::kExponents * G::terms());
    left /= G::kExponents * G::terms();
    sequence->expNum = static_cast<int>(at / G::terms());
    sequence->term1Num = static_cast<int>(at % G::terms());
    sequence->done = false;
    *current = G::next_of(sequence);
  }
}

template <typename G>
constexpr CaseGenerator kGenerator = {begin<G>, G::announced, make<G>, leap<G>, drawn};

}  // namespace

const CaseGenerator& case_generator(std::string_view format) {
  if (format == "f16") return kGenerator<f16Generator>;
  if (format == "f32") return kGenerator<f32Generator>;
  return kGenerator<f64Generator>;
}

}  // namespace mx::external
#endif
