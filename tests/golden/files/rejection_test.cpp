// Every way a vector file can be damaged, and the error that says so.
#include <gmock/gmock.h>

#include <algorithm>

#include "reference/catalog/catalog.hpp"
#include "reference/profiles/masks.hpp"
#include "tests/golden/files/golden_fixture.hpp"

namespace mx::golden {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Rejection : public GoldenFixture {
 protected:
  /// The lines of a good .tv file of blocks; record i is lines[first + i].
  void SetUp() override {
    GoldenFixture::SetUp();
    text = text_of(file_of(blocks(), FileKind::kTv));
    lines = lines_of(text);
    first = static_cast<std::size_t>(std::ranges::count_if(
                lines, [](const std::string& line) { return line.starts_with("# "); })) -
            3;
  }

  std::string error_after(const std::vector<std::string>& damaged,
                          ReadMode mode = ReadMode::kGoldens) {
    return error_of(write("bad.tv", joined(damaged)), mode);
  }

  std::string text;
  std::vector<std::string> lines;
  std::size_t first = 0;
};

TEST_F(Rejection, GoodFileIsTaken) {
  EXPECT_EQ(error_of(write("same.tv", text)), "");
  EXPECT_EQ(error_of(write("same.tv", text), ReadMode::kAnswers), "");
}

TEST_F(Rejection, MissingFile) {
  EXPECT_THAT(error_of(path("none.tv")), AllOf(HasSubstr("none.tv"), HasSubstr("cannot open")));
}

TEST_F(Rejection, EmptyFile) { EXPECT_THAT(error_of(write("e.tv", "")), HasSubstr("is empty")); }

TEST_F(Rejection, NoVectorFile) {
  EXPECT_THAT(error_of(write("x.tv", "hello\n")), HasSubstr("header is missing"));
}

TEST_F(Rejection, EveryTruncationIsSeen) {
  // Every prefix of the file, in steps, and the last bytes one by one.
  for (std::size_t size = 1; size < text.size(); size += size + 200 < text.size() ? 97U : 1U) {
    EXPECT_NE(error_of(write("t.tv", text.substr(0, size))), "") << size << " bytes";
  }
}

TEST_F(Rejection, MissingRecord) {
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(first + 3));
  EXPECT_THAT(error_after(lines), HasSubstr("truncated"));
}

TEST_F(Rejection, ReorderedRecords) {
  std::swap(lines[first + 2], lines[first + 5]);
  EXPECT_THAT(error_after(lines), HasSubstr("operand digest"));
  EXPECT_THAT(error_after(lines, ReadMode::kAnswers), HasSubstr("operand digest"));
}

TEST_F(Rejection, DuplicatedRecordAdded) {
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(first + 2), lines[first + 2]);
  EXPECT_THAT(error_after(lines), HasSubstr("more than the 12 vectors"));
}

TEST_F(Rejection, DuplicatedRecordInPlaceOfAnother) {
  lines[first + 3] = lines[first + 2];
  EXPECT_THAT(error_after(lines), HasSubstr("operand digest"));
}

TEST_F(Rejection, CarriageReturns) {
  std::vector<std::string> all = lines;
  for (std::string& line : all) line += '\r';
  EXPECT_THAT(error_after(all), AllOf(HasSubstr("CR LF"), HasSubstr("dos2unix")));
  lines[first + 4] += '\r';
  EXPECT_THAT(error_after(lines), AllOf(HasSubstr("CR LF"), HasSubstr(std::to_string(first + 5))));
}

TEST_F(Rejection, FlippedBits) {
  // One digit of every field of a record: an operand is seen in both modes, a result in one.
  const std::string& record = lines[first + 6];
  const std::size_t results = 9 + 32 * 5;
  for (std::size_t at = 0; at < record.size(); ++at) {
    if (record[at] == ' ') continue;
    std::vector<std::string> damaged = lines;
    char& digit = damaged[first + 6][at];
    digit = digit == '0' ? '1' : '0';
    EXPECT_NE(error_after(damaged), "") << "column " << at + 1;
    EXPECT_EQ(error_after(damaged, ReadMode::kAnswers).empty(), at >= results)
        << "column " << at + 1;
  }
}

