// Files without tables: what is read, and what is refused by its place.
#include "golden/text/flat_toml.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mx::golden {
namespace {

std::vector<TomlEntry> read(std::string_view text) {
  const auto entries = parse_flat_toml(text);
  EXPECT_TRUE(entries) << entries.problem();
  return entries ? *entries : std::vector<TomlEntry>();
}

TEST(FlatToml, KeepsLinesAndKinds) {
  const auto entries = read(
      "# a comment\n"
      "format = \"mx\\u0066p4\"\r\n"
      "'quoted key' = 'C:\\new'  # as it stands\n"
      "lanes=0x1_F\n"
      "time = -1.5e+3\n"
      "is = true\n"
      "list = [ 1,\n  \"two\", # 2\n ]\n"
      "last = +7");
  ASSERT_EQ(entries.size(), 7U);
  EXPECT_EQ(entries[0].values[0].text, "mxfp4");
  EXPECT_EQ(entries[0].line, 2U);
  EXPECT_EQ(entries[1].key, "quoted key");
  EXPECT_EQ(entries[1].values[0].text, "C:\\new");
  EXPECT_EQ(entries[2].values[0].text, "31");
  EXPECT_EQ(entries[2].values[0].kind, TomlKind::kInteger);
  EXPECT_EQ(entries[3].values[0].text, "-1.5e3");
  EXPECT_EQ(entries[3].values[0].kind, TomlKind::kFloat);
  EXPECT_EQ(entries[4].values[0].kind, TomlKind::kBoolean);
  ASSERT_EQ(entries[5].values.size(), 2U);
  EXPECT_TRUE(entries[5].is_array);
  EXPECT_EQ(entries[5].values[1].text, "two");
  EXPECT_EQ(entries[6].line, 10U);
  EXPECT_EQ(entries[6].values[0].text, "7");
}

TEST(FlatToml, RefusesByTheLine) {
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"a = 1\n[table]\n", "line 2: tables are not used"},
           {"a = 1\na = 2\n", "line 2: a stands twice; the first is in line 1"},
           {"a = mxfp4\n", "line 1: mxfp4 is no number; write texts in quotes: \"mxfp4\""},
           {"a = \"x\n", "line 1: the text has no closing quote"},
           {"a = 010\n", "is no number"},
           {"a = 9223372036854775808\n", "is no number"},
           {"a = 1 2\n", "something stands behind the value"},
           {"a\n", "no = behind a"},
           {"= 1\n", "no key here"},
           {"a = [1, [2]]\n", "arrays within arrays"},
           {"a = [1\n", "line 2: the array has no ]"},
           {"a.b = 1\n", "keys with a dot"},
           {"a = \"\\q\"\n", "no such escape"},
           {"a = \"\\ud800\"\n", "no such character"},
           {"a = \"\xC0\x80\"\n", "no UTF-8"},
           {"a = \"\x01\"\n", "control character"},
           {"a = '''x'''\n", "texts of several lines"},
           {"\xEF\xBB\xBF"
            "a = 1\n",
            "no key here"},
           {"a = 1\rb = 2\n", "something stands behind the value"}}) {
    const auto entries = parse_flat_toml(text);
    ASSERT_FALSE(entries) << text;
    EXPECT_NE(entries.problem().find(words), std::string::npos) << entries.problem();
  }
  EXPECT_TRUE(read("").empty());
  EXPECT_TRUE(read("\n # nothing\n").empty());
  EXPECT_EQ(read("a = -9223372036854775808")[0].values[0].text, "-9223372036854775808");
  EXPECT_EQ(read("a = 9223372036854775807")[0].values[0].text, "9223372036854775807");
}

TEST(FlatToml, QuotesWhatItReadsBack) {
  for (const std::string text :
       {"plain", "a \"b\" \\c", "tab\there", "\x01\x7F", "C:\\new", "\xC3\xA9"}) {
    EXPECT_EQ(read("a = " + toml_quoted(text))[0].values[0].text, text);
  }
}

}  // namespace
}  // namespace mx::golden
