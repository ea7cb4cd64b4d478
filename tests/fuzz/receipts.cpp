// Receipts of sweeps. A digest seals them, so what is changed is sealed again: else nothing but the
// seal would be tried.
#include <nlohmann/json.hpp>

#include "cli/base/error.hpp"
#include "cli/merge/merge.hpp"
#include "cli/sweep/receipt.hpp"
#include "reference/format/rows.hpp"
#include "tests/fuzz/target.hpp"

namespace mx::fuzz {
namespace {

/// The text under a digest that fits, where it is an object at all.
std::string sealed(std::string_view text) {
  auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) return std::string(text);
  json.erase("sha256");
  try {
    json["sha256"] = golden::to_hex(golden::sha256(json.dump()));
    return json.dump();
  } catch (const nlohmann::json::exception&) {  // text that is no UTF-8
    return std::string(text);
  }
}

Outcome receipt(std::string_view input) {
  const MemoryFile file(sealed(input));
  return read_or_refuse<cli::Error>(input, [&] {
    const cli::Receipt read = cli::read_receipt(file.path());
    const std::string text = cli::receipt_text(read);
    const MemoryFile again(text);
    require(cli::receipt_text(cli::read_receipt(again.path())) == text,
            "a receipt comes back as it was written", input);
    const cli::Merged merged = cli::merge({{"a", read}, {"b", read}});
    require(!merged.sweeps.empty(), "a receipt has sweeps", input);
    for (const cli::MergedSweep& each : merged.sweeps) {
      require(each.conflicts.empty() || read.sweeps.size() > 1, "a sweep contradicts itself",
              input);
      require(each.missing.empty() == (each.compared == each.words), "gaps are counted", input);
    }
  });
}

std::vector<std::string> receipt_seeds() {
  cli::Sweep sweep;
  ConversionConfig config{formats::bf16, formats::e4m3fn, {}};
  sweep.dut = "device";
  sweep.judge = "certificate";
  sweep.segments = {0, 1};
  sweep.digests.resize(1);
  sweep.compared = 65536;
  sweep.configuration = {config, {}};
  cli::Sweep wrong = sweep;
  config.policy.rounding = Rounding::kToOdd;
  wrong.configuration = {config, {}};
  wrong.mismatches = 1;
  wrong.first = cli::SweepMismatch{7, 1, 2};
  return {cli::receipt_text(cli::receipt_of({sweep})),
          cli::receipt_text(cli::receipt_of({sweep, wrong}))};
}

}  // namespace

Target receipts_target() { return {"receipts", receipt, receipt_seeds}; }

}  // namespace mx::fuzz
