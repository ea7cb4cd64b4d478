// Vectors per second: stimulus, answers, text and digests, each alone and together.
// Needs mx_golden and benchmark::benchmark_main.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "golden/answers/answers.hpp"
#include "golden/answers/verdict.hpp"
#include "golden/files/vector_file.hpp"
#include "golden/stimulus/stimulus.hpp"
#include "reference/format/table.hpp"

namespace {

using namespace mx::golden;

constexpr std::uint64_t kCvts = 1 << 16;
constexpr std::uint64_t kBlocks = 1 << 12;

VectorHeader header_of(const Configuration& configuration, int lanes, std::uint64_t count) {
  VectorHeader header;
  header.op = configuration.operation();
  header.configs = {configuration};
  header.lanes = lanes;
  header.suite = "rnd";
  header.seed = 1;
  header.drawn = count;
  header.generator = "bench";
  header.count = count;
  return header;
}

VectorHeader cvt_header() {
  return header_of({mx::ConversionConfig{mx::formats::fp32, mx::formats::e4m3fn, {}}, {}}, 1,
                   kCvts);
}

VectorHeader block_header() {
  const mx::BlockFormat& format = *mx::find_block_format("mxfp8_e4m3");
  return header_of({mx::QuantizerConfig{mx::formats::fp32, format, {}, {}}, {}}, 32, kBlocks);
}

RecordBatch answered(const VectorHeader& header) {
  RecordBatch batch;
  Stimulus(header).fill(0, header.count, batch);
  ReferenceAnswerer(header).answer(batch, 0, batch.size());
  return batch;
}

void count(benchmark::State& state, std::uint64_t vectors) {
  state.SetItemsProcessed(static_cast<std::int64_t>(vectors) * state.iterations());
}

void make_stimulus(benchmark::State& state, const VectorHeader& header) {
  const Stimulus stimulus(header);
  RecordBatch batch;
  for (auto _ : state) stimulus.fill(0, header.count, batch);
  count(state, header.count);
}

void make_answers(benchmark::State& state, const VectorHeader& header) {
  RecordBatch batch = answered(header);
  ReferenceAnswerer reference(header);
  for (auto _ : state) reference.answer(batch, 0, batch.size());
  count(state, header.count);
}

void BM_CvtStimulus(benchmark::State& state) { make_stimulus(state, cvt_header()); }
BENCHMARK(BM_CvtStimulus);

void BM_CvtAnswers(benchmark::State& state) { make_answers(state, cvt_header()); }
BENCHMARK(BM_CvtAnswers);

void BM_BlockStimulus(benchmark::State& state) { make_stimulus(state, block_header()); }
BENCHMARK(BM_BlockStimulus);

void BM_BlockAnswers(benchmark::State& state) { make_answers(state, block_header()); }
BENCHMARK(BM_BlockAnswers);

/// Packing, both digests and formatting, to /dev/null; the answers are ready.
void write_ready(benchmark::State& state, const VectorHeader& one, FileKind kind) {
  const RecordBatch batch = answered(one);
  VectorHeader header = one;
  constexpr std::uint64_t kRounds = 16;
  header.count = batch.size() * kRounds;
  for (auto _ : state) {
    VectorWriter writer("/dev/null", kind, header);
    for (std::uint64_t i = 0; i < kRounds; ++i) writer.write(batch);
    benchmark::DoNotOptimize(writer.finish());
  }
  count(state, header.count);
}

void BM_WriteCvtText(benchmark::State& state) { write_ready(state, cvt_header(), FileKind::kTv); }
BENCHMARK(BM_WriteCvtText);

void BM_WriteCvtBinary(benchmark::State& state) {
  write_ready(state, cvt_header(), FileKind::kBin);
}
BENCHMARK(BM_WriteCvtBinary);

void BM_WriteBlockText(benchmark::State& state) {
  write_ready(state, block_header(), FileKind::kTv);
}
BENCHMARK(BM_WriteBlockText);

/// Does reading compute and compare the answers too?
enum class Reading { kAlone, kWithModel };

/// Parsing and the digests, from the page cache.
void read_file(benchmark::State& state, const VectorHeader& one, Reading reading) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("mxgold_bench" + std::to_string(::getpid()) + ".tv");
  const RecordBatch batch = answered(one);
  VectorHeader header = one;
  constexpr std::uint64_t kRounds = 16;
  header.count = batch.size() * kRounds;
  {
    VectorWriter writer(path.string(), FileKind::kTv, header);
    for (std::uint64_t i = 0; i < kRounds; ++i) writer.write(batch);
    writer.finish();
  }
  ReferenceAnswerer reference(header);
  RecordBatch part;
  RecordBatch expected;
  for (auto _ : state) {
    VectorReader reader(path.string(), mx::casts::no_casts, ReadMode::kAnswers,
                        SetCheck::kByCaller);
    while (reader.read(part, batch.size()) != 0) {
      if (reading == Reading::kAlone) continue;
      expected = part;
      reference.answer(expected, 0, expected.size());
      Verdict verdict;
      if (!all_answers_agree(expected, part, verdict)) state.SkipWithError("answers differ");
    }
  }
  std::filesystem::remove(path);
  count(state, header.count);
}

void BM_ReadCvtText(benchmark::State& state) { read_file(state, cvt_header(), Reading::kAlone); }
BENCHMARK(BM_ReadCvtText);

void BM_CheckCvtText(benchmark::State& state) {
  read_file(state, cvt_header(), Reading::kWithModel);
}
BENCHMARK(BM_CheckCvtText);

void BM_ReadBlockText(benchmark::State& state) {
  read_file(state, block_header(), Reading::kAlone);
}
BENCHMARK(BM_ReadBlockText);

void BM_CheckBlockText(benchmark::State& state) {
  read_file(state, block_header(), Reading::kWithModel);
}
BENCHMARK(BM_CheckBlockText);

}  // namespace