// As simulators print them, in a result and in an operand.
TEST_F(Rejection, UnknownBits) {
  const std::size_t results = 9 + 32 * 5;
  std::vector<std::string> damaged = lines;
  damaged[first + 6].replace(results, 2, "xx");
  EXPECT_THAT(error_after(damaged, ReadMode::kAnswers),
              AllOf(HasSubstr("field scale"), HasSubstr("'xx': unknown bits (X or Z)")));
  lines[first + 6][9] = 'Z';
  EXPECT_THAT(error_after(lines), HasSubstr("field source[0]: 'Z"));
}

TEST_F(Rejection, Uppercase) {
  const std::size_t at = lines[first].find_first_of("abcdef");
  ASSERT_NE(at, std::string::npos);
  lines[first][at] = static_cast<char>(lines[first][at] - 'a' + 'A');
  EXPECT_THAT(error_after(lines), AllOf(HasSubstr("lowercase"), HasSubstr("field")));
}

TEST_F(Rejection, NoDigit) {
  lines[first + 1][9] = 'x';
  EXPECT_THAT(error_after(lines), AllOf(HasSubstr("column 10"), HasSubstr("field source[0]")));
}

TEST_F(Rejection, EveryCharacterThatIsNoDigit) {
  for (int c = 1; c < 256; ++c) {
    const char character = static_cast<char>(c);
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '\n') continue;
    for (const std::size_t at : {std::size_t{3}, std::size_t{9}, std::size_t{9 + 32 * 5}}) {
      std::vector<std::string> damaged = lines;
      damaged[first + 1][at] = character;
      EXPECT_NE(error_after(damaged, ReadMode::kAnswers), "") << "character " << c;
    }
  }
}

TEST_F(Rejection, WrongWidth) {
  std::vector<std::string> narrow = lines;
  narrow[first + 1].erase(0, 1);
  EXPECT_THAT(error_after(narrow), HasSubstr("field tuser"));
  std::vector<std::string> wide = lines;
  wide[first + 1] += '0';
  EXPECT_THAT(error_after(wide), HasSubstr("goes on after its last field"));
  lines[first + 1][8] = '_';
  EXPECT_THAT(error_after(lines), HasSubstr("field tuser: expected ' '"));
}

TEST_F(Rejection, Header) {
  for (std::size_t i = 0; i < first; ++i) {
    std::vector<std::string> without = lines;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(error_after(without), "") << "without " << lines[i];
    std::vector<std::string> twice = lines;
    twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(i), twice[i]);
    EXPECT_NE(error_after(twice), "") << "twice " << lines[i];
    std::vector<std::string> other = lines;
    other[i] += "x";
    // Free text; the definition of a block format stands in the fields beside its name.
    const bool is_free = lines[i].starts_with("# suite ") || lines[i].starts_with("# generator ") ||
                         lines[i].starts_with("# chosen ") || lines[i].starts_with("# format ");
    if (!is_free) {
      EXPECT_NE(error_after(other), "") << "changed " << lines[i];
    }
  }
}

TEST_F(Rejection, Trailer) {
  for (std::size_t i = lines.size() - 3; i < lines.size(); ++i) {
    std::vector<std::string> without = lines;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(error_after(without), "") << "without " << lines[i];
  }
  std::vector<std::string> more = lines;
  more.push_back(lines[first]);
  EXPECT_THAT(error_after(more), HasSubstr("goes on after its trailer"));
  lines[lines.size() - 3] = "# end 13";
  EXPECT_THAT(error_after(lines), HasSubstr("trailer's count"));
}

TEST_F(Rejection, CountsThatDiffer) {
  lines[first - 1] = "# count 13";
  EXPECT_THAT(error_after(lines), HasSubstr("truncated"));
  lines[first - 1] = "# count 11";
  EXPECT_THAT(error_after(lines), HasSubstr("more than the 11 vectors"));
  lines[first - 1] = "# count 0";
  EXPECT_THAT(error_after(lines), HasSubstr("at least one vector"));
}

TEST_F(Rejection, HostileCounts) {
  for (const std::string count :
       {"1000000000000", "281474976710656", "281474976710657", "18446744073709551615",
        "99999999999999999999999", "-1", "0012"}) {
    lines[first - 1] = "# count " + count;
    EXPECT_NE(error_after(lines), "") << count;
  }
}

