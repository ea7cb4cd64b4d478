// JSON of strangers, and the files that it stands in: read, or refused with place and reason.
#include "golden/bytes/json_text.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "golden/bytes/error.hpp"
#include "golden/bytes/json_whole.hpp"

namespace mx::golden {
namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

/// "" where a text is JSON.
std::string problem_in(std::string_view text) {
  nlohmann::ordered_json json;
  const auto problem = parse_json(text, json);
  return problem ? text_of(*problem, text) : "";
}

TEST(JsonText, NestsAsDeeplyAsFilesDo) {
  EXPECT_EQ(problem_in(nested(kDeepestJson)), "");
  EXPECT_NE(problem_in(nested(kDeepestJson + 1)).find("column 101: nested too deeply"),
            std::string::npos);
  EXPECT_NE(problem_in(R"({"a": )" + nested(kDeepestJson) + "}"), "");
  EXPECT_FALSE(json_of_text(nested(kDeepestJson)).is_discarded());
  EXPECT_TRUE(json_of_text(nested(1000000)).is_discarded());
  nlohmann::json sorted;
  EXPECT_FALSE(parse_json("[[1]]", sorted, 2));
  EXPECT_TRUE(parse_json("[[1]]", sorted, 1));
}

TEST(JsonText, BracketsBesideEachOtherAndInStringsAreNoDepth) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "[], ";
  EXPECT_EQ(problem_in("[" + many + "1]"), "");
  const std::string text = R"({"\"[[[[": ")" + std::string(1000, '[') + R"(\\"})";
  EXPECT_EQ(json_of_text(text).size(), 1U);
}

TEST(JsonText, WhatIsNoJsonIsDiscarded) {
  for (const char* const text : {"", "{", "[1,]", "\"\xFF\"", "]]", "1e999", "{} {}"}) {
    EXPECT_TRUE(json_of_text(text).is_discarded()) << text;
    EXPECT_NE(problem_in(text), "") << text;
  }
}

// The library of JSON takes a byte 00 for the end and reads nothing behind it.
TEST(JsonText, NothingMayFollowAByteOfZeros) {
  const std::string nul(1, '\0');
  for (const std::string& text :
       {"{}" + nul, "{}" + nul + "{{{", "{" + nul + "}", nul, "{\"a\": \"b" + nul + "\"}"}) {
    EXPECT_TRUE(json_of_text(text).is_discarded()) << text;
  }
  EXPECT_EQ(problem_in("{}\n" + nul + "{{{"),
            "line 2, column 1: is no JSON: byte 3 is 00; what stands there and behind it would not "
            "be read");
  EXPECT_EQ(problem_in(R"({"a": "\u0000"})"), "") << "a text may hold one that is spelled out";
}

TEST(JsonText, AProblemHasItsPlace) {
  EXPECT_EQ(problem_in("{\"a\": 1,\n \"b\": tru }"),
            "line 2, column 10: is no JSON: invalid literal; last read: '\"b\": tru '");
  EXPECT_NE(problem_in("{").find("line 1, column 2: is no JSON: unexpected end of input"),
            std::string::npos);
  EXPECT_NE(problem_in("[1,\n2]\n]").find("line 3, column 1: is no JSON: unexpected ']'"),
            std::string::npos);
  EXPECT_NE(problem_in("[\"\xC3\"]").find("line 1, column 4: is no JSON"), std::string::npos);
  EXPECT_NE(problem_in("[1,\n1e999]").find("line 2, column 5: a number"), std::string::npos);
  try {
    static_cast<void>(json_of_file("x.json", "[1"));
    ADD_FAILURE();
  } catch (const VectorError& error) {
    EXPECT_EQ(std::string(error.what()).find("x.json: line 1, column 3: is no JSON: "), 0U)
        << error.what();
  }
}

