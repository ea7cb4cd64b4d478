// SPDX-License-Identifier: Apache-2.0
#include "cli/create/skeletons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace mx::cli {

std::string replaced(std::string text,
                     const std::vector<std::pair<std::string, std::string>>& words) {
  for (const auto& [word, value] : words) {
    const std::string mark = "@" + word + "@";
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size()) {
      text.replace(at, mark.size(), value);
    }
  }
  return text;
}

namespace {

constexpr const char* kPlugin =
    R"TEXT(// @NAME@ as a device under test: blocks of @SOURCE@ to @FORMAT@.
//
//   c++ -std=c++17 -shared -fPIC $(mxgold dpi --cflags) @FILE@ -o lib@NAME@.so
//   mxgold run --dut plugin:./lib@NAME@.so
//
// docs/howto/plugin.md walks through a whole plugin.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "@HEADER@"
#include "mxgold_device.h"

namespace {

constexpr std::uint32_t kLanes = @BLOCK@;

// One block: `lanes` codes of @SOURCE@ in; a scale code and a code of @FORMAT@ for each lane out.
// Returns false where it cannot answer.
bool quantize(const std::uint64_t* source, std::uint64_t lanes, std::uint64_t* scale,
              std::uint64_t* code) {
  // FILL IN: call your model here, and return true. @HEADER@ declares:
@PROTOTYPES@
  (void)source, (void)lanes, (void)scale, (void)code;
  return false;
}

// What is not said here may have any value: say all that would change an answer
// (mxgold help policies).
constexpr mxgold_device_field kComputes[] = {{"format", "@FORMAT@"},
                                             {"source", "@SOURCE@"},
                                             {"block_size", "@BLOCK@"},
                                             {"rounding", "ties_to_even"},
                                             {"rule", "floor"}};

struct Device {};

mxgold_device_status create(const char*, mxgold_device** device, mxgold_device_message) {
  static Device only;
  *device = reinterpret_cast<mxgold_device*>(&only);
  return MXGOLD_DEVICE_OK;
}

void destroy(mxgold_device*) {}

mxgold_device_status facts(mxgold_device*, mxgold_device_facts* out, mxgold_device_message) {
  out->name = "@NAME@";
  out->kind = MXGOLD_DEVICE_RECORDS;
  out->operation = "block";
  out->configuration = kComputes;
  out->configuration_count = sizeof kComputes / sizeof kComputes[0];
  out->observes = "scale,code";  // flags are not given
  out->takes_short = 1;
  return MXGOLD_DEVICE_OK;
}

mxgold_device_status configure(mxgold_device*, const mxgold_device_run*, mxgold_device_message) {
  return MXGOLD_DEVICE_OK;
}

const std::uint64_t* operand(const mxgold_device_batch* batch, const char* name) {
  for (std::size_t i = 0; i < batch->operand_count; ++i) {
    if (std::strcmp(batch->operands[i].name, name) == 0) return batch->operands[i].words;
  }
  return nullptr;
}

std::uint64_t* result(const mxgold_device_batch* batch, const char* name) {
  for (std::size_t i = 0; i < batch->result_count; ++i) {
    if (std::strcmp(batch->results[i].name, name) == 0) return batch->results[i].words;
  }
  return nullptr;
}

mxgold_device_status answer(mxgold_device*, const mxgold_device_batch* batch,
                            mxgold_device_message message) {
  const std::uint64_t* const source = operand(batch, "source");
  const std::uint64_t* const elements = operand(batch, "elements");
  std::uint64_t* const scale = result(batch, "scale");
  std::uint64_t* const code = result(batch, "code");
  for (std::size_t i = 0; i < batch->count; ++i) {
    // Lanes beyond `lanes` are 0, and their codes have to be 0.
    const std::uint64_t lanes = elements == nullptr ? kLanes : elements[i];
    if (quantize(source + i * kLanes, lanes, scale + i, code + i * kLanes)) continue;
    std::snprintf(message.text, message.size, "fill in quantize() in @FILE@");
    return MXGOLD_DEVICE_FAILED;
  }
  return MXGOLD_DEVICE_OK;
}

}  // namespace

extern "C" const mxgold_device_table* mxgold_device_entry(void) {
  static const mxgold_device_table table = {
      MXGOLD_DEVICE_ABI_VERSION, sizeof(mxgold_device_table), create,  destroy, facts,
      nullptr /* supports */,    configure,                   nullptr, nullptr, nullptr,
      nullptr /* end_of_input */, answer};
  return &table;
}
)TEXT";

constexpr const char* kPipe = R"TEXT(#!/usr/bin/env python3
"""@NAME@ as a device under test: blocks of @SOURCE@ to @FORMAT@, a line each.

    mxgold run --dut process:./@FILE@ --format @FORMAT@ --source @SOURCE@ --observe scale,code

docs/pipe-protocol.md says what the lines hold.
"""
import sys

