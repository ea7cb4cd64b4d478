// Every way a vector file can be damaged, and the error that says so.
#include <gmock/gmock.h>

#include <algorithm>

#include "reference/catalog/catalog.hpp"
#include "tests/golden/golden_fixture.hpp"

namespace mx::golden {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Rejection : public GoldenFixture {
 protected:
  /// The lines of a good .tv file of blocks; record i is lines[first + i].
  void SetUp() override {
    GoldenFixture::SetUp();
    text = text_of(good_blocks());
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
    if (!lines[i].starts_with("# suite") && !lines[i].starts_with("# generator")) {
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

TEST_F(Rejection, WrongConfiguration) {
  // The config_word of another rounding, digests and all: the header announces one only.
  BlockBatch batch = answered_blocks();
  batch.config_word[4] ^= 1U << 3;
  VectorWriter writer(path("w.tv"), FileKind::kTv, block_header(12));
  writer.write(batch);
  writer.finish();
  EXPECT_THAT(error_of(path("w.tv")), AllOf(HasSubstr("field tuser"), HasSubstr("rounding is")));
}

TEST_F(Rejection, IllegalConfiguration) {
  BlockBatch batch = answered_blocks();
  batch.config_word[4] |= 1U << 31;
  VectorWriter writer(path("w.tv"), FileKind::kTv, block_header(12));
  writer.write(batch);
  writer.finish();
  EXPECT_THAT(error_of(path("w.tv")), HasSubstr("not a legal configuration word"));
}

TEST_F(Rejection, RandomWordTooWide) {
  CvtBatch batch = answered_cvts();
  VectorHeader header = cvt_header(40);
  header.policy.random_bits = 12;
  for (std::uint32_t& random : batch.random) random &= 0xFFF;
  batch.random[7] = 0x1000;
  VectorWriter writer(path("w.tv"), FileKind::kTv, header);
  writer.write(batch);
  writer.finish();
  EXPECT_THAT(error_of(path("w.tv")), HasSubstr("has more than 12 bits"));
}

TEST_F(Rejection, OtherSchema) {
  lines[0] = "# mxgold-vectors 2";
  EXPECT_THAT(error_after(lines), HasSubstr("schema 1"));
}

TEST_F(Rejection, MemWords) {
  std::vector<std::string> mem = lines_of(text_of(good_blocks(FileKind::kMem)));
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
  std::vector<std::string> mem = lines_of(text_of(good_cvts(FileKind::kMem)));
  const auto head = std::ranges::find_if(mem, [](const auto& line) { return line[0] != '/'; });
  const auto at = static_cast<std::size_t>(head - mem.begin()) + 1;
  mem[at][0] = '1';
  EXPECT_THAT(error_of(write("m.mem", joined(mem))), HasSubstr("field padding"));
}

TEST_F(Rejection, EveryByteOfABinaryFile) {
  const std::string binary = text_of(good_cvts(FileKind::kBin));
  EXPECT_EQ(error_of(write("b.bin", binary)), "");
  int other_formats = 0;
  for (std::size_t at = 0; at < binary.size(); ++at) {
    std::string damaged = binary;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    // The generator is free text, so a change there is another, equally good file.
    const std::size_t line = binary.rfind('\n', at) + 1;
    if (at < 2048 &&
        (binary.compare(line, 11, "# generator") == 0 || binary.compare(line, 7, "# suite") == 0)) {
      continue;
    }
    if (at < 2048 && binary.compare(line, 6, "# seed") == 0) continue;
    if (at < 2048 && binary.compare(line, 7, "# level") == 0) continue;
    // Another format's name makes a well-formed file whose answers are wrong: judging them sees it.
    if (at < 2048 && at >= line + 14 && binary.compare(line, 14, "# destination ") == 0) {
      const std::size_t end = damaged.find('\n', line);
      const auto other = make_format(std::string_view(damaged).substr(line + 14, end - line - 14));
      if (other && other->storage_bits == 8) {
        ++other_formats;
        continue;
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
  VectorWriter few(path("few.tv"), FileKind::kTv, block_header(13));
  few.write(answered_blocks());
  EXPECT_THROW(few.finish(), VectorError);
  VectorWriter many(path("many.tv"), FileKind::kTv, block_header(11));
  EXPECT_THROW(many.write(answered_blocks()), VectorError);
  EXPECT_THROW(VectorWriter(path("no/such/folder.tv"), FileKind::kTv, block_header(1)),
               VectorError);
  EXPECT_THROW(VectorWriter(path("big.mem"), FileKind::kMem, block_header(262143)), VectorError);
}

TEST_F(Rejection, NothingHalfWritten) {
  {
    VectorWriter writer(path("half.tv"), FileKind::kTv, block_header(13));
    writer.write(answered_blocks());
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
