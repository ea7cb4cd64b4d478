// Vectors per second: stimulus, answers, text and digests, each alone and together.
// Needs mx_golden and benchmark::benchmark_main.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "golden/answers/expected.hpp"
#include "golden/files/vector_file.hpp"
#include "golden/stimulus/stimulus.hpp"
#include "reference/format/table.hpp"

namespace {

using namespace mx::golden;

constexpr std::uint64_t kCvts = 1 << 16;
constexpr std::uint64_t kBlocks = 1 << 12;

mx::ConversionConfig conversion() { return {mx::formats::fp32, mx::formats::e4m3fn, {}}; }

CvtSuite cvt_suite() { return CvtSuite({conversion(), SuiteKind::kRandom, 1, kCvts}); }

BlockSuite block_suite() {
  BlockSuiteOptions options;
  options.config.source = mx::formats::fp32;
  options.config.format = *mx::find_block_format("mxfp8_e4m3");
  options.config.element.random_bits = 8;
  options.kind = SuiteKind::kRandom;
  options.count = kBlocks;
  return BlockSuite(options);
}

VectorHeader cvt_header(std::uint64_t count) {
  VectorHeader header;
  header.op = RecordKind::kCvt;
  header.source = mx::formats::fp32;
  header.destination = mx::formats::e4m3fn;
  header.suite = "rnd";
  header.generator = "bench";
  header.count = count;
  return header;
}

VectorHeader block_header(std::uint64_t count) {
  VectorHeader header;
  header.source = mx::formats::fp32;
  header.formats = {"e4m3fn"};
  header.roundings = {"ties_to_even"};
  header.rules = {"floor"};
  header.overflows = {"sat_finite"};
  header.suite = "rnd";
  header.generator = "bench";
  header.count = count;
  return header;
}

CvtBatch answered_cvts() {
  CvtBatch batch;
  cvt_suite().fill(0, kCvts, batch);
  fill_expected(batch, conversion());
  return batch;
}

BlockBatch answered_blocks() {
  BlockBatch batch;
  const BlockSuite suite = block_suite();
  suite.fill(0, kBlocks, batch);
  fill_expected(batch, suite.context());
  return batch;
}

void count(benchmark::State& state, std::uint64_t vectors) {
  state.SetItemsProcessed(static_cast<std::int64_t>(vectors) * state.iterations());
}

void BM_CvtStimulus(benchmark::State& state) {
  const CvtSuite suite = cvt_suite();
  CvtBatch batch;
  for (auto _ : state) suite.fill(0, kCvts, batch);
  count(state, kCvts);
}
BENCHMARK(BM_CvtStimulus);

void BM_CvtAnswers(benchmark::State& state) {
  CvtBatch batch = answered_cvts();
  for (auto _ : state) fill_expected(batch, conversion());
  count(state, kCvts);
}
BENCHMARK(BM_CvtAnswers);

void BM_BlockStimulus(benchmark::State& state) {
  const BlockSuite suite = block_suite();
  BlockBatch batch;
  for (auto _ : state) suite.fill(0, kBlocks, batch);
  count(state, kBlocks);
}
BENCHMARK(BM_BlockStimulus);

void BM_BlockAnswers(benchmark::State& state) {
  BlockBatch batch = answered_blocks();
  for (auto _ : state) fill_expected(batch, ConfigWordContext());
  count(state, kBlocks);
}
BENCHMARK(BM_BlockAnswers);

/// Packing, both digests and formatting, to /dev/null; the answers are ready.
template <typename Batch>
void write_ready(benchmark::State& state, const Batch& batch, const VectorHeader& one,
                 FileKind kind) {
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

void BM_WriteCvtText(benchmark::State& state) {
  write_ready(state, answered_cvts(), cvt_header(0), FileKind::kTv);
}
BENCHMARK(BM_WriteCvtText);

void BM_WriteCvtBinary(benchmark::State& state) {
  write_ready(state, answered_cvts(), cvt_header(0), FileKind::kBin);
}
BENCHMARK(BM_WriteCvtBinary);

void BM_WriteBlockText(benchmark::State& state) {
  write_ready(state, answered_blocks(), block_header(0), FileKind::kTv);
}
BENCHMARK(BM_WriteBlockText);

/// Parsing and the digests, from the page cache; `with_model` computes and compares the answers
/// too.
template <typename Batch>
void read_file(benchmark::State& state, const Batch& batch, const VectorHeader& one,
               bool with_model) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("mxgold_bench" + std::to_string(::getpid()) + ".tv");
  VectorHeader header = one;
  constexpr std::uint64_t kRounds = 16;
  header.count = batch.size() * kRounds;
  {
    VectorWriter writer(path.string(), FileKind::kTv, header);
    for (std::uint64_t i = 0; i < kRounds; ++i) writer.write(batch);
    writer.finish();
  }
  Batch part;
  Batch expected;
  for (auto _ : state) {
    VectorReader reader(path.string(), ReadMode::kAnswers);
    while (reader.read(part, batch.size()) != 0) {
      if (!with_model) continue;
      expected = part;
      if constexpr (requires { part.config_word; }) {
        fill_expected(expected, ConfigWordContext());
        if (expected.status != part.status) state.SkipWithError("status");
      } else {
        fill_expected(expected, conversion());
        if (expected.code != part.code) state.SkipWithError("code");
      }
    }
  }
  std::filesystem::remove(path);
  count(state, header.count);
}

void BM_ReadCvtText(benchmark::State& state) {
  read_file(state, answered_cvts(), cvt_header(0), false);
}
BENCHMARK(BM_ReadCvtText);

void BM_CheckCvtText(benchmark::State& state) {
  read_file(state, answered_cvts(), cvt_header(0), true);
}
BENCHMARK(BM_CheckCvtText);

void BM_ReadBlockText(benchmark::State& state) {
  read_file(state, answered_blocks(), block_header(0), false);
}
BENCHMARK(BM_ReadBlockText);

void BM_CheckBlockText(benchmark::State& state) {
  read_file(state, answered_blocks(), block_header(0), true);
}
BENCHMARK(BM_CheckBlockText);

}  // namespace
