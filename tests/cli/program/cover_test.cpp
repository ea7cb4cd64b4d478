// mxgold cover: gates, merging, reports.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include <nlohmann/json.hpp>

#include "golden/bytes/sha256.hpp"
#include "tests/cli/program/program_json.hpp"
#include "tests/cli/program/quantized.hpp"

namespace mx::cli::test {
namespace {

using Json = nlohmann::json;
using Line = std::vector<std::string>;

/// Vectors of a conversion in a file.
std::string vectors(const Scratch& scratch, const std::string& name, const Line& options) {
  Line line = {"gen",      "--op",   "cvt", "--source",        "bf16",
               "--format", "e2m1fn", "-o",  scratch.path(name)};
  line.insert(line.end(), options.begin(), options.end());
  EXPECT_EQ(run_program(line).status, 0);
  return scratch.path(name);
}

using Ordered = nlohmann::ordered_json;

/// A coverage file with a change, and its seal made good.
std::string resealed(const std::string& path, const std::function<void(Ordered&)>& change) {
  Ordered json = Ordered::parse(read_file(path));
  change(json);
  json.erase("sha256");
  json["sha256"] = golden::to_hex(golden::sha256(json.dump()));
  return json.dump();
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Cover, TheDirectedSuitePassesTheGateAndASmallOneDoesNot) {
  const Scratch scratch;
  const std::string all = vectors(scratch, "all.tv", {"--suite", "dir"});
  const ProgramEnd closed = run_program({"cover", all, "--gate", "100"});
  EXPECT_EQ(closed.status, 0) << closed.out;
  EXPECT_NE(closed.out.find("COVERAGE 100.00 %"), std::string::npos) << closed.out;
  const std::string few = vectors(scratch, "few.tv", {"--suite", "rnd", "--count", "20"});
  EXPECT_EQ(run_program({"cover", few}).status, 0);
  const ProgramEnd open = run_program({"cover", few, "--gate", "100", "--missing", "2"});
  EXPECT_EQ(open.status, 5) << open.out;
  EXPECT_NE(open.out.find("more; --missing prints more"), std::string::npos) << open.out;
}

TEST(Cover, ShardsMergeToTheBytesOfTheWhole) {
  const Scratch scratch;
  const std::string whole = scratch.path("whole.json");
  ASSERT_EQ(
      run_program({"cover", vectors(scratch, "all.tv", {"--suite", "dir"}), "-o", whole}).status,
      0);
  Line parts = {"cover"};
  for (const char* shard : {"2", "0", "1"}) {
    const std::string name = std::string("part") + shard;
    const std::string file =
        vectors(scratch, name + ".tv", {"--suite", "dir", "--shard", std::string(shard) + "/3"});
    parts.push_back(scratch.path(name + ".json"));
    ASSERT_EQ(run_program({"cover", file, "-o", parts.back()}).status, 0);
  }
  parts.insert(parts.end(), {"-o", scratch.path("merged.json")});
  ASSERT_EQ(run_program(parts).status, 0);
  EXPECT_EQ(read_file(scratch.path("merged.json")), read_file(whole));
  // Coverage and vectors together.
  const Json twice = run_json({"cover", whole, scratch.path("all.tv")});
  EXPECT_EQ(twice.at("groups").size(), 1U);
  EXPECT_EQ(twice.at("groups")[0].at("samples"),
            2 * run_json({"cover", whole}).at("groups")[0].at("samples").get<int>());
}

// A configuration with random words is one that mxgold knows.
TEST(Cover, AFileOfStochasticRoundingIsReadAgain) {
  const Scratch scratch;
  const std::string file = scratch.path("c.json");
  ASSERT_EQ(
      run_program({"run", "--dut", "reference", "--suite", "smoke", "--format", "mxfp4", "--source",
                   "bf16", "--rule", "floor", "--rounding", "stochastic_a", "--cover", file})
          .status,
      0);
  const ProgramEnd end = run_program({"cover", file});
  EXPECT_EQ(end.status, 0) << end.err;
}

TEST(Cover, AHitThatIsProvedImpossibleIsExit6) {
  const Scratch scratch;
  const std::string file = scratch.path("c.json");
  ASSERT_EQ(
      run_program({"cover", vectors(scratch, "all.tv", {"--suite", "dir"}), "-o", file}).status, 0);
  const std::string text = resealed(file, [](Ordered& json) {
    for (Ordered& point : json["groups"][0]["points"]) {
      for (Ordered& bin : point["bins"]) bin[1] = 1;
    }
  });
  const ProgramEnd end = run_program({"cover", scratch.write("wrong.json", text)});
  EXPECT_EQ(end.status, 6) << end.out;
  EXPECT_NE(end.out.find("proved unreachable"), std::string::npos) << end.out;
}

TEST(Cover, ReportsHoldEveryBin) {
  const Scratch scratch;
  const std::string file = vectors(scratch, "few.tv", {"--suite", "rnd", "--count", "20"});
  ASSERT_EQ(run_program({"cover", file, "-o", scratch.path("c.json"), "--html",
                         scratch.path("c.html"), "--ucis", scratch.path("c.xml")})
                .status,
            0);
  const Json database = Json::parse(read_file(scratch.path("c.json")));
  std::size_t bins = 0, unreachable = 0, points = 0;
  for (const Json& point : database.at("groups")[0].at("points")) {
    ++points;
    for (const Json& bin : point.at("bins")) {
      ++bins;
      unreachable += bin.size() == 3 ? 1U : 0U;
    }
  }
  ASSERT_GT(unreachable, 0U);
  const std::string xml = read_file(scratch.path("c.xml"));
  EXPECT_EQ(count_of(xml, "<coverpointBin "), bins);
  EXPECT_EQ(count_of(xml, "type=\"ignore\""), unreachable);
  EXPECT_EQ(count_of(xml, "<coverpoint "), points);
  const std::string html = read_file(scratch.path("c.html"));
  EXPECT_EQ(count_of(html, "\"></i>"), bins);
  EXPECT_EQ(count_of(html, "<i class=u title"), unreachable);
  EXPECT_EQ(html.find("http"), std::string::npos) << "the page stands alone";
}

/// Dot products of an accumulator: their directed set closes them, a few random ones do not.
TEST(Cover, DotProductsAreMeasured) {
  const Scratch scratch;
  const auto make = [&](const std::string& name, Line suite) {
    Line line{"gen",
              "--op",
              "dot",
              "--format",
              "mxfp8_e4m3",
              "--mode",
              "accumulator",
              "--group",
              "8",
              "--align-bits",
              "25",
              "-o",
              scratch.path(name)};
    line.insert(line.end(), suite.begin(), suite.end());
    EXPECT_EQ(run_program(line).status, 0);
    return scratch.path(name);
  };
  const std::string directed = make("dir.bin", {"--suite", "dir"});
  const ProgramEnd whole =
      run_program({"cover", directed, "--gate", "100", "--ucis", scratch.path("dot.xml"), "--html",
                   scratch.path("dot.html")});
  EXPECT_EQ(whole.status, 0) << whole.out << whole.err;
  const std::string few = make("rnd.bin", {"--suite", "rnd", "--count", "100"});
  const ProgramEnd some = run_program({"cover", few, "--gate", "100"});
  EXPECT_EQ(some.status, 5) << some.out;
  EXPECT_NE(some.out.find("a_scale "), std::string::npos) << some.out;
}

TEST(Cover, WhatCannotBeMeasuredIsRefused) {
  const Scratch scratch;
  const auto refused = [&](const Line& line, const std::string& words) {
    const ProgramEnd end = run_program(line);
    EXPECT_EQ(end.status, 3) << words << "\n" << end.err;
    EXPECT_NE(end.err.find(words), std::string::npos) << end.err;
  };
  refused({"cover", scratch.path("nosuch.tv")}, "nosuch.tv");
  refused({"cover", scratch.write("x.json", "{}")}, "coverage_schema");
  refused({"cover", scratch.write("x.tv", "# mxgold-vectors 2\n")}, "x.tv");
  refused({"cover",
           scratch.write("none.json", R"({"coverage_schema": 2, "generator": "g", "groups": []})")},
          "sha256: expected a string");
  EXPECT_EQ(run_program({"cover"}).status, 2);
  const std::string file = vectors(scratch, "all.tv", {"--suite", "smoke"});
  EXPECT_EQ(run_program({"cover", file, "--gate", "101"}).status, 2);
}

// The bins of a file are those of the model of its configuration: taking away what was not hit
// makes no coverage.
TEST(Cover, BinsAreThoseOfTheModel) {
  const Scratch scratch;
  const std::string file = scratch.path("c.json");
  ASSERT_EQ(run_program({"cover", vectors(scratch, "few.tv", {"--suite", "rnd", "--count", "20"}),
                         "-o", file})
                .status,
            0);
  EXPECT_EQ(run_program({"cover", file, "--gate", "100"}).status, 5) << "control";
  const auto refused = [&](const std::string& problem,
                           const std::function<void(Ordered & group)>& change) {
    const std::string text = resealed(file, [&](Ordered& json) { change(json["groups"][0]); });
    const ProgramEnd end = run_program({"cover", scratch.write("x.json", text), "--gate", "0"});
    EXPECT_EQ(end.status, 3) << problem << end.out;
    EXPECT_NE(end.err.find(problem), std::string::npos) << problem << "\n" << end.err;
  };
  refused("is not there, or not as in its model", [](Ordered& group) {
    for (Ordered& point : group["points"]) {
      Ordered kept = Ordered::array();
      for (const Ordered& bin : point["bins"]) {
        if (bin[1] != 0 || bin.size() == 3) kept.push_back(bin);
      }
      point["bins"] = kept;
    }
  });
  refused("is not there, or not as in its model",
          [](Ordered& group) { group["points"][0]["bins"].erase(0); });
  refused("is not there, or not as in its model",
          [](Ordered& group) { group["points"][0]["bins"][0].push_back("unreachable"); });
  refused("has a bin more that its model has not", [](Ordered& group) {
    group["points"][0]["bins"].push_back({"more", 1});
  });
  refused("that its model has not", [](Ordered& group) {
    group["points"][0]["bins"].push_back(group["points"][0]["bins"][0]);
  });
  refused("coverpoints, its model has", [](Ordered& group) { group["points"].erase(0); });
  refused("coverpoints, its model has", [](Ordered& group) { group["points"] = Ordered::array(); });
  refused("is of no configuration that mxgold knows",
          [](Ordered& group) { group["configuration"] = "op none"; });
  refused("is of no configuration that mxgold knows", [](Ordered& group) {
    group["configuration"] = group["configuration"].get<std::string>() + "; more 1";
  });
  refused("has hits, and no vector", [](Ordered& group) { group["samples"] = 0; });
  // The protocol of a stream has a model too, that of a device file single names alone.
  const auto protocol = [](const char* configuration) {
    return [configuration](Ordered& group) {
      group["configuration"] = configuration;
      group["points"] =
          Ordered::parse(R"([{"name": "idle", "meaning": "m", "bins": [["0", 1], ["0", 1]]}])");
    };
  };
  refused("coverpoints, its model has",
          protocol("protocol; device rtl; holds 3; configurations one"));
  refused("idle has 0 twice",
          protocol("protocol; device d.json; configurations one; lengths full"));
}

TEST(Cover, ABitThatFlippedIsSeen) {
  const Scratch scratch;
  const std::string file = scratch.path("c.json");
  ASSERT_EQ(run_program({"cover", vectors(scratch, "few.tv", {"--suite", "rnd", "--count", "20"}),
                         "-o", file})
                .status,
            0);
  std::string text = read_file(file);
  const std::size_t at = text.find(",0]");
  ASSERT_NE(at, std::string::npos);
  text[at + 1] = '1';
  const ProgramEnd end = run_program({"cover", scratch.write("x.json", text)});
  EXPECT_EQ(end.status, 3) << end.out;
  EXPECT_NE(end.err.find("sha256: expected the SHA-256 of the content"), std::string::npos)
      << end.err;
}

TEST(Cover, AFileThatIsNamedTwiceCountsOnce) {
  const Scratch scratch;
  const std::string file = vectors(scratch, "few.tv", {"--suite", "rnd", "--count", "20"});
  std::filesystem::create_symlink(file, scratch.path("link.tv"));
  const ProgramEnd end =
      run_program({"cover", file, scratch.path("./few.tv"), scratch.path("link.tv"), "--json"});
  ASSERT_EQ(end.status, 0) << end.err;
  EXPECT_EQ(Json::parse(end.out).at("groups")[0].at("samples"),
            run_json({"cover", file}).at("groups")[0].at("samples"));
  EXPECT_NE(end.err.find("link.tv: is the same file as " + file + "; counted once"),
            std::string::npos)
      << end.err;
}

/// Lanes of long blocks share a bin, and so many configurations that their bins would not fit are
/// refused.
TEST(Cover, HostileSizesStaySmall) {
  const Scratch scratch;
  const std::string file = scratch.path("long.tv");
  ASSERT_EQ(run_program({"gen", "--op", "block", "--format", "fp8_e4m3_fp32_tensor", "--lanes",
                         "65536", "--suite", "rnd", "--count", "4", "-o", file})
                .status,
            0);
  const Json measured = run_json({"cover", file});
  EXPECT_LT(measured.at("groups")[0].at("bins").get<std::uint64_t>(), 100000U);

  const std::string kOverflows =
      "sat_finite,sat_finite_keep_inf,propagate_inf,none_inf_or_nan,none_p3109_v4,none_p3109_"
      "20260714";
  // 288 configurations with some 70,000 bins each.
  ASSERT_EQ(run_program({"gen",
                         "--op",
                         "block",
                         "--format",
                         "fp8_e4m3_fp32_tensor",
                         "--lanes",
                         "1025",
                         "--rounding",
                         "all",
                         "--overflow",
                         kOverflows,
                         "--dst-ftz",
                         "none,pre,post",
                         "--src-ftz",
                         "keep,flush",
                         "--suite",
                         "rnd",
                         "--count",
                         "1",
                         "-o",
                         scratch.path("many.tv")})
                .status,
            0);
  const ProgramEnd end = run_program({"cover", scratch.path("many.tv")});
  EXPECT_EQ(end.status, 3) << end.err;
  EXPECT_NE(end.err.find("more than 16,777,216 bins"), std::string::npos) << end.err;
}

TEST(Cover, SourceDateEpochIsATimeOrRefused) {
  const Scratch scratch;
  const std::string file = vectors(scratch, "few.tv", {"--suite", "rnd", "--count", "20"});
  const std::string output = scratch.path("c.xml");
  const Line line = {"cover", file, "--ucis", output};
  for (const char* wrong : {"99999999999999999999", "253402300800", "-1", "yesterday", "", "1 "}) {
    ASSERT_EQ(::setenv("SOURCE_DATE_EPOCH", wrong, 1), 0);
    const ProgramEnd end = run_program(line);
    EXPECT_EQ(end.status, 2) << wrong << "\n" << end.err;
    EXPECT_NE(end.err.find("SOURCE_DATE_EPOCH is"), std::string::npos) << end.err;
    EXPECT_FALSE(std::filesystem::exists(output)) << wrong;
  }
  ASSERT_EQ(::setenv("SOURCE_DATE_EPOCH", "1767225600", 1), 0);
  EXPECT_EQ(run_program(line).status, 0);
  EXPECT_NE(read_file(output).find("2026-01-01T00:00:00"), std::string::npos);
  ::unsetenv("SOURCE_DATE_EPOCH");
}

}  // namespace
}  // namespace mx::cli::test