/// A file with a changed word, digests and all; the error of the reader.
class ChangedOperand : public GoldenFixture {
 protected:
  std::string error_with(GoldenSet set, Field field, std::size_t record, std::size_t lane,
                         std::uint64_t word) const {
    set.records.of(field, record)[lane] = word;
    const std::string error = error_of(file_of(set, FileKind::kTv, "changed"));
    // The other kinds say the same, and so do a device's answers.
    EXPECT_EQ(error.empty(), error_of(file_of(set, FileKind::kBin, "changed")).empty());
    EXPECT_EQ(error.empty(), error_of(file_of(set, FileKind::kMem, "changed")).empty());
    EXPECT_EQ(error.empty(),
              error_of(file_of(set, FileKind::kTv, "changed"), ReadMode::kAnswers).empty());
    return error;
  }

  /// The lowest bit above `bits` in the first and the last of `lanes` lanes, of the first and the
  /// last record.
  void expect_stray_bits_refused(const GoldenSet& set, Field field, int bits) const {
    const RecordShape shape = set.header.shape();
    ASSERT_LT(bits, 8 * shape.find(field)->bytes) << "the field has no bit to spare";
    for (const std::size_t record : {std::size_t{0}, set.records.size() - 1}) {
      for (const std::size_t lane : {std::size_t{0}, set.records.lanes(field) - 1}) {
        const std::uint64_t word = set.records.of(field, record)[lane];
        EXPECT_THAT(error_with(set, field, record, lane, word | std::uint64_t{1} << bits),
                    AllOf(HasSubstr("field " + std::string(token_of(field))), HasSubstr("beyond")))
            << record << " " << lane;
      }
    }
    // The topmost bit that the code has is no stray bit.
    EXPECT_EQ(error_with(set, field, 0, 0, std::uint64_t{1} << (bits - 1)), "");
  }
};

TEST_F(ChangedOperand, StrayBitsOfSources) {
  expect_stray_bits_refused(
      golden_set({conversion(formats::e2m1fn, formats::fp16)}, SuiteKind::kRandom, 10),
      Field::kSource, 4);
  expect_stray_bits_refused(
      golden_set({conversion(formats::tf32, formats::fp16)}, SuiteKind::kRandom, 10),
      Field::kSource, 19);
  Configuration narrow = block(formats::e3m2fn, "mxfp4");
  expect_stray_bits_refused(golden_set({narrow}, SuiteKind::kRandom, 10, 5, Lengths::kFull),
                            Field::kSource, 6);
}

TEST_F(ChangedOperand, StrayBitsOfRandomWords) {
  Configuration cvt = conversion(formats::fp32, formats::e4m3fn, Rounding::kStochasticA);
  std::get<ConversionConfig>(cvt.what).policy.random_bits = 12;
  expect_stray_bits_refused(golden_set({cvt}, SuiteKind::kRandom, 10), Field::kRandom, 12);
  Configuration blocks = block(formats::fp32, "mxfp4", Rounding::kStochasticB);
  std::get<QuantizerConfig>(blocks.what).element.random_bits = 5;
  expect_stray_bits_refused(golden_set({blocks}, SuiteKind::kRandom, 10, 5, Lengths::kFull),
                            Field::kRandom, 5);
}

TEST_F(ChangedOperand, StrayBitsOfDotOperands) {
  Configuration each = dot("mxfp4", "mxfp6_e2m3", Addend::kPresent);
  std::get<DotCase>(each.what).dot.addend = formats::tf32;
  const GoldenSet set = golden_set({each}, SuiteKind::kRandom, 10, 5, Lengths::kFull);
  expect_stray_bits_refused(set, Field::kA, 4);
  expect_stray_bits_refused(set, Field::kB, 6);
  expect_stray_bits_refused(set, Field::kC, 19);
  // Scales narrower than their byte.
  for (const BlockFormat& format : all_block_formats()) {
    if (format.scale_bits() >= 8 * format.scale_bytes()) continue;
    if (!problem_of(dot(format.name, format.name)).empty()) continue;
    const GoldenSet sides =
        golden_set({dot(format.name, format.name)}, SuiteKind::kRandom, 8, 5, Lengths::kFull);
    expect_stray_bits_refused(sides, Field::kAScale, format.scale_bits());
    expect_stray_bits_refused(sides, Field::kBScale, format.scale_bits());
  }
}

