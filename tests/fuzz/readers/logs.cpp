// What implementations say: logs for identify, answers of devices on a pipe and in files.
#include <fmt/format.h>

#include "golden/bytes/error.hpp"
#include "golden/configuration/shorthand.hpp"
#include "golden/identify/implementation_log.hpp"
#include "golden/vectors/protocol.hpp"
#include "sim/answers/text.hpp"
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

golden::VectorHeader header_of(std::size_t choice) {
  golden::VectorHeader header;
  header.catalog = std::make_shared<FormatCatalog>();
  header.configs = {*golden::parse_shorthand(kConfigurations[choice % std::size(kConfigurations)],
                                             *header.catalog)};
  header.op = header.configs[0].operation();
  header.lanes =
      header.op == golden::Operation::kCvt || header.op == golden::Operation::kArith ? 1 : 32;
  header.count = 1;
  return header;
}

/// Lines of one vector, operands or results: what is read is written as it stood.
Outcome answer(std::string_view input) {
  if (input.empty()) return Outcome::kRefused;
  const auto choice = static_cast<unsigned char>(input[0]);
  const golden::VectorHeader header = header_of(choice / 2);
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
    const golden::VectorHeader header = header_of(i);
    const golden::RecordBatch batch(header.shape(), 1);
    golden::RecordLines lines(header.shape());
    seeds.push_back(static_cast<char>(2 * i) + lines.results(batch, 0));
    seeds.push_back(static_cast<char>(2 * i + 1) + lines.operands(batch, 0));
  }
  return seeds;
}

/// A file of answers to two records: its fields, written again, are read as the same.
Outcome given(std::string_view input) {
  if (input.empty()) return Outcome::kRefused;
  golden::VectorHeader header = header_of(static_cast<unsigned char>(input[0]));
  header.count = 2;
  return read_or_refuse<golden::VectorError>(input, [&] {
    const sim::GivenAnswers read = sim::parse_answers(input.substr(1), "fuzz", header, {});
    std::string text;
    for (const std::string& field : read.fields) text += field + ' ';
    for (std::size_t i = 0; i < 2; ++i) {
      text += '\n';
      for (const std::string& field : read.fields) {
        for (const std::uint64_t word : read.records.of(*parse_token<golden::Field>(field), i)) {
          text += fmt::format("{:x} ", word);
        }
      }
    }
    const sim::GivenAnswers again = sim::parse_answers(text, "again", header, {});
    require(again.records == read.records, "its own text stays", text);
  });
}

std::vector<std::string> given_seeds() {
  std::vector<std::string> seeds;
  for (std::size_t i = 0; i < std::size(kConfigurations); ++i) {
    const golden::VectorHeader header = header_of(i);
    const golden::RecordBatch batch(header.shape(), 2);
    golden::RecordLines lines(header.shape());
    const std::string both = lines.results(batch, 0) + '\n' + lines.results(batch, 1);
    seeds.push_back(static_cast<char>(i) + both);
    seeds.push_back(static_cast<char>(i) + ("// a comment\r\n\n" + both + "\r\n"));
  }
  const char conversion = 1, block = 0;
  seeds.push_back(conversion + std::string("flags;code\n0x00,0x38\n0x1,0X7e\n"));
  seeds.push_back(conversion + std::string("\"code\"\n3X\nzz\n"));
  seeds.push_back(block + std::string("scale code flags\n7f 0123456789abcdef0123456789ABCDEF 0\n") +
                  "80 1 0\n");
  return seeds;
}

}  // namespace

Target logs_target() { return {"logs", log, log_seeds}; }
Target answers_target() { return {"answers", answer, answer_seeds}; }
Target given_answers_target() { return {"given_answers", given, given_seeds}; }

}  // namespace mx::fuzz
