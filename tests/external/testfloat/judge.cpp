// mxgold's arithmetic against Berkeley TestFloat: testfloat_gen prints operands, result and
// exception flags of IEEE operations; every line is computed again.
#include <array>
#include <chrono>
#include <iomanip>
#include <sstream>

#include "reference/format/table.hpp"
#include "tests/external/judges/verdict.hpp"
#include "tests/external/testfloat/functions.hpp"
#include "tests/external/testfloat/lines.hpp"
#include "tests/external/testfloat/options.hpp"

namespace mx::external {
namespace {

/// TestFloat's flag bits.
enum : unsigned { kInexact = 1, kUnderflow = 2, kOverflow = 4, kInfinite = 8, kInvalid = 16 };

/// So many mismatches say what there is to say about a function.
constexpr std::uint64_t kEnough = 1000;

unsigned flags_of(std::uint8_t flags) {
  return ((flags & kFlagInexact) != 0 ? kInexact : 0U) |
         ((flags & kFlagUnderflow) != 0 ? kUnderflow : 0U) |
         ((flags & kFlagOverflow) != 0 ? kOverflow : 0U) |
         ((flags & kFlagDivideByZero) != 0 ? kInfinite : 0U) |
         ((flags & kFlagInvalid) != 0 ? kInvalid : 0U);
}

/// Does IEEE 754-2019 section 7.2 leave invalid open: 0 * Inf + quiet NaN?
bool is_invalid_open(const ElementFormat& format, std::span<const std::uint64_t> x) {
  const Unpacked a = decode(format, x[0]);
  const Unpacked b = decode(format, x[1]);
  const Unpacked c = decode(format, x[2]);
  const bool no_product = (a.cls == ValueClass::kInf && b.cls == ValueClass::kZero) ||
                          (a.cls == ValueClass::kZero && b.cls == ValueClass::kInf);
  return no_product && c.cls == ValueClass::kNan && !c.signaling;
}

/// The other machine's answer is ours: the code and all five flags. Which NaN comes out is the
/// machine's choice; that it is a quiet one is not.
bool agrees(const TestfloatModel& model, std::span<const std::uint64_t> operands,
            const Encoded& ours, std::uint64_t want, unsigned want_flags) {
  const unsigned our_flags = flags_of(ours.flags);
  if (ours.code == want && our_flags == want_flags) return true;
  unsigned differ = our_flags ^ want_flags;
  if (operands.size() == 3 && is_invalid_open(model.from(), operands)) {
    differ &= ~static_cast<unsigned>(kInvalid);
  }
  if (differ != 0) return false;
  if (ours.code == want) return true;
  const Unpacked our_value = decode(model.to(), ours.code);
  return decode(model.to(), want).cls == ValueClass::kNan && our_value.cls == ValueClass::kNan &&
         !our_value.signaling;
}

/// A function in one rounding, under one rule of tininess.
struct Shard {
  const TestfloatFunction& function;
  TestfloatMode mode;
  Tininess tininess;

