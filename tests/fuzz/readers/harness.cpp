// Files of the harness: waivers, descriptions of devices, replays, faults.
#include "cli/base/error.hpp"
#include "cli/vectors/waiver_file.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/bytes/error.hpp"
#include "golden/configuration/shorthand.hpp"
#include "sim/device/description.hpp"
#include "sim/rtl/faults.hpp"
#include "sim/shrink/record_case.hpp"
#include "sim/shrink/replay_file.hpp"
#include "sim/shrink/stream_case.hpp"
#include "tests/fuzz/target.hpp"

namespace mx::fuzz {
namespace {

golden::VectorHeader header_of_blocks() {
  golden::VectorHeader header;
  header.catalog = std::make_shared<FormatCatalog>();
  header.configs = {*golden::parse_shorthand("format=mxfp8_e4m3", *header.catalog)};
  header.lanes = 32;
  header.count = 1000;
  return header;
}

Outcome waivers(std::string_view input) {
  static const golden::VectorHeader kHeader = header_of_blocks();
  const MemoryFile file(input);
  return read_or_refuse<cli::Error>(input, [&] {
    try {
      (void)cli::read_waivers(file.path(), kHeader);
    } catch (const golden::VectorError& error) {  // no JSON at all
      cli::fail(cli::Exit::kBadInput, "{}", error.what());
    }
  });
}

std::vector<std::string> waiver_seeds() {
  return {R"({"schema": 1, "waivers": [{"id": "W-1", "reason": "the scale is a signed byte",
 "expires": "2099-12-31", "op": "block", "fields": ["scale", "code"],
 "as": {"source_subnormals": "leading_one", "scale_bottom": -128}}]})",
          R"({"schema": 1, "waivers": [{"id": "W-2", "reason": "flags are late", "expires":
 "2099-01-31", "op": "block", "configuration": {"format": "mxfp8_e4m3"}, "vectors": [3, [10, 20]],
 "where": {"has": ["nan"]}}]})"};
}

Outcome device(std::string_view input) {
  const MemoryFile file(input);
  return read_or_refuse<golden::VectorError>(
      input, [&] { sim::check_together(sim::read_description(file.path())); });
}

std::vector<std::string> device_seeds() {
  std::vector<std::string> seeds;
  for (const std::string_view name :
       {"fp32_to_e4m3", "widen_bf16", "dot_fp4", "dequantize_fp4", "narrow_fp32"}) {
    std::string text = file_of_checkout("tests/sim/device/" + std::string(name) + ".json");
    // The sources lie beside the file of the checkout, not beside the one in memory.
    for (std::size_t at = text.find("modules/"); at != text.npos;
         at = text.find("modules/", at + 1)) {
      const std::string folder = checkout() + "/tests/sim/device/";
      text.insert(at, folder);
      at += folder.size();
    }
    seeds.push_back(std::move(text));
  }
  return seeds;
}

/// A replay that is read and written is read as the same.
Outcome replay(std::string_view input) {
  const MemoryFile file(input);
  return read_or_refuse<golden::VectorError>(input, [&] {
    const std::string text = sim::replay_json(sim::read_replay(file.path(), emulators::make_cast));
    const MemoryFile again(text);
    require(sim::replay_json(sim::read_replay(again.path(), emulators::make_cast)) == text,
            "its own text stays", text);
  });
}

/// A record of zeros through a program.
std::string replay_of_records(std::string_view text) {
  golden::VectorHeader header;
  header.catalog = std::make_shared<FormatCatalog>(emulators::make_cast);
  header.configs = {*golden::parse_shorthand(text, *header.catalog)};
  header.op = header.configs[0].operation();
  const bool is_scalar =
      header.op == golden::Operation::kCvt || header.op == golden::Operation::kArith;
  header.lanes = is_scalar ? 1 : 32;
  header.count = 1;
  if (golden::takes_random(header.configs[0])) {
    header.random_words = golden::RandomWords::kPresent;
  }
  require(header.problem().empty(), "a seed's header is legal", header.problem());
  sim::ReplayFile records;
  records.kind = sim::ReplayKind::kRecords;
  records.device = "process:./dut";
  records.shown = "MISMATCH";
  records.header = header;
  records.program.stall = "light";
  records.failure = sim::record_case(header, golden::RecordBatch(header.shape(), 1));
  return sim::replay_json(records);
}

std::vector<std::string> replay_seeds() {
  sim::BlockIn block;
  block.source[3] = 0x3FC00000;
  block.random[3] = 0xA5;
  block.last = true;
  const golden::VectorHeader header = header_of_blocks();
  sim::ReplayFile stream;
  stream.device = "reference";
  stream.shown = "MISMATCH";
  sim::DriveOptions drive;
  drive.input_stall.kind = sim::Stall::kAt;
  drive.input_stall.cycles = {1, 5};
  drive.reset = {sim::ResetPlan::Kind::kAt, {7}};
  stream.failure = sim::stream_case({header.configs[0]}, std::span(&block, 1), drive);
  std::vector<std::string> seeds = {sim::replay_json(stream)};
  for (const std::string_view text :
       {"format=mxfp4 source=bf16 rounding=stochastic_a random_bits=8", "op=cvt destination=fp16",
        "op=dot a=mxfp4 b=mxfp6_e2m3 addend=given addend_format=bf16",
        "op=arith operation=fma format=fp16", "op=dequantize format=mxfp8_e4m3 result=bf16",
        "op=cast cast=dmx:MXFP8[E4M3]{32}", "op=mma unit=mi300_f16 a=fp16"}) {
    seeds.push_back(replay_of_records(text));
  }
  return seeds;
}

Outcome faults(std::string_view input) {
  return read_or_refuse<golden::VectorError>(input, [&] { (void)sim::parse_rtl_faults(input); });
}

std::vector<std::string> fault_seeds() { return {file_of_checkout("sim/rtl/faults.txt")}; }

}  // namespace

Target waivers_target() { return {"waivers", waivers, waiver_seeds}; }
Target devices_target() { return {"devices", device, device_seeds}; }
Target replays_target() { return {"replays", replay, replay_seeds}; }
Target faults_target() { return {"faults", faults, fault_seeds}; }

}  // namespace mx::fuzz
