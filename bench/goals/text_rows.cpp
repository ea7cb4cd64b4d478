// Vectors as text, f32 to f16: ours with stimulus, model and digests, beside Berkeley TestFloat's
// programs. CPU time of a thread on our side, of a process on theirs.
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "bench/goals/rows.hpp"
#include "bench/goals/values.hpp"
#include "bench/measure/child.hpp"
#include "golden/answers/answers.hpp"
#include "golden/answers/verdict.hpp"
#include "golden/files/vector_file.hpp"
#include "golden/stimulus/stimulus.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"

namespace mx::goals {

namespace {

constexpr std::uint64_t kVectors = 1U << 18;

/// IEEE 754's conversion: infinities stay and overflow gives them.
ConversionConfig conversion() {
  ConversionConfig config{formats::fp32, formats::fp16, {}};
  config.policy.overflow = Overflow::kNoneInfOrNan;
  return config;
}

golden::VectorHeader header() {
  golden::VectorHeader header;
  header.configs = {{conversion(), {}}};
  header.op = header.configs[0].operation();
  header.lanes = 1;
  header.suite = "rnd";
  header.seed = 1;
  header.drawn = kVectors;
  header.generator = "bench";
  header.count = kVectors;
  return header;
}

/// Files of one row, in a folder that goes with it.
class Scratch {
 public:
  Scratch()
      : folder_(std::filesystem::temp_directory_path() /
                ("mxgold_goals" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(const char* name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

void write_vectors(const std::string& path) {
  const golden::VectorHeader head = header();
  const golden::Stimulus stimulus(head);
  golden::ReferenceAnswerer model(head);
  golden::VectorWriter writer(path, golden::FileKind::kTv, head);
  golden::RecordBatch batch;
  constexpr std::uint64_t kBatch = 1U << 14;
  for (std::uint64_t i = 0; i < kVectors; i += kBatch) {
    stimulus.fill(i, i + kBatch, batch);
    model.answer(batch, 0, batch.size());
    writer.write(batch);
  }
  (void)writer.finish();
}

/// Throws where an answer is wrong.
void check_vectors(const std::string& path) {
  golden::VectorReader reader(path, casts::no_casts, golden::ReadMode::kAnswers,
                              golden::SetCheck::kByCaller);
  golden::ReferenceAnswerer model(reader.header());
  golden::RecordBatch part;
  golden::RecordBatch expected;
  golden::Verdict verdict;
  while (reader.read(part, 1U << 14) != 0) {
    expected = part;
    model.answer(expected, 0, expected.size());
    if (!golden::all_answers_agree(expected, part, verdict)) {
      throw std::runtime_error("our own vectors fail");
    }
  }
  if (verdict.judged() != kVectors) throw std::runtime_error("not every vector was compared");
}

/// The answers of testfloat_gen by our model; NaNs of any payload are equal.
std::string difference_of(const std::string& lines) {
  std::ifstream file(lines);
  const Conversion model = Conversion::make(conversion()).value();
  const auto is_nan = [](std::uint64_t code) { return (code & 0x7FFF) > 0x7C00; };
  std::vector<Pair> pairs;
  std::uint64_t source = 0;
  std::uint64_t result = 0;
  std::uint64_t flags = 0;
  file >> std::hex;
  while (file >> source >> result >> flags) {
    const std::uint64_t ours = model(source).code;
    pairs.push_back({static_cast<double>(ours), static_cast<double>(result),
                     ours == result || (is_nan(ours) && is_nan(result))});
  }
  return first_difference(pairs.size(), [&](std::size_t i) { return pairs[i]; });
}

/// A row beside one of the programs, or why there is none.
Row row_beside(const Setting& setting, const char* program, Row row) {
  row.clock = Clock::kOwn;
  row.items = static_cast<double>(kVectors);
  if (setting.testfloat.empty()) {
    row.skip = "no TestFloat: give the folder of its programs by MX_PEER_TESTFLOAT=PATH";
  } else if (!std::filesystem::exists(std::filesystem::path(setting.testfloat) / program)) {
    row.skip = "no " + std::string(program) + " in " + setting.testfloat;
  }
  return row;
}

struct Child {
  std::vector<std::string> arguments;
  std::string input;
  std::string output;
  double seconds = 0;
  void run() { seconds = run_child(arguments, input, output); }
};

std::vector<std::string> generator(const Setting& setting) {
  return {setting.testfloat + "/testfloat_gen",
          "-level",
          "2",
          "-n",
          std::to_string(kVectors),
          "f32_to_f16"};
}

Row generating(const Setting& setting) {
  Row row = row_beside(setting, "testfloat_gen",
                       {.id = "G1", .what = "text vectors f32 to f16, model included", .goal = 30});
  if (!row.skip.empty()) return row;
  const auto child = std::make_shared<Child>(Child{generator(setting), "/dev/null", "/dev/null"});
  row.ours = {"mxgold", [] { write_vectors("/dev/null"); }};
  row.theirs = {{"testfloat_gen", [child] { child->run(); }, [child] { return child->seconds; }}};
  row.difference = [setting] {
    const Scratch scratch;
    (void)run_child(generator(setting), "/dev/null", scratch.path("lines"));
    return difference_of(scratch.path("lines"));
  };
  row.mask = "its answers by our model, NaN payloads apart; both to /dev/null, digests on our side";
  return row;
}

Row checking(const Setting& setting) {
  Row row = row_beside(setting, "testfloat_ver",
                       {.id = "G2", .what = "check of text vectors f32 to f16", .goal = 13});
  if (!row.skip.empty()) return row;
  const auto scratch = std::make_shared<const Scratch>();
  const std::string lines = scratch->path("lines");
  const std::string vectors = scratch->path("vectors.tv");
  (void)run_child(generator(setting), "/dev/null", lines);
  write_vectors(vectors);
  const auto child = std::make_shared<Child>(Child{
      {setting.testfloat + "/testfloat_ver", "-errors", "0", "f32_to_f16"}, lines, "/dev/null"});
  row.ours = {"mxgold", [scratch, vectors] { check_vectors(vectors); }};
  row.theirs = {{"testfloat_ver", [child] { child->run(); }, [child] { return child->seconds; }}};
  row.difference = [scratch, lines] { return difference_of(lines); };
  row.mask = "both read a file of the page cache";
  return row;
}

}  // namespace

std::vector<RowPlan> text_rows() {
  return {{.id = "G1", .make = generating}, {.id = "G2", .make = checking}};
}

}  // namespace mx::goals
