// What plugins say and answer (mxgold_device.h): facts, statuses, results and pins of a device that
// draws them all. It is refused in words, or what comes through fits its fields.
#include <cstdlib>

#include "emulators/casts/casts.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/configuration/shorthand.hpp"
#include "sim/plugin/clocked.hpp"
#include "sim/plugin/records.hpp"
#include "tests/fuzz/draw.hpp"

namespace mx::fuzz {
namespace {

constexpr int kCycles = 24;

/// The watchdog counts time on the wall, which a machine that is busy has less of.
constexpr std::chrono::hours kPatience{24};

golden::VectorHeader header_of(golden::Operation operation) {
  golden::VectorHeader header;
  header.catalog = std::make_shared<FormatCatalog>(emulators::make_cast);
  for (const std::string_view text :
       {"op=cvt destination=fp16", "op=dot a=mxfp4", "op=arith operation=fma format=fp64",
        "op=dequantize format=mxfp8_e4m3 result=bf16", "op=cast cast=dmx:MXFP8[E4M3]{32}",
        "op=mma unit=h100_f16 a=fp16", "format=mxfp4"}) {
    header.configs = {*golden::parse_shorthand(text, *header.catalog)};
    header.op = header.configs[0].operation();
    if (header.op == operation) break;
  }
  const bool is_scalar =
      header.op == golden::Operation::kCvt || header.op == golden::Operation::kArith;
  header.lanes = is_scalar ? 1 : 32;
  header.count = 3;
  return header;
}

void run_records(const std::shared_ptr<const sim::PluginLibrary>& library,
                 const sim::PluginFacts& facts, std::string_view input) {
  const golden::VectorHeader header = header_of(facts.offer.operation);
  require(header.problem().empty(), "the records are legal", input);
  const auto observed = golden::Observed::make(facts.observes, header.shape());
  if (!observed) throw sim::DutError(std::string(observed.problem()));
  (void)sim::left_out(facts.offer, header);
  sim::PluginRecords device(library, 1, *observed);
  bool is_asked = false;
  const auto next = [&](golden::RecordBatch& batch) {
    batch = golden::RecordBatch(header.shape(), header.count);
    return !std::exchange(is_asked, true);
  };
  device.run(header, next, [&](const golden::RecordBatch& batch) {
    for (const golden::FieldShape& each : header.shape().fields) {
      if (!golden::is_result(each.field) || each.bytes == 8) continue;
      for (const std::uint64_t word : batch.all(each.field)) {
        require(word >> 8 * each.bytes == 0, "a result fits its field", input);
      }
    }
  });
}

void run_clocked(const std::shared_ptr<const sim::PluginLibrary>& library) {
  sim::PluginDut device(library);
  static const golden::VectorHeader kHeader = header_of(golden::Operation::kBlock);
  const std::string why = device.refusal(std::get<QuantizerConfig>(kHeader.configs.front().what));
  if (!why.empty()) throw sim::UnsupportedError(why);
  device.configure({kHeader.configs, 1});
  device.reset({.blocks = kCycles, .edges = 1, .offering = true, .noise = 3});
  sim::BlockIn block;
  block.source[3] = 0x3FC00000;
  for (int cycle = 0; cycle < kCycles; ++cycle) {
    const sim::Drive drive{cycle % 3 == 0 ? nullptr : &block, cycle % 2 == 0, 5};
    sim::Observed observed;
    if (cycle % 8 == 7) (void)device.peek(drive, observed);
    device.tick(drive, observed);
  }
  device.end_of_input();
}

/// The one that was built, or MX_FUZZ_PLUGIN, for a fuzzer that outlives it.
std::string plugin_file() {
  const char* const other = std::getenv("MX_FUZZ_PLUGIN");
  return other == nullptr ? MX_PLUGIN : other;
}

Outcome plugin(std::string_view input) {
  sim::PluginName name{plugin_file(), ""};
  for (const char each : input) name.arguments += golden::hex(static_cast<unsigned char>(each), 8);
  try {
    const auto library = std::make_shared<const sim::PluginLibrary>(name, kPatience);
    const sim::PluginFacts facts = sim::PluginInstance(library).facts();
    require_words(facts.name, input);
    if (facts.is_clocked) {
      run_clocked(library);
    } else {
      run_records(library, facts, input);
    }
  } catch (const sim::DutError& error) {
    require_words(error.what(), input);
    return Outcome::kRefused;
  } catch (const sim::UnsupportedError& error) {
    require_words(error.what(), input);
    return Outcome::kRefused;
  }
  return Outcome::kRead;
}

/// Facts of a kind; every byte of an answer beyond the end is 0.
std::vector<std::string> seeds() {
  const std::string records = bytes_of("\x00\x00\x00\x00\x02\x00"),
                    clocked = bytes_of("\x00\x00\x00\x00\x01\x00");
  const std::string scalar = records + bytes_of("\x00\x00\x00\x01\x00\x10\x00\x00");
  const std::string wide = records + bytes_of("\x20\x00\x00\x01\x00\x10\x00\x00");
  return {"adder\narith\n\noperation=fma\n\n" + scalar,
          "converter\ncvt\ncode\n\n" + scalar,
          "quantizer\nblock\nscale,code\nrounding=ties_to_even\n\n" + wide,
          "dot\ndot\nall\n\n" + wide,
          "back\ndequantize\n\n\n" + wide,
          "cast\ncast\ncode\n\n" + wide,
          "pins\nblock\nscale,code,flags\n\n" + clocked + bytes_of("\x20\x00\x00\x00\x00\x00\x00")};
}

}  // namespace

Target plugins_target() { return {"plugins", plugin, seeds}; }

}  // namespace mx::fuzz
