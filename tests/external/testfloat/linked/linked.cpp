// mxgold's fused multiply-add against Berkeley TestFloat without text between them: its generator
// and SoftFloat run in this process, and what the generator makes once is asked in every rounding
// under both rules of tininess.
#include <algorithm>
#include <ctime>
#include <iomanip>

#include "reference/format/table.hpp"
#include "tests/external/testfloat/linked/pieces.hpp"

namespace mx::external {
namespace {

/// The words of a case and of its answer as testfloat_gen prints them. False without a way to the
/// first one asked for.
bool print_lines(const TestfloatShard& shard, FusedMachine& machine, const Options& options) {
  std::uint64_t cases = options.cases;
  const int digits = shard.function.format->bits / 4;
  std::vector<FusedOperands> room(1);
  const Tininess other = shard.tininess == Tininess::kBeforeRounding ? Tininess::kAfterRounding
                                                                     : Tininess::kBeforeRounding;
  std::vector<TestfloatAnswer> answer(1);
  std::cout << std::hex << std::uppercase << std::setfill('0');
  if (options.from != 0 && !machine.leap(options.from, options.place)) {
    std::cerr << "--lines --from=" << options.from << ": no --place that leads there\n";
    return false;
  }
  for (; cases > 0 && machine.make(room) == 1; --cases) {
    // As in a judgement: what does not look at the rule is asked under the other one.
    machine.take(room);
    machine.answer({shard.mode.rounding, machine.has_tininess_read(0) ? shard.tininess : other},
                   answer);
    for (const std::uint64_t operand : room[0]) std::cout << std::setw(digits) << operand << ' ';
    std::cout << std::setw(digits) << answer[0].code << ' ' << std::setw(2) << answer[0].flags
              << '\n';
  }
  return true;
}

void print_times(const std::string& function, const PieceTimes& times) {
  const auto each = [](double seconds, std::uint64_t cases) {
    return cases == 0 ? 0.0 : seconds * 1e9 / static_cast<double>(cases);
  };
  std::cout << "  " << function << ", ns of CPU time a case: " << std::fixed << std::setprecision(1)
            << each(times.making, times.made) << " to make it, then "
            << each(times.theirs, times.compared) << " of SoftFloat and "
            << each(times.ours, times.compared) << " of mxgold in each shard\n";
  if (times.judged_twice == 0) return;
  std::cout << "  " << function << ": " << times.hanging << " of " << times.judged_twice
            << " cases were asked under the second rule of tininess, the others hang on neither\n";
}

void judge_pieces(FusedMachine& machine, const std::vector<TestfloatShard>& shards,
                  const Options& options, Verdict& verdict) {
  const std::uint64_t all = machine.announced();
  const std::uint64_t from = std::min(options.from, all);
  const std::uint64_t last = from + std::min(options.cases, all - from);
  PieceJudge judge(machine, shards, options);
  judge.skip(from, options.place);
  for (std::uint64_t at = from; at < last && !judge.is_over() && !judge.has_seen_enough();) {
    if (options.until != 0 && std::time(nullptr) >= options.until) break;
    const std::uint64_t piece = std::min(options.piece, last - at);
    judge.judge(piece, std::cout);
    at += piece;
  }
  print_times(shards[0].function.name, judge.times());
  judge.add_to(verdict);
}

/// What the options ask of a function: a list, lines, or a judgement. False where they cannot be
/// followed, which is said.
bool take(const TestfloatFunction& function, FusedMachine& machine, const Options& options,
          Verdict& verdict) {
  const std::vector<TestfloatShard> shards = testfloat_shards(function, options);
  if (options.lines) return print_lines(shards[0], machine, options);
  if (!options.list) {
    judge_pieces(machine, shards, options, verdict);
    return true;
  }
  for (const TestfloatShard& shard : shards) {
    std::cout << function.name << ' ' << shard.text() << ' ' << machine.announced() << '\n';
  }
  return true;
}

int run(const Options& options) {
  struct Named {
    std::string_view name;
    const ElementFormat* format;
  };
  Verdict verdict{"TestFloat, linked", options.wrong};
  for (const Named& named :
       {Named{"f16", &formats::fp16}, Named{"f32", &formats::fp32}, Named{"f64", &formats::fp64}}) {
    for (const TestfloatFunction& function : testfloat_functions(named.name, *named.format)) {
      const bool is_wanted = options.surface.empty() || options.surface == named.name ||
                             options.surface == function.name;
      if (!is_wanted || function.operation != ArithmeticOperation::kFma) continue;
      const auto machine = berkeley_machine(named.name, options.level, options.seed);
      if (!machine) {
        return skip(verdict.judge,
                    "built without Berkeley TestFloat 3e and SoftFloat 3e: build their sources "
                    "side by side and configure with -DMX_BERKELEY=FOLDER, which holds "
                    "berkeley-testfloat-3 and berkeley-softfloat-3");
      }
      if (!take(function, *machine, options, verdict)) return external::kUsage;
    }
  }
  return options.list || options.lines ? kAgreed : verdict.finish();
}

}  // namespace
}  // namespace mx::external

int main(int argc, char** argv) {
  const auto options =
      mx::external::testfloat_options(argc, argv, mx::external::TestfloatProgram::kLinked);
  return options ? mx::external::run(*options) : mx::external::kUsage;
}