TEST_F(ChangedOperand, StrayBitsOfArithmeticOperands) {
  const GoldenSet set =
      golden_set({arith(ArithmeticOperation::kFma, formats::tf32)}, SuiteKind::kRandom, 10);
  for (const Field field : {Field::kA, Field::kB, Field::kC}) {
    expect_stray_bits_refused(set, field, 19);
  }
}

TEST_F(ChangedOperand, StrayBitsOfTheOpenField) {
  Configuration each = conversion(formats::fp32, formats::e4m3fn);
  each.origin.masks = kMaskNan;
  expect_stray_bits_refused(golden_set({each}, SuiteKind::kRandom, 10), Field::kOpen, 3);
  Configuration blocks = block(formats::fp32, "mxfp4");
  blocks.origin.masks = kMaskNanBlock;
  const GoldenSet set = golden_set({blocks}, SuiteKind::kRandom, 10);
  EXPECT_THAT(error_with(set, Field::kOpen, 9, 4, 4), HasSubstr("field open"));
  EXPECT_EQ(error_with(set, Field::kOpen, 9, 4, 2), "") << "the last code";
}

TEST_F(ChangedOperand, Elements) {
  for (const Configuration& each : {block(formats::fp32, "mxfp4"), dot("mxfp4", "mxfp4")}) {
    const GoldenSet set = golden_set({each}, SuiteKind::kRandom, 16);
    const auto lanes = static_cast<std::uint64_t>(set.header.lanes);
    for (const std::uint64_t wrong : {std::uint64_t{0}, lanes + 1, std::uint64_t{0xFFFF}}) {
      EXPECT_THAT(error_with(set, Field::kElements, 3, 0, wrong), HasSubstr("field elements"));
    }
  }
}

/// A lane that does not take part holds nothing, in every field.
TEST_F(ChangedOperand, LanesBeyondTheElements) {
  const auto expect_refused = [&](const GoldenSet& set, Field field) {
    std::size_t tried = 0;
    for (std::size_t i = 0; i < set.records.size(); ++i) {
      if (set.records.word(Field::kElements, i) > set.records.lanes(field) / 2) continue;
      const std::size_t last = set.records.lanes(field) - 1;
      EXPECT_THAT(
          error_with(set, field, i, last, 1),
          AllOf(HasSubstr("field " + std::string(token_of(field))), HasSubstr("beyond the")));
      if (++tried == 2) break;
    }
    EXPECT_GT(tried, 0U) << token_of(field);
  };
  const GoldenSet blocks =
      golden_set({block(formats::fp32, "mxfp4", Rounding::kStochasticA)}, SuiteKind::kRandom, 64);
  expect_refused(blocks, Field::kSource);
  expect_refused(blocks, Field::kRandom);
  const GoldenSet dots = golden_set({dot("mxfp8_e4m3", "mxfp4")}, SuiteKind::kRandom, 128);
  expect_refused(dots, Field::kA);
  expect_refused(dots, Field::kB);
  // A block that no element reaches has no scale.
  for (std::size_t i = 0; i < dots.records.size(); ++i) {
    if (dots.records.word(Field::kElements, i) > 32) continue;
    EXPECT_THAT(error_with(dots, Field::kAScale, i, 1, 0x7F), HasSubstr("field a_scale[1]"));
    EXPECT_THAT(error_with(dots, Field::kBScale, i, 1, 0x7F), HasSubstr("field b_scale[1]"));
    return;
  }
  FAIL() << "no dot product of one block";
}

TEST_F(ChangedOperand, NumbersOfConfigurations) {
  const GoldenSet set =
      golden_set({block(formats::bf16, "mxfp4"), block(formats::bf16, "mxfp4", Rounding::kToOdd)},
                 SuiteKind::kRandom, 8);
  EXPECT_THAT(error_with(set, Field::kConfig, 3, 0, 2), HasSubstr("field config"));
  EXPECT_THAT(error_with(set, Field::kConfig, 15, 0, 0xFF), HasSubstr("field config"));
  // The other configuration exists, but its word of the RTL is another.
  EXPECT_THAT(error_with(set, Field::kConfig, 3, 0, 1), HasSubstr("field tuser"));
  const GoldenSet cvts = golden_set({conversion(formats::fp32, formats::e5m2),
                                     conversion(formats::fp32, formats::e5m2, Rounding::kToOdd)},
                                    SuiteKind::kRandom, 8);
  EXPECT_THAT(error_with(cvts, Field::kConfig, 3, 0, 2), HasSubstr("field config"));
  EXPECT_EQ(error_with(cvts, Field::kConfig, 3, 0, 1), "");
}

