// The command line of the judges that ask Berkeley TestFloat.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "reference/policy/integer.hpp"
#include "reference/policy/policy.hpp"

namespace mx::external {

struct Options {
  std::string surface;  ///< a format ("f16") or a function ("f16_add"); "": all
  bool wrong = false;
  bool list = false;  ///< prints what there is, and with how many cases; judges nothing
  int level = 1;
  std::string mode;                  ///< one rounding of TestFloat; "": all
  std::optional<Tininess> tininess;  ///< one rule; none: both
  std::uint64_t cases = std::numeric_limits<std::uint64_t>::max();  ///< at most, of each shard
  std::uint64_t seed = 1;  ///< of the generator's random cases; 1 is its default
  OutOfRange out_of_range = OutOfRange::kIndefinite;  ///< as SoftFloat's 8086-SSE
  // Of the judge that is linked with the generator:
  std::uint64_t from = 0;            ///< so many cases go by first
  std::string place;                 ///< the generator's after them, where an earlier run told it
  std::uint64_t piece = 50'000'000;  ///< so many are judged before the next lines are printed
  std::int64_t until = 0;            ///< no piece begins after that time; 0: never mind
  bool lines = false;                ///< prints one shard's cases as the generator does
  // Of the other:
  std::string program;  ///< testfloat_gen: MX_TESTFLOAT or the one on PATH; "": there is none
};

enum class TestfloatProgram : std::uint8_t {
  kText,   ///< reads what testfloat_gen prints
  kLinked  ///< calls the generator
};

/// What the words say; nothing, said on standard error, where they are no such command line.
[[nodiscard]] std::optional<Options> testfloat_options(int argc, char** argv,
                                                       TestfloatProgram program);

/// How many cases the generator has of a function at the level: it is asked for too few and says
/// the least. 0 where it says nothing of the kind.
[[nodiscard]] std::uint64_t cases_of(const Options& options, const std::string& function);

}  // namespace mx::external
