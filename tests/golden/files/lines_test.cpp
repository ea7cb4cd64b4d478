// Lines are written and read many at once. What is wrong with one is seen wherever it stands among
// them, and is told of that line alone.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include "emulators/casts/casts.hpp"
#include "golden/vectors/operand_check.hpp"
#include "tests/golden/files/golden_fixture.hpp"

namespace mx::golden {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Two batches of lines and a few more. The last lines of batches, the first ones, and their
/// neighbours:
constexpr std::size_t kVectors = 131;
constexpr std::size_t kPlaces[] = {0, 1, 62, 63, 64, 65, 126, 127, 128, 129, 130};

struct Damage {
  const char* what;
  std::function<void(std::string&)> make;
  std::string message;
};

class Lines : public GoldenFixture {
 protected:
  /// Text of a file, and the index of its first record.
  struct Text {
    std::vector<std::string> lines;
    std::size_t first = 0;
  };
  [[nodiscard]] Text text(FileKind kind) const {
    Text out{lines_of(text_of(file_of(conversions(kVectors), kind))), 0};
    const bool has_words = kind == FileKind::kMem;  // a head word and a tail word
    const std::size_t after = has_words ? 4 : 3;
    out.first = out.lines.size() - after - kVectors;
    return out;
  }
};

/// Records of `source random code flags`: 8, 2, 2 and 2 digits.
TEST_F(Lines, DamageIsSeenInEveryPlaceOfABatch) {
  const std::vector<Damage> damages = {
      {"upper case", [](std::string& s) { s[s.size() - 1] = 'F'; },
       "field flags: hex digits are lowercase"},
      {"no digit", [](std::string& s) { s[s.size() - 4] = 'g'; },
       "field code: expected 2 hex digits"},
      {"unknown bits", [](std::string& s) { s.replace(s.size() - 2, 2, "xx"); },
       "field flags: 'xx': unknown bits"},
      {"CR LF", [](std::string& s) { s += '\r'; }, "the line ends in CR LF"},
      {"short", [](std::string& s) { s.pop_back(); },
       "field flags: the line ends early, 2 hex digits expected"},
      {"long", [](std::string& s) { s += '0'; }, "the line goes on after its last field"},
      {"very long", [](std::string& s) { s += std::string(200, '0'); },
       "the line goes on after its last field"},
      {"empty", [](std::string& s) { s.clear(); }, ""},
      {"separator", [](std::string& s) { s[s.size() - 3] = '-'; }, "field code: expected '"},
  };
  for (const FileKind kind : {FileKind::kTv, FileKind::kMem}) {
    const Text good = text(kind);
    ASSERT_EQ(error_of(write("good", joined(good.lines))), "");
    for (const Damage& damage : damages) {
      for (const std::size_t place : kPlaces) {
        std::vector<std::string> lines = good.lines;
        damage.make(lines[good.first + place]);
        // Pieces that end where batches end, beside them, and elsewhere.
        const std::string file = write("bad", joined(lines));
        EXPECT_THAT(error_of(file, ReadMode::kAnswers),
                    AllOf(HasSubstr("bad:" + std::to_string(good.first + place + 1) + ":"),
                          HasSubstr(damage.message)))
            << damage.what << " in vector " << place;
        VectorReader reader(file, emulators::make_cast, ReadMode::kAnswers);
        RecordBatch batch;
        EXPECT_THROW(reader.read(batch, kVectors), VectorError) << damage.what << " " << place;
      }
    }
  }
}

TEST_F(Lines, ANewlineMissingAtTheEndIsSeen) {
  for (const FileKind kind : {FileKind::kTv, FileKind::kMem}) {
    const Text good = text(kind);
    std::string text = joined(good.lines);
    text.pop_back();
    EXPECT_NE(error_of(write("bad", text)), "");
    // A file that ends in or after a record, with and without its line feed.
    for (const std::size_t place : kPlaces) {
      const auto end = good.lines.begin() + static_cast<std::ptrdiff_t>(good.first + place + 1);
      std::string cut = joined({good.lines.begin(), end});
      EXPECT_THAT(error_of(write("bad", cut)), HasSubstr("truncated"));
      cut.pop_back();
      EXPECT_THAT(error_of(write("bad", cut)), HasSubstr("truncated"));
    }
  }
}

/// Each digit of a record at the ends of batches, changed to another digit, is a difference in the
/// record it stands in and in no other.
TEST_F(Lines, EveryChangedDigitIsReadWhereItStands) {
  const GoldenSet set = conversions(kVectors);
  const Text good = text(FileKind::kTv);
  for (const std::size_t place : kPlaces) {
    for (std::size_t at = 0; at < good.lines[good.first + place].size(); ++at) {
      std::vector<std::string> lines = good.lines;
      char& digit = lines[good.first + place][at];
      if (digit == ' ') continue;
      digit = digit == '0' ? '1' : '0';
      VectorReader reader(write("other", joined(lines)), emulators::make_cast, ReadMode::kAnswers,
                          SetCheck::kByCaller);
      RecordBatch batch;
      ASSERT_EQ(reader.read(batch, kVectors), kVectors);
      for (std::size_t i = 0; i < kVectors; ++i) {
        bool same = true;
        for (const FieldShape& shape : set.header.shape().fields) {
          same &= batch.word(shape.field, i) == set.records.word(shape.field, i);
        }
        ASSERT_EQ(same, i != place) << "vector " << i << ", column " << at + 1;
      }
    }
  }
}

TEST_F(Lines, PiecesOfAnySizeAreTheSameRecords) {
  const GoldenSet set = conversions(kVectors);
  for (const FileKind kind : kFileKinds) {
    const std::string file = file_of(set, kind);
    for (const std::size_t piece : {1U, 7U, 63U, 64U, 65U, 130U, 131U, 132U}) {
      VectorReader reader(file);
      RecordBatch all(set.header.shape());
      for (RecordBatch part; reader.read(part, piece) != 0;) all.append(part, 0, part.size());
      EXPECT_TRUE(all == set.records) << extension(kind) << " " << piece;
    }
  }
}

/// Words with bits that their format does not have, at the ends of a range and beyond it.
TEST_F(Lines, WideOperandsAreFoundWhereTheyStand) {
  const GoldenSet set = golden_set(
      {conversion(formats::fp32, formats::e4m3fn, Rounding::kStochasticA)}, SuiteKind::kRandom, 40);
  const OperandCheck check(set.header);
  ASSERT_FALSE(check.find(set.records, 0, 40).has_value());
  const std::pair<Field, int> above[] = {{Field::kSource, 32}, {Field::kRandom, 8}};
  for (const auto& [field, bit] : above) {
    for (const std::size_t i : {9U, 10U, 11U, 28U, 29U, 30U}) {
      RecordBatch wrong = set.records;
      wrong.word(field, i) |= std::uint64_t{1} << bit;
      const auto problem = check.find(wrong, 10, 20);
      const bool is_inside = i >= 10 && i < 30;
      ASSERT_EQ(problem.has_value(), is_inside) << token_of(field) << " " << i;
      if (!is_inside) continue;
      EXPECT_EQ(problem->record, i);
      EXPECT_THAT(problem->what, HasSubstr(std::string(token_of(field))));
    }
  }
}

}  // namespace
}  // namespace mx::golden