TEST_F(ChangedOperand, WordOfTheRtl) {
  const GoldenSet set = blocks();
  const std::uint64_t word = set.records.word(Field::kTuser, 4);
  for (int bit = 0; bit < 32; ++bit) {
    EXPECT_THAT(error_with(set, Field::kTuser, 4, 0, word ^ std::uint64_t{1} << bit),
                AllOf(HasSubstr("field tuser"), HasSubstr("configuration 0")));
  }
}

/// What an earlier program wrote is refused by its version.
TEST_F(Rejection, OtherSchema) {
  for (const std::string schema : {"1", "3", "02", "2x"}) {
    lines[0] = "# mxgold-vectors " + schema;
    EXPECT_THAT(error_after(lines),
                AllOf(HasSubstr("mxgold-vectors is \"" + schema), HasSubstr("schema 2")));
  }
  std::string binary = text_of(file_of(blocks(), FileKind::kBin));
  binary[8] = 1;
  EXPECT_THAT(error_of(write("old.bin", binary)), AllOf(HasSubstr("schema 1"), HasSubstr("2")));
  const std::string old =
      "# mxgold-vectors 1\n# op cvt\n# source fp32\n# destination e4m3fn\n"
      "# rounding ties_to_even\n# fields source:8 | code:2 flags:2\n# count 1\n3f800000 38 00\n"
      "# end 1\n";
  EXPECT_THAT(error_of(write("old.tv", old)), HasSubstr("schema 2"));
}

/// Lines of configurations: all there, in order, each a list of fields that the operation has.
TEST_F(Rejection, LinesOfConfigurations) {
  const GoldenSet set =
      golden_set({block(formats::bf16, "mxfp4"), block(formats::bf16, "mxfp4", Rounding::kToOdd)},
                 SuiteKind::kRandom, 8);
  const std::vector<std::string> good = lines_of(text_of(file_of(set, FileKind::kTv)));
  const auto found = std::ranges::find_if(
      good, [](const std::string& line) { return line.starts_with("# config 0 "); });
  ASSERT_NE(found, good.end());
  const auto at = static_cast<std::size_t>(found - good.begin());
  EXPECT_EQ(good[at], "# config 0 rounding=ties_to_even");
  EXPECT_EQ(good[at + 1], "# config 1 rounding=to_odd");
  const auto with = [&](const std::string& line) {
    std::vector<std::string> damaged = good;
    damaged[at + 1] = line;
    return error_after(damaged);
  };
  EXPECT_THAT(with("# config 1 rounding=to_even"), HasSubstr("one of"));
  EXPECT_THAT(with("# config 0 rounding=to_odd"), HasSubstr("configuration 1"));
  EXPECT_THAT(with("# config 2 rounding=to_odd"), HasSubstr("configuration 1"));
  EXPECT_THAT(with("# config 1 rounding"), HasSubstr("key=value"));
  EXPECT_NE(with("# config 1 rounding=to_odd; colour=red"), "");
  EXPECT_NE(with("# config 1 rounding=ties_to_even"), "") << "not as it is written";
  EXPECT_NE(with("# config 1 rounding=to_odd; rule=floor"), "") << "not as it is written";
  std::vector<std::string> few = good;
  few.erase(few.begin() + static_cast<std::ptrdiff_t>(at));
  EXPECT_THAT(error_after(few), HasSubstr("2 configurations declared, 1 described"));
}

/// A header whose configuration cannot be computed is refused with the reason.
TEST_F(Rejection, ConfigurationThatCannotBe) {
  for (std::string& line : lines) {
    if (line == "# scale e8m0") line = "# scale e4m3fn";
  }
  EXPECT_THAT(error_after(lines), HasSubstr("cannot be computed"));
}

