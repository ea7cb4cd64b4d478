// Prints the record digest of suites of every kind, for comparison between builds by different
// compilers. Exits non-zero if there is nothing to print.
#include <cstdint>
#include <cstdio>
#include <string>

#include "golden/answers/expected.hpp"
#include "golden/files/vector_file.hpp"
#include "golden/stimulus/stimulus.hpp"
#include "reference/format/table.hpp"

namespace {

using namespace mx::golden;

void print(const VectorHeader& header, const FileDigests& digests) {
  std::printf("%s %s\n", to_hex(digests.records).c_str(), header.set_id().c_str());
}

void blocks(const mx::ElementFormat& source, const mx::BlockFormat& format, mx::Rounding rounding,
            mx::ScaleRule rule, SuiteKind kind) {
  BlockSuiteOptions options;
  options.config = {source, format, {}, {}};
  options.config.element.rounding = rounding;
  options.config.element.random_bits = 8;
  options.config.block.rule = rule;
  options.kind = kind;
  options.seed = 3;
  options.count = 700;
  const BlockSuite suite(options);
  VectorHeader header;
  header.source = source;
  header.random_words = suite.random_words();
  header.formats = {std::string(format.element.name)};
  header.roundings = {std::string(token_of(rounding))};
  header.rules = {std::string(token_of(rule))};
  header.overflows = {"sat_finite"};
  header.suite = to_string(kind);
  header.count = suite.size();
  BlockBatch batch;
  suite.fill(0, suite.size(), batch);
  fill_expected(batch, suite.context());
  VectorWriter writer("/dev/null", FileKind::kTv, header);
  writer.write(batch);
  print(header, writer.finish());
}

void conversions(const mx::ElementFormat& source, const mx::ElementFormat& destination,
                 mx::Rounding rounding, SuiteKind kind) {
  CvtSuiteOptions options{{source, destination, {}}, kind, 3, 3000};
  options.conversion.policy.rounding = rounding;
  options.conversion.policy.overflow = mx::Overflow::kNoneInfOrNan;
  const CvtSuite suite(options);
  VectorHeader header;
  header.op = RecordKind::kCvt;
  header.source = source;
  header.destination = destination;
  header.policy = options.conversion.policy;
  header.random_words = suite.random_words();
  header.suite = to_string(kind);
  header.count = suite.size();
  CvtBatch batch;
  suite.fill(0, suite.size(), batch);
  fill_expected(batch, options.conversion);
  VectorWriter writer("/dev/null", FileKind::kBin, header);
  writer.write(batch);
  print(header, writer.finish());
}

}  // namespace

int main() {
  using namespace mx::formats;
  int sets = 0;
  for (const mx::ElementFormat& source : {fp32, bf16, fp16}) {
    for (const mx::BlockFormat& format : mx::mx_block_formats()) {
      if (!config_word_of({source, format, {}, {}})) continue;
      blocks(source, format, mx::Rounding::kTiesToEven, mx::ScaleRule::kFloor,
             SuiteKind::kDirected);
      blocks(source, format, mx::Rounding::kStochasticA, mx::ScaleRule::kEvenUp,
             SuiteKind::kRandom);
      blocks(source, format, mx::Rounding::kStochasticC, mx::ScaleRule::kRceil, SuiteKind::kPolicy);
      sets += 3;
    }
  }
  for (const mx::ElementFormat& source : {fp64, fp32, bf16, fp16, e5m2}) {
    for (const mx::ElementFormat& destination : {e4m3fn, e2m1fn, int8, fp16}) {
      for (const SuiteKind kind : {SuiteKind::kDirected, SuiteKind::kRandom}) {
        conversions(source, destination, mx::Rounding::kToOdd, kind);
        conversions(source, destination, mx::Rounding::kStochasticB, kind);
        sets += 2;
      }
    }
  }
  return sets >= 100 ? 0 : 1;
}
