// mxgold's arithmetic against Berkeley TestFloat: testfloat_gen prints operands, result and
// exception flags of IEEE operations; every line is computed again.
#include <algorithm>
#include <array>
#include <chrono>
#include <iomanip>
#include <sstream>

#include "reference/format/table.hpp"
#include "tests/external/judges/verdict.hpp"
#include "tests/external/testfloat/agreement.hpp"
#include "tests/external/testfloat/lines.hpp"
#include "tests/external/testfloat/options.hpp"
#include "tests/external/testfloat/shards.hpp"

namespace mx::external {
namespace {

/// So many mismatches say what there is to say about a function.
constexpr std::uint64_t kEnough = 1000;

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
    const TestfloatAnswer theirs{words[operands], static_cast<unsigned>(words[operands + 1])};
    if (read == TestfloatLines::Read::kOtherText) {
      report.check(false, [&] { return "no numbers: " + std::string(lines.text()); });
      return;
    }
    const Encoded ours = model(x);
    ++compared;
    report.check(agrees(model, x, ours, theirs), [&] {
      return std::string(lines.text()) + "\n    mxgold: " + oracle::hex(ours.code, digits) + ' ' +
             oracle::hex(testfloat_flags(ours.flags));
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

void judge_shard(const TestfloatShard& shard, std::uint64_t all, const Options& options,
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

void judge_function(const TestfloatFunction& function, const Options& options, Verdict& verdict) {
  const std::vector<TestfloatShard> shards = testfloat_shards(function, options);
  if (shards.empty()) return;
  const std::uint64_t all = cases_of(options, function.name);
  oracle::Report report;
  for (const TestfloatShard& shard : shards) {
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
  const auto options =
      mx::external::testfloat_options(argc, argv, mx::external::TestfloatProgram::kText);
  return options ? mx::external::run(*options) : mx::external::kUsage;
}