TEST_F(Rejection, MemWords) {
  std::vector<std::string> mem = lines_of(text_of(file_of(blocks(), FileKind::kMem)));
  EXPECT_EQ(error_of(write("m.mem", joined(mem))), "");
  const auto head = std::ranges::find_if(mem, [](const auto& line) { return line[0] != '/'; });
  const auto at = static_cast<std::size_t>(head - mem.begin());
  std::vector<std::string> damaged = mem;
  damaged[at].back() = 'd';
  EXPECT_THAT(error_of(write("m.mem", joined(damaged))), HasSubstr("head word"));
  damaged = mem;
  damaged[damaged.size() - 4].back() = 'd';
  EXPECT_THAT(error_of(write("m.mem", joined(damaged))), HasSubstr("tail word"));
  damaged = mem;
  damaged.erase(damaged.begin() + static_cast<std::ptrdiff_t>(at + 1));
  EXPECT_NE(error_of(write("m.mem", joined(damaged))), "");
}

TEST_F(Rejection, MemPadding) {
  std::vector<std::string> mem = lines_of(text_of(file_of(conversions(), FileKind::kMem)));
  const auto head = std::ranges::find_if(mem, [](const auto& line) { return line[0] != '/'; });
  const auto at = static_cast<std::size_t>(head - mem.begin()) + 1;
  mem[at][0] = '1';
  EXPECT_THAT(error_of(write("m.mem", joined(mem))), HasSubstr("field padding"));
}

TEST_F(Rejection, EveryByteOfABinaryFile) {
  const std::string binary = text_of(file_of(conversions(), FileKind::kBin));
  EXPECT_EQ(error_of(write("b.bin", binary)), "");
  const std::size_t records_at =
      binary.size() - 80 - 40 * conversions().header.shape().record_bytes();
  int other_formats = 0;
  for (std::size_t at = 0; at < binary.size(); ++at) {
    std::string damaged = binary;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    const std::size_t line = binary.rfind('\n', at) + 1;
    const std::size_t value = binary.find(' ', line + 2) + 1;
    if (at < records_at && at >= value && binary.compare(line, 2, "# ") == 0) {
      const std::string key = binary.substr(line + 2, value - line - 3);
      // Free text, and what only making the set again can tell from the right one.
      if (key == "generator" || key == "suite" || key == "seed" || key == "level" ||
          key == "drawn" || key == "chosen") {
        continue;
      }
      // Another format's name makes a well-formed file whose answers are wrong: judging sees it.
      if (key == "destination") {
        const std::size_t end = damaged.find('\n', line);
        const auto other = make_format(std::string_view(damaged).substr(value, end - value));
        if (other && other->storage_bits == 8) {
          ++other_formats;
          continue;
        }
      }
    }
    EXPECT_NE(error_of(write("b.bin", damaged)), "") << "byte " << at;
  }
  EXPECT_EQ(other_formats, 1);  // e4m2fn
  for (std::size_t size = 0; size < binary.size(); size += 13) {
    EXPECT_NE(error_of(write("b.bin", binary.substr(0, size))), "") << size << " bytes";
  }
}

TEST_F(Rejection, WriterKeepsItsWord) {
  const GoldenSet set = blocks();
  const auto header = [&](std::uint64_t count) {
    VectorHeader other = set.header;
    other.count = count;
    return other;
  };
  VectorWriter few(path("few.tv"), FileKind::kTv, header(13));
  few.write(set.records);
  EXPECT_THROW(few.finish(), VectorError);
  VectorWriter many(path("many.tv"), FileKind::kTv, header(11));
  EXPECT_THROW(many.write(set.records), VectorError);
  EXPECT_THROW(VectorWriter(path("no/such/folder.tv"), FileKind::kTv, header(1)), VectorError);
  EXPECT_THROW(VectorWriter(path("big.mem"), FileKind::kMem, header(262143)), VectorError);
}

TEST_F(Rejection, NothingHalfWritten) {
  {
    GoldenSet set = blocks();
    set.header.count = 13;
    VectorWriter writer(path("half.tv"), FileKind::kTv, set.header);
    writer.write(set.records);
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_EQ(entry.path().filename().string(), "good.tv");
    ++files;
  }
  EXPECT_EQ(files, 1U);
}

}  // namespace
}  // namespace mx::golden