  /// "odd before", or "any" where neither has a say.
  [[nodiscard]] std::string text() const {
    if (!function.is_rounded) return "any";
    std::string text(mode.option);
    if (function.has_tininess) {
      text += tininess == Tininess::kBeforeRounding ? " before" : " after";
    }
    return text;
  }
};

/// As many lines as are wanted, and none fewer.
void judge_lines(TestfloatLines& lines, std::uint64_t wanted, const TestfloatModel& model,
                 oracle::Report& report) {
  const std::size_t operands = model.operands();
  const int digits = (model.to().bits + 3) / 4;
  std::array<std::uint64_t, 5> words{};
  std::uint64_t compared = 0;
  while (compared < wanted && report.mismatches() < kEnough) {
    const auto read = lines.next(std::span(words).first(operands + 2));
    if (read == TestfloatLines::Read::kEnd) break;
    const auto x = std::span(words).first(operands);
    const std::uint64_t want = words[operands];
    const auto want_flags = static_cast<unsigned>(words[operands + 1]);
    if (read == TestfloatLines::Read::kOtherText) {
      report.check(false, [&] { return "no numbers: " + std::string(lines.text()); });
      return;
    }
    const Encoded ours = model(x);
    ++compared;
    report.check(agrees(model, x, ours, want, want_flags), [&] {
      return std::string(lines.text()) + "\n    mxgold: " + oracle::hex(ours.code, digits) + ' ' +
             oracle::hex(flags_of(ours.flags));
    });
  }
  if (report.mismatches() >= kEnough) return;
  if (compared == wanted && wanted != 0) return;
  report.check(false, [&] {
    if (compared == 0) return std::string("the generator printed nothing");
    return "the generator ended after " + std::to_string(compared) + " lines of " +
           std::to_string(wanted);
  });
}

void judge_shard(const Shard& shard, std::uint64_t all, const Options& options,
                 oracle::Report& report) {
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t wanted = std::min(all, options.cases);
  const std::string command =
      "exec '" + options.program + "' " +
      testfloat_arguments(shard.function, shard.mode, shard.tininess, options.level, options.seed) +
      " 2>&1";
  const TestfloatModel model(shard.function, shard.mode.rounding, shard.tininess,
                             options.out_of_range, options.wrong);
  const std::uint64_t cases = report.cases(), mismatches = report.mismatches();
  TestfloatLines lines(command);
  judge_lines(lines, wanted, model, report);
  // What is cut short dies of the closed pipe.
  if (wanted == all && report.mismatches() < kEnough && lines.close() != 0) {
    report.check(false, [&] { return command + " failed"; });
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::cout << "  " << shard.function.name << ' ' << shard.text() << ": " << report.cases() - cases
            << " of " << all << " compared, " << report.mismatches() - mismatches << " differ, "
            << std::fixed << std::setprecision(1) << seconds.count() << " s" << std::endl;
}

/// What there is of a function, as far as the options ask for it.
std::vector<Shard> shards_of(const TestfloatFunction& function, const Options& options) {
  std::vector<Shard> shards;
  for (const Tininess tininess : testfloat_tininess(function)) {
    if (options.tininess && *options.tininess != tininess) continue;
    for (const TestfloatMode& mode : testfloat_modes(function)) {
      if (options.mode.empty() || options.mode == mode.option) {
        shards.push_back({function, mode, tininess});
      }
    }
  }
  return shards;
}

void judge_function(const TestfloatFunction& function, const Options& options, Verdict& verdict) {
  const std::vector<Shard> shards = shards_of(function, options);
  if (shards.empty()) return;
  const std::uint64_t all = cases_of(options, function.name);
  oracle::Report report;
  for (const Shard& shard : shards) {
    if (options.list) {
      std::cout << function.name << ' ' << shard.text() << ' ' << all << '\n';
    } else if (report.mismatches() < kEnough) {
      judge_shard(shard, all, options, report);
    }
  }
  if (!options.list) verdict.add(function.name, report);
}

int run(const Options& options) {
  if (options.program.empty()) {
    return skip("TestFloat",
                "no testfloat_gen on PATH and MX_TESTFLOAT names none; build Berkeley "
                "TestFloat 3e and SoftFloat 3e from their sources");
  }
  struct Named {
    std::string_view name;
    const ElementFormat* format;
  };
  Verdict verdict{"TestFloat", options.wrong};
  for (const Named& named :
       {Named{"f16", &formats::fp16}, Named{"f32", &formats::fp32}, Named{"f64", &formats::fp64}}) {
    for (const TestfloatFunction& function : testfloat_functions(named.name, *named.format)) {
      // A format, or one function.
      if (options.surface.empty() || options.surface == named.name ||
          options.surface == function.name) {
        judge_function(function, options, verdict);
      }
    }
  }
  return options.list ? kAgreed : verdict.finish();
}

}  // namespace
}  // namespace mx::external

int main(int argc, char** argv) {
  const auto options = mx::external::testfloat_options(argc, argv);
  return options ? mx::external::run(*options) : mx::external::kUsage;
}
