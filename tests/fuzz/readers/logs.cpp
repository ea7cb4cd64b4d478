// What implementations say: logs for identify, answers of devices on a pipe.
#include "golden/bytes/error.hpp"
#include "golden/configuration/shorthand.hpp"
#include "golden/identify/implementation_log.hpp"
#include "golden/vectors/protocol.hpp"
#include "tests/fuzz/target.hpp"

namespace mx::fuzz {
namespace {

/// A log that is read and written is read as the same.
Outcome log(std::string_view input) {
  FormatCatalog catalog;
  return read_or_refuse<golden::VectorError>(input, [&] {
    const auto read = golden::parse_log("fuzz", std::string(input), catalog);
    const std::string text = golden::log_text(read);
    const auto again = golden::parse_log("again", text, catalog);
    require(golden::log_text(again) == text, "its own text stays", text);
  });
}

std::vector<std::string> log_seeds() {
  return {"# a comment\nfp32 e4m3fn\n3f880000 38\n7fc00000 x\n", "bf16 e5m2 random\n3f80, 12; 3c\n",
          "fp32 mxfp4\n3f800000 40000000 c0400000 | 7f | 2 4 d\n",
          "bf16 nvfp4 tensor\n3f80 4000 -> 45280000 -> 38 -> 2 x\n",
          "fp16 mxfp8_e4m3 values random\n3c00 4000 | 7 | 3f800000 40000000\n"};
}

/// The configurations that lines are read under, by the first byte.
constexpr std::string_view kConfigurations[] = {"format=mxfp4",
                                                "op=cvt destination=fp16",
                                                "op=dot a=mxfp4",
                                                "op=arith operation=fma format=fp64",
                                                "op=dequantize format=mxfp8_e4m3 result=bf16",
                                                "op=mma unit=mi300_f16 a=fp16"};

/// Lines of one vector, operands or results: what is read is written as it stood.
Outcome answer(std::string_view input) {
  if (input.empty()) return Outcome::kRefused;
  const auto choice = static_cast<unsigned char>(input[0]);
  golden::VectorHeader header;
  header.catalog = std::make_shared<FormatCatalog>();
  auto configuration = golden::parse_shorthand(
      kConfigurations[choice / 2 % std::size(kConfigurations)], *header.catalog);
  header.op = configuration->operation();
  header.configs = {*configuration};
  header.lanes =
      header.op == golden::Operation::kCvt || header.op == golden::Operation::kArith ? 1 : 32;
  header.count = 1;
  golden::RecordBatch batch(header.shape(), 1);
  golden::RecordLines lines(header.shape());
  const std::string_view line = input.substr(1);
  const bool is_results = choice % 2 == 0;
  const std::string problem =
      is_results ? lines.parse_results(line, batch, 0) : lines.parse_operands(line, batch, 0);
  if (!problem.empty()) {
    require_words(problem, input);
    return Outcome::kRefused;
  }
  const std::string text = is_results ? lines.results(batch, 0) : lines.operands(batch, 0);
  golden::RecordBatch again(header.shape(), 1);
  require((is_results ? lines.parse_results(text, again, 0) : lines.parse_operands(text, again, 0))
              .empty(),
          "its own line is read", text);
  require((is_results ? lines.results(again, 0) : lines.operands(again, 0)) == text,
          "its own line stays", text);
  return Outcome::kRead;
}

std::vector<std::string> answer_seeds() {
  std::vector<std::string> seeds;
  for (std::size_t i = 0; i < std::size(kConfigurations); ++i) {
    golden::VectorHeader header;
    header.catalog = std::make_shared<FormatCatalog>();
    header.configs = {*golden::parse_shorthand(kConfigurations[i], *header.catalog)};
    header.op = header.configs[0].operation();
    header.lanes =
        header.op == golden::Operation::kCvt || header.op == golden::Operation::kArith ? 1 : 32;
    const golden::RecordBatch batch(header.shape(), 1);
    golden::RecordLines lines(header.shape());
    seeds.push_back(static_cast<char>(2 * i) + lines.results(batch, 0));
    seeds.push_back(static_cast<char>(2 * i + 1) + lines.operands(batch, 0));
  }
  return seeds;
}

}  // namespace

Target logs_target() { return {"logs", log, log_seeds}; }
Target answers_target() { return {"answers", answer, answer_seeds}; }

}  // namespace mx::fuzz
