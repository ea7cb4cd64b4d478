// SPDX-License-Identifier: Apache-2.0
// Logs of devices that do one thing more than a profile: structures, scales of others, scales in
// another order. What a device does is done here, to right logs; single values are worked by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>

#include "golden/bytes/error.hpp"
#include "golden/questions/identification.hpp"
#include "tests/golden/profile_kit.hpp"

namespace mx::golden::test::structures_test {
namespace {

using Change = std::function<void(ImplementationLog&)>;

ImplementationLog log_in(const std::string& text) {
  static FormatCatalog catalog;
  return parse_log("log.txt", text, catalog);
}

/// Names of structures that explain a log: "sticky_bits 1".
std::vector<std::string> names_of(const std::vector<AlteredClass>& classes) {
  std::vector<std::string> names;
  for (const AlteredClass& each : classes) {
    for (const AlteredHypothesis& one : each.members) {
      names.push_back(std::string(one.alteration->structure.name) + " " +
                      one.alteration->structure.value);
    }
  }
  return names;
}

std::vector<std::string> structures_in(const Identification& found) {
  return names_of(found.structures);
}

/// The same without the other searches, which take longer.
std::vector<std::string> structures_of(const ImplementationLog& log, const Classes& classes) {
  std::vector<Contradicted> profiles;
  for (const Ruling& each : rule_on_profiles(log)) {
    if (each.first) profiles.push_back({each.hypothesis, each.first->record});
  }
  return names_of(explained_structures(log, profiles, classes, Tried::kAll, 1));
}

bool has(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

/// Blocks of seeded numbers over a few binades.
std::vector<BlockInput> blocks(std::size_t count, std::size_t lanes) {
  std::mt19937 words(51);
  std::vector<BlockInput> list(count);
  for (BlockInput& each : list) {
    const std::uint32_t binade = 120 + words() % 16;
    for (std::size_t i = 0; i < lanes; ++i) {
      const std::uint32_t exponent = binade - words() % 4;
      each.lanes.push_back((words() & 0x807FFFFFU) | exponent << 23);
    }
  }
  return list;
}

ImplementationLog right_log(const char* format, std::size_t count = 24) {
  const Surface s = surface("fp32", format);
  ImplementationLog log = log_of(s, subject("mxgold-default", s), blocks(count, 32));
  log.has_random = false;
  return log;
}

struct Single {
  const char* name;
  const char* log;
};

// 1.4375, 3.25 and 3.4375 units of the subnormals; codes of E4M3FN (OCP OFP8), bf16 (IEEE 754).
TEST(Structures, OfSingleValues) {
  for (const Single& each :
       {// Round to nearest of the bits of a NaN: 7fff8c22 + 7fff runs into the sign.
        Single{"nan_bits rounded",
               "fp32 bf16\n7fff8c22 8000\n3f800000 3f80\n7f800001 7f80\n"
               "ffff8000 0000\n"},
        {"nan_bits cut",
         "fp32 bf16\n7fff8c22 7fff\n3f800000 3f80\n7f800001 7f80\n"
         "ffff8000 ffff\n"},
        // What lies below the guard bit is lost: 1.0625 + 2^-10 is no tie, and taken for one.
        {"sticky_bits 1",
         "fp16 e4m3fn\n3c41 38\n3c40 38\n3c42 38\n3cc0 3a\n3cc1 3a\nbc41 b8\n"
         "3d41 3a\n3d40 3a\n3c50 38\n3c80 39\n"}}) {
    const Identification found = identify(log_in(each.log));
    EXPECT_TRUE(found.classes.empty()) << each.log;
    EXPECT_TRUE(has(structures_in(found), each.name))
        << identified(log_in(each.log), 1, Spelling::kOptions).text;
  }
}

struct Fault {
  const char* name;
  Change change;
};

std::vector<Fault> faults() {
  const auto rotated = [](int by) {
    return [by](ImplementationLog& log) {
      for (LogRecord& each : log.records) {
        auto& codes = each.answer.codes;
        std::rotate(codes.begin(), by > 0 ? codes.begin() + by : codes.end() + by, codes.end());
      }
    };
  };
  const auto scales_from = [](int away) {
    return [away](ImplementationLog& log) {
      const std::vector<LogRecord> right = log.records;
      const auto count = static_cast<int>(right.size());
      for (int i = 0; i < count; ++i) {
        const int from = std::clamp(i + away, 0, count - 1);
        log.records[static_cast<std::size_t>(i)].answer.scale =
            right[static_cast<std::size_t>(from)].answer.scale;
      }
    };
  };
  return {{"code_lanes next", rotated(1)},
          {"code_lanes previous", rotated(-1)},
          {"code_lanes pairs_swapped",
           [](ImplementationLog& log) {
             for (LogRecord& each : log.records) {
               for (std::size_t i = 0; i < each.answer.codes.size(); i += 2) {
                 std::swap(each.answer.codes[i], each.answer.codes[i + 1]);
               }
             }
           }},
          {"code_lanes halves_swapped", rotated(16)},
          {"scale_shown of_block_before", scales_from(-1)},
          {"scale_shown of_block_after", scales_from(1)},
          {"scale_shown +1", [](ImplementationLog& log) {
             for (LogRecord& each : log.records) ++each.answer.scale;
           }}};
}

TEST(Structures, OfBlocks) {
  const ImplementationLog right = right_log("mxfp8_e4m3", 8);
  const Classes classes(right.surface);
  for (const Fault& fault : faults()) {
    ImplementationLog log = right;
    fault.change(log);
    EXPECT_TRUE(has(structures_of(log, classes), fault.name)) << fault.name;
    // Control: one code in the last block is another, and nothing is left of it.
    log.records.back().answer.codes[3] ^= 1;
    EXPECT_TRUE(structures_of(log, classes).empty()) << fault.name;
  }
  ImplementationLog log = right;
  faults().front().change(log);
  const Identification found = identify(log);
  EXPECT_TRUE(found.classes.empty() && found.deviations.empty() && found.readings.empty());
  EXPECT_TRUE(has(structures_in(found), faults().front().name));
  EXPECT_EQ(found.compared, log.records.size());
  // Control: one output that is wrong by itself has no cause.
  for (const std::size_t lane : {0U, 5U, 31U}) {
    ImplementationLog one = right;
    one.records[3].answer.codes[lane] ^= 1;
    EXPECT_TRUE(structures_of(one, classes).empty()) << lane;
  }
}

// A block made under the scale of the one before; FP4 by hand, the scale is a power of two.
TEST(Structures, TheScaleOfTheNeighborUsed) {
  const Identification found =
      identify(log_in("fp32 mxfp4\n3f800000 40800000 | 7f | 2 6\n40000000 41000000 | 7f | 4 7\n"
                      "3f800000 40000000 | 80 | 1 2\n3f800000 40800000 | 7e | 4 7\n"));
  EXPECT_TRUE(has(structures_in(found), "scale_used of_block_before"));
  // Control: of one block alone nobody knows the neighbor.
  EXPECT_FALSE(
      identify(log_in("fp32 tt_bfp4\n3f800000 3ebf0000 3ebe0000 3f1fc000 | 7f | 4 2 1 2\n"))
          .explains());
}

// Tiles of 128 x 4 scales: within one that of row r and column c stands at
// (r % 32) * 16 + (r / 32) * 4 + c, as cuBLAS has it.
TEST(Structures, ScalesInAnotherOrder) {
  constexpr std::size_t kColumns = 4;
  const ImplementationLog right = right_log("mxfp4", 128 * kColumns);
  ImplementationLog tiled = right;
  ImplementationLog turned = right;
  for (std::size_t i = 0; i < right.records.size(); ++i) {
    const std::size_t r = i / kColumns;
    const std::size_t c = i % kColumns;
    const std::uint64_t scale = right.records[i].answer.scale;
    tiled.records[r % 32 * 16 + r / 32 * 4 + c].answer.scale = scale;
    turned.records[c * 128 + r].answer.scale = scale;
  }
  const auto read = [](const ImplementationLog& log) {
    std::vector<std::string> texts;
    for (const ReadLog& each : explained_readings(log, {}, 1)) {
      texts.push_back(each.reading.text());
    }
    return texts;
  };
  EXPECT_EQ(read(tiled), std::vector<std::string>{"scales in tiles of 128 x 4 (--scale-layout "
                                                  "swizzle_128x4), of rows of 4 blocks"});
  EXPECT_EQ(read(turned), std::vector<std::string>{"scales column by column, of rows of 4 blocks"});
  // Controls: one scale wrong, in the last block; and all of it in order.
  tiled.records.back().answer.scale ^= 1;
  EXPECT_TRUE(read(tiled).empty());
  const Identification plain = identify(right_log("mxfp4", 4));
  EXPECT_FALSE(plain.classes.empty());
  EXPECT_TRUE(plain.readings.empty() && plain.structures.empty());
}

// Random words are hexadecimal; decimal ones are found, or said in the first line. 1.25 of E2M1 is
// half a step above 1: of N = 8 bits, words from 128 on go up.
TEST(Structures, RandomWordsInDecimal) {
  const std::string records =
      "3fa00000 127 2\n3fa00000 128 3\n3fa00000 200 3\n3fa00000 99 2\n3fa00000 130 3\n";
  const auto found_under = [&](const std::string& first) {
    return identify(log_in(first + "\n" + records));
  };
  const Identification found = found_under("fp32 e2m1fn random");
  ASSERT_FALSE(found.readings.empty());
  EXPECT_EQ(found.readings[0].reading.text(),
            "random words in decimal (write random decimal in the first line)");
  EXPECT_TRUE(found.classes.empty() && found.deviations.empty());
  const Identification decimal = found_under("fp32 e2m1fn random decimal");
  EXPECT_TRUE(decimal.explains() && decimal.readings.empty());
  EXPECT_THROW(static_cast<void>(log_in("fp32 e2m1fn decimal\n3fa00000 2\n")), VectorError);
  EXPECT_THROW(static_cast<void>(log_in("fp32 e2m1fn random decimal\n3fa00000 8f 2\n")),
               VectorError);
  EXPECT_EQ(log_in("fp32 e2m1fn random decimal\n3fa00000 0x8f 2\n").records[0].input.random[0],
            0x8FU);
  EXPECT_EQ(log_in("fp32 e2m1fn random hexadecimal\n3fa00000 128 2\n").records[0].input.random[0],
            0x128U);
}

// Blocks of MXFP4 by exact fractions: the floor rule, and N = 8 bits added to what is discarded.
TEST(Structures, RandomWordsOfBlocks) {
  const std::string first = "fp32 mxfp4 random";
  const std::string records =
      "3d95f538 bf85ace8 3fba7ad4 | 15 ca e7 | 7d | 0 e 7\n"
      "be48f186 c011b53c 3e1c3c7e | 12 61 7b | 7e | 8 e 1\n"
      "3e6c4f7f 3f8c6403 3ed6da0a | 64 77 96 | 7d | 2 6 3\n"
      "bfbca55d 3c09aaf1 c09cd515 | 2a 82 a1 | 7f | b 0 f\n"
      "41db419e 3c578aed 3fd1bb9b | 37 cd 37 | 81 | 7 0 1\n";
  const Identification found = identify(log_in(first + "\n" + records));
  ASSERT_FALSE(found.deviations.empty());
  EXPECT_EQ(found.deviations.front().members.front().name(),
            "mxgold-default with random_bits=8 rounding=stochastic_a");
  EXPECT_TRUE(found.structures.empty());
  // Control: one code that no word gives.
  std::string wrong = records;
  wrong.replace(wrong.find("2 6 3"), 5, "2 6 5");
  EXPECT_FALSE(identify(log_in(first + "\n" + wrong)).explains());
}

// Whoever cuts takes no random words; nor does a stochastic rounding that does not see them.
// 0.875 of a step of E5M2 goes up under seven words of eight, of any width.
TEST(Structures, RandomWordsThatDoNothing) {
  const auto first_line = [](const std::string& log) {
    const std::string text = identified(log_in(log), 1, Spelling::kOptions).text;
    return text.substr(0, text.find('\n'));
  };
  const std::string unseen =
      "fp32 e5m2 random\n389c0000 ffffffff 04\n389c0000 80000000 04\n389c0000 0 04\n";
  const Identification found = identify(log_in(unseen));
  EXPECT_FALSE(found.classes.empty());
  EXPECT_TRUE(has(structures_in(found), "random_words zero"));
  EXPECT_NE(first_line(unseen).find("random words not used"), std::string::npos)
      << first_line(unseen);
  // Words of 16 bits that are added below the 21 discarded bits: who draws is named first.
  const std::string low = "fp32 e5m2 random\n389c0000 ffff 04\n389c0000 8000 04\n389c0000 0 04\n";
  EXPECT_TRUE(first_line(low).starts_with("who: amd-gfx950-host:sr")) << first_line(low);
  // Controls: words that do what they should, and none at all.
  for (const char* const log :
       {"fp32 e5m2 random\n389c0000 ffff 05\n389c0000 8000 05\n389c0000 0 04\n",
        "fp32 e5m2\n389c0000 04\n"}) {
    EXPECT_TRUE(identify(log_in(log)).structures.empty()) << log;
  }
}

/// Property: seeded answers are explained by nothing, whatever is tried.
TEST(Structures, NothingExplainsSeededAnswers) {
  std::mt19937 words(7);
  for (const char* const format : {"mxfp4", "mxint8"}) {
    ImplementationLog log = right_log(format, 4);
    for (LogRecord& each : log.records) {
      for (std::uint64_t& code : each.answer.codes) {
        code = words() & log.surface.block.element.code_mask();
      }
    }
    EXPECT_FALSE(identify(log).explains()) << format;
  }
  const Surface s = surface("fp32", "e4m3fn");
  ImplementationLog log = log_of(s, subject("mxgold-default", s), blocks(12, 1));
  for (LogRecord& each : log.records) each.answer.codes[0] = words() & 0xFF;
  EXPECT_FALSE(identify(log).explains());
}

/// The next input parts readings and structures, too.
TEST(Structures, TheNextInputDecides) {
  const Identification found = identify(log_in("e4m3fn e4m3fnuz\n7e 7e\n40 40\n80 80\n7f 7f\n"));
  ASSERT_GT(found.readings.size(), 1U);
  ASSERT_TRUE(found.next);
  EXPECT_GT(found.next->sides.size(), 1U);
  // What parts may stand where the input has zeros: codes in the opposite order.
  const std::string text =
      identified(log_in("fp32 mxfp4\n3f800000 40000000 40400000 40c00000 | 7f | 7 5 4 2\n"
                        "40e00000 3f800000 | 7f | 2 7\n"),
                 1, Spelling::kOptions)
          .text;
  const std::string next = text.substr(text.find("\nnext: "), text.find("\nmore: "));
  EXPECT_NE(next.find(": element 30 "), std::string::npos) << next;
}

}  // namespace
}  // namespace mx::golden::test::structures_test
