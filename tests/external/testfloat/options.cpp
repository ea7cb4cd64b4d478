#include "tests/external/testfloat/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string_view>

#include "reference/policy/token.hpp"
#include "tests/external/testfloat/lines.hpp"

namespace mx::external {
namespace {

constexpr std::array<std::string_view, 6> kModes = {"near_even", "near_maxMag", "minMag",
                                                    "min",       "max",         "odd"};

std::string generator() {
  const char* named = std::getenv("MX_TESTFLOAT");
  if (named != nullptr) return access(named, X_OK) == 0 ? named : "";
  std::istringstream path(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) {
    const std::string program = folder + "/testfloat_gen";
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  return "";
}

/// A whole number from `least` on.
template <typename Number>
bool read_number(std::string_view text, Number& number, Number least = 1) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && number >= least;
}

/// NAME=VALUE of the judge that is linked with the generator.
bool read_linked_option(std::string_view name, std::string_view value, Options& options) {
  if (name == "--from") return read_number(value, options.from, std::uint64_t{0});
  if (name == "--place") options.place = value;
  if (name == "--place") return !value.empty();
  if (name == "--piece") return read_number(value, options.piece);
  return name == "--until" && read_number(value, options.until);
}

/// NAME=VALUE; false where there is no such option or value.
bool read_option(std::string_view name, std::string_view value, Options& options) {
  if (name == "--level") {
    options.level = value == "2" ? 2 : 1;
    return value == "1" || value == "2";
  }
  if (name == "--mode") {
    options.mode = value;
    return std::ranges::find(kModes, value) != kModes.end();
  }
  if (name == "--tininess") {
    options.tininess = value == "before" ? Tininess::kBeforeRounding : Tininess::kAfterRounding;
    return value == "before" || value == "after";
  }
  if (name == "--cases") return read_number(value, options.cases);
  if (name == "--seed") return read_number(value, options.seed);
  if (name != "--out-of-range") return false;
  const auto rule = parse_token<OutOfRange>(value);
  options.out_of_range = rule.value_or(OutOfRange::kIndefinite);
  return rule.has_value();
}

bool read_word(std::string_view word, Options& options, TestfloatProgram program) {
  const bool is_linked = program == TestfloatProgram::kLinked;
  if (is_linked && word == "--lines") return options.lines = true;
  if (word == "--wrong") return options.wrong = true;
  if (word == "--list") return options.list = true;
  if (!word.starts_with("-")) {
    options.surface = word;
    return true;
  }
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = word.substr(0, equals), value = word.substr(equals + 1);
  return read_option(name, value, options) ||
         (is_linked && read_linked_option(name, value, options));
}

constexpr std::string_view kUsage =
    "usage: external_testfloat[_linked] [FORMAT | FUNCTION] [--level=1|2] "
    "[--mode=near_even|near_maxMag|"
    "minMag|min|max|odd]\n"
    "  [--tininess=after|before] [--cases=N] [--seed=N] [--out-of-range=RULE] [--wrong] [--list]\n"
    "--cases: at most so many of each function in each mode, from the first on; --seed: of the\n"
    "generator's random cases; --out-of-range: indefinite, saturate_nan_max or saturate_nan_zero,\n"
    "the rule that SoftFloat was built for; --wrong: a wrong rounding, which must be found; "
    "--list:\n"
    "functions, modes, rules of tininess and how many cases the level has, nothing is judged\n"
    "external_testfloat_linked, mulAdd alone: [--from=N [--place=WORD]] [--piece=N] [--until=TIME] "
    "[--lines]\n"
    "--from: so many cases go by first, in no time where --place is what an earlier run printed "
    "of\n"
    "that place; --piece: the lines of so many are printed together; "
    "--until:\n"
    "no piece begins after that time of `date +%s`; --lines: the first shard's cases as "
    "testfloat_gen prints them\n";

}  // namespace

std::optional<Options> testfloat_options(int argc, char** argv, TestfloatProgram program) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (read_word(argv[i], options, program)) continue;
    std::cerr << "external_testfloat: " << argv[i] << " is no option\n" << kUsage;
    return std::nullopt;
  }
  if (program == TestfloatProgram::kText) options.program = generator();
  return options;
}

std::uint64_t cases_of(const Options& options, const std::string& function) {
  TestfloatLines lines("exec '" + options.program + "' -level " + std::to_string(options.level) +
                       " -n 1 " + function + " 2>&1");
  constexpr std::string_view kBefore = "minimum is ";
  std::uint64_t least = 0;
  while (lines.next({}) != TestfloatLines::Read::kEnd) {
    const std::size_t at = lines.text().find(kBefore);
    if (at == std::string_view::npos) continue;
    std::string_view number = lines.text().substr(at + kBefore.size());
    number = number.substr(0, number.find('.'));
    if (read_number(number, least)) return least;
  }
  return 0;
}

}  // namespace mx::external