LANES = @BLOCK@


def quantize(source):
    """One block: @BLOCK@ codes of @SOURCE@ in (lanes that take no part are 0); (scale, codes) out, whole numbers."""
    # FILL IN: call your model here, and return its scale and its codes.
    sys.exit("fill in quantize() in @FILE@")


for line in sys.stdin:
    if line.startswith("#"):  # the header: what is asked for
        continue
    scale, codes = quantize([int(word, 16) for word in line.split()[-LANES:]])
    flags = 0  # not given: --observe scale,code
    print(" ".join([f"{scale:02x}", *(f"{code:0@DIGITS@x}" for code in codes), f"{flags:02x}"]), flush=True)
)TEXT";

constexpr const char* kGithub =
    R"TEXT(# Every night: @NAME@ against the reference, by new random inputs.
name: @NAME@ nightly
on:
  schedule:
    - cron: "17 3 * * *"
  workflow_dispatch:
jobs:
  nightly:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: sudo apt-get update && sudo apt-get install -y @PACKAGES@
      - run: pip install mxgold-tools   # or your own build of mxgold
@BUILD@      - run: >
          @COMMAND@
          --seed "$(date +%Y%m%d)" --junit junit.xml --html report.html --shrink replay.json
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: report
          path: |
            junit.xml
            report.html
            replay.json
)TEXT";

constexpr const char* kGitlab =
    R"TEXT(# Every night (a pipeline schedule): @NAME@ against the reference, by new random inputs.
@NAME@-nightly:
  image: debian:12
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
  script:
    - apt-get update && apt-get install -y python3-pip @PACKAGES@
    - pip install --break-system-packages mxgold-tools   # or your own build of mxgold
@BUILD@    - >
      @COMMAND@
      --seed "$(date +%Y%m%d)" --junit junit.xml --html report.html --shrink replay.json
  artifacts:
    when: always
    paths: [junit.xml, report.html, replay.json]
    reports:
      junit: junit.xml
)TEXT";

}  // namespace

NewText plugin_skeleton(const ModelFacts& facts, const std::string& header,
                        const std::vector<std::string>& prototypes) {
  const std::string file = facts.name + "_plugin.cpp";
  std::string listed;
  for (const std::string& each : prototypes) {
    listed += (listed.empty() ? "" : "\n") + fmt::format("  //   {}", each);
  }
  if (listed.empty()) listed = "  //   (no function was found there)";
  return {file, replaced(kPlugin, {{"PROTOTYPES", listed},
                                   {"NAME", facts.name},
                                   {"FORMAT", facts.format},
                                   {"SOURCE", facts.source},
                                   {"BLOCK", std::to_string(facts.block)},
                                   {"FILE", file},
                                   {"HEADER", header}})};
}

NewText pipe_skeleton(const ModelFacts& facts) {
  const std::string file = facts.name + ".py";
  return {file, replaced(kPipe, {{"NAME", facts.name},
                                 {"FORMAT", facts.format},
                                 {"SOURCE", facts.source},
                                 {"BLOCK", std::to_string(facts.block)},
                                 {"DIGITS", "2"},
                                 {"FILE", file}})};
}

NewText ci_file(CiService service, const std::string& name, const std::string& packages,
                const std::string& build, const std::string& command) {
  const bool is_github = service == CiService::kGithub;
  std::string line;
  if (!build.empty()) line = fmt::format("{}{}\n", is_github ? "      - run: " : "    - ", build);
  return {
      is_github ? ".github/workflows/" + name + ".yml" : ".gitlab-ci.yml",
      replaced(is_github ? kGithub : kGitlab,
               {{"NAME", name}, {"PACKAGES", packages}, {"BUILD", line}, {"COMMAND", command}})};
}

std::vector<std::string> prototypes_of(const std::string& header) {
  static const std::regex kComment(R"(//[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)");
  static const std::regex kPrototype(
      R"((?:^|[;{}\n])\s*((?:[A-Za-z_][\w:<>]*[\s*&]+)+[A-Za-z_]\w*\s*\([^(){};]*\))\s*;)");
  const std::string code = std::regex_replace(header, kComment, " ");
  std::vector<std::string> list;
  for (std::sregex_iterator each(code.begin(), code.end(), kPrototype), end; each != end; ++each) {
    std::string text = std::regex_replace((*each)[1].str(), std::regex(R"(\s+)"), " ");
    const bool is_statement = text.starts_with("return ") || text.starts_with("else ");
    if (!is_statement) list.push_back(text + ";");
  }
  return list;
}

}  // namespace mx::cli