TEST(JsonText, ANameThatAnObjectHasTwiceIsFound) {
  for (const char* const text : {R"({"a": 1, "a": 2})", R"([{"x": {"a": 1, "b": {}, "a": 1}}])",
                                 R"({"a": 1, "\u0061": 2})"}) {
    EXPECT_TRUE(json_of_text(text).is_discarded()) << text;
    EXPECT_EQ(problem_in(text), "the name \"a\" appears twice in one object; keep one of them");
    EXPECT_THROW(static_cast<void>(json_of_file("x.json", text)), VectorError);
  }
  for (const char* const text :
       {R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]})", R"(["a", "a"])", "{}"}) {
    EXPECT_EQ(problem_in(text), "") << text;
  }
  EXPECT_EQ(problem_in("{\"\\u001b\": 1, \"\\u001b\": 2}"),
            R"(the name "\u001b" appears twice in one object; keep one of them)");
}

/// What whole_text() says of a file, "" where it reads it.
std::string refusal_of(const std::string& path, const TextLimits& limits) {
  try {
    static_cast<void>(whole_text(path, limits));
  } catch (const VectorError& error) {
    return error.what();
  }
  return "";
}

// The limit, its neighbours, and a file of 8 GB that is holes: nothing of it is read.
TEST(WholeText, LooksBeforeItReads) {
  const std::string path = testing::TempDir() + "whole_text";
  for (const std::uint64_t size : {0U, 9U, 10U}) {
    std::ofstream(path, std::ios::binary) << std::string(size, 'x');
    EXPECT_EQ(whole_text(path, {10, "shorten it"}).size(), size);
  }
  std::ofstream(path, std::ios::binary) << std::string(11, 'x');
  EXPECT_EQ(refusal_of(path, {10, "shorten it"}),
            path + ": holds 11 bytes, and such a file has at most 10; shorten it");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 33);
  EXPECT_NE(refusal_of(path, {10, "shorten it"}).find("holds 8589934592 bytes"), std::string::npos);
  std::filesystem::remove(path);
  EXPECT_NE(refusal_of(path, {10, "x"}).find("cannot open"), std::string::npos);
  EXPECT_NE(refusal_of(testing::TempDir(), {10, "x"}).find("is a folder"), std::string::npos);
  EXPECT_NE(refusal_of("/dev/zero", {10, "x"}).find("at least"), std::string::npos);
}

// What lies in a folder is no pipe: nobody may ever write into it.
TEST(WholeText, APipeIsReadOnlyWhereItWasNamed) {
  const std::string path = testing::TempDir() + "whole_text_pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_NE(refusal_of(path, {10, "x", Pipes::kRefused}).find("is no regular file"),
            std::string::npos);
  const int both = ::open(path.c_str(), O_RDWR);
  ASSERT_GE(both, 0);
  ASSERT_EQ(::write(both, "{}", 2), 2);
  std::string text;
  std::thread reader([&] { text = whole_text(path, {10, "x"}); });
  // The reader has it open once the bytes are gone.
  for (int waiting = 2; waiting != 0;) ASSERT_EQ(::ioctl(both, FIONREAD, &waiting), 0);
  ::close(both);
  reader.join();
  EXPECT_EQ(text, "{}");
  std::filesystem::remove(path);
}

// Another number, or no number, is refused: get<T>() of the library would convert it.
TEST(JsonWhole, IsANumberThatTheTypeHolds) {
  const auto of = [](const char* text) { return nlohmann::ordered_json::parse(text); };
  EXPECT_EQ(whole<std::uint64_t>(of("18446744073709551615")),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(whole<int>(of("-2147483648")), std::numeric_limits<int>::min());
  EXPECT_EQ(whole<std::uint32_t>(of("4294967295")), std::numeric_limits<std::uint32_t>::max());
  for (const char* text :
       {"-1", "1.5", "1.5e300", "-0.0", "18446744073709551616", "true", "\"1\"", "null", "[1]"}) {
    EXPECT_THROW(static_cast<void>(whole<std::uint64_t>(of(text))), nlohmann::json::exception)
        << text;
  }
  for (const char* text : {"2147483648", "-2147483649", "4294967298", "2.0"}) {
    EXPECT_THROW(static_cast<void>(whole<int>(of(text))), nlohmann::json::exception) << text;
  }
}

}  // namespace
}  // namespace mx::golden
