// The program that a device file becomes: the user's module, Verilated, between the records of a
// run and their answers. What is the module's own stands in mx_device.cpp, which is written from
// the description, so that a compiler cache knows the rest.
// usage: device SEED STALL RESET [WAVES ANSWER CYCLES BYTES]
#include <verilated.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/bench/made.hpp"
#include "sim/bench/waves.hpp"

namespace mx::bench {
namespace {

struct Setting {
  std::uint64_t seed = 0;
  std::string stall, reset;
  std::optional<Waves> waves;
};

/// A device in its initial state.
class Simulation {
 public:
  explicit Simulation(std::uint64_t seed) {
    // 2: variables start at random values; the seed must not be 0, which draws one from the system.
    context_.randReset(2);
    context_.randSeed(static_cast<int>(seed % 0x7FFFFFFE) + 1);
    // No plusargs: a module that asks for one is told so.
    const char* program = "bench";
    context_.commandArgs(1, &program);
    device_ = make_device(&context_);
  }

  [[nodiscard]] Device& device() { return *device_; }
  void require_running() const {
    if (context_.gotFinish()) throw Complaint("the device called $finish");
  }

 private:
  VerilatedContext context_;
  std::unique_ptr<Device> device_;
};

/// A segment.
struct Piece {
  Schedule schedule;
  std::vector<Transaction> transactions;
};

/// Runs the pieces again up to cycle `last` and records the cycles before it.
std::uint64_t record(const Waves& waves, std::uint64_t cycles, std::uint64_t last,
                     const Setting& setting, const Records& records, std::vector<Piece> pieces) {
  Simulation simulation(setting.seed);
  Counted counted(simulation.device(), made_tables());
  counted.record(last > cycles ? last - cycles : 0, last + kCyclesAfter);
  simulation.device().open_waves(waves.path);
  try {
    for (Piece& piece : pieces) {
      Segment(counted, made_tables(), records, piece.schedule, piece.transactions,
              [](const Transaction&) {})
          .run();
    }
  } catch (const Counted::Enough&) {
  } catch (const Complaint&) {
    // What the waveform is of.
  }
  simulation.device().close_waves();
  return std::filesystem::file_size(waves.path);
}

void record_fitting(std::uint64_t last, const Setting& setting, const Records& records,
                    const std::vector<Piece>& pieces) {
  const Waves& waves = *setting.waves;
  for (std::uint64_t cycles = waves.cycles;; cycles /= 2) {
    const std::uint64_t size = record(waves, cycles, last, setting, records, pieces);
    if (size <= waves.bytes || cycles / 2 < kLeastCycles) return;
  }
}

void run(Records& records, const Setting& setting) {
  const Tables& tables = made_tables();
  Simulation simulation(setting.seed);
  Counted counted(simulation.device(), tables);
  Device& device = setting.waves ? counted : simulation.device();
  Grouping grouping(tables, records);
  sim::Stream last(setting.seed, sim::StreamUse::kOrder);
  const std::size_t length = segment_of(records.count() / std::max(1U, tables.records));
  std::vector<Piece> pieces;
  Counts counts(tables);
  std::uint64_t answered = 0;
  std::optional<std::uint64_t> wrong_at;
  std::uint64_t answered_at = 0;
  const auto take = [&](const Transaction& done) {
    for (const Words& words : done.answers) records.answer(words);
    answered += done.answers.size();
    answered_at = counted.cycles();
    if (setting.waves && !wrong_at && answered > setting.waves->answer) wrong_at = counted.cycles();
  };
  try {
    std::uint32_t segment = 0;
    for (std::uint64_t read = 0; read < records.count(); ++segment) {
      std::vector<Transaction> transactions;
      while (transactions.size() < length) {
        std::optional<Transaction> next = grouping.next();
        if (!next) break;
        const bool fills = next->elements == tables.elements;
        next->last = tables.last_rule == LastRule::kEnds || !fills || (last.next() & 1) != 0;
        read += next->operands.size();
        transactions.push_back(std::move(*next));
      }
      const Schedule schedule = schedule_of(setting.seed, segment, setting.stall, setting.reset);
      if (setting.waves) pieces.push_back({schedule, transactions});
      std::uint64_t count = 0;
      Segment(
          device, tables, records, schedule, transactions,
          [&](const Transaction& done) {
            take(done);
            // A slow device has its answers seen before the patience with it ends.
            if (++count % 32 == 0) records.flush();
          },
          &counts)
          .run();
      records.flush();
      simulation.require_running();
    }
  } catch (const Complaint&) {
    if (setting.waves) record_fitting(counted.cycles(), setting, records, pieces);
    throw;
  }
  counts.tell_all([&](const char* point, std::size_t bin, std::uint64_t hits) {
    records.count(point, bin, hits);
  });
  records.flush();
  if (setting.waves) {
    record_fitting(wrong_at.value_or(answered_at), setting, records, pieces);
  }
}

int bench(int count, char** words) {
  if (count != 4 && count != 8) return 2;
  const char* const in = std::getenv("MXGOLD_IN");
  const char* const out = std::getenv("MXGOLD_OUT");
  if (in == nullptr || out == nullptr) return 2;
  const auto number = [&](int i) { return std::strtoull(words[i], nullptr, 10); };
  Setting setting{number(1), words[2], words[3], {}};
  if (count == 8) setting.waves = Waves{words[4], number(5), number(6), number(7)};
  Records records(in, out);
  try {
    run(records, setting);
  } catch (const std::exception& problem) {
    records.complain(problem.what());
  }
  return 0;
}

}  // namespace
}  // namespace mx::bench

#ifdef MX_WAVES
// $stop, $fatal, failed assertions and $finish end the run where they stand, so that what was
// before can be recorded.
namespace {

[[noreturn]] void end(const std::string& what, const char* file, int line) {
  throw mx::bench::Complaint(what + " at " + file + ":" + std::to_string(line));
}

}  // namespace

void vl_finish(const char* file, int line, const char*) {
  end("the device called $finish", file, line);
}
void vl_stop(const char* file, int line, const char*) {
  end("an assertion failed or $stop was called", file, line);
}
void vl_fatal(const char* file, int line, const char*, const char* message) {
  end(message, file, line);
}
#endif

int main(int count, char** words) {
  try {
    return mx::bench::bench(count, words);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 3;
  }
}
