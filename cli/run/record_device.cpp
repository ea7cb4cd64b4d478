// The devices and judges of runs over records, as options name them.
#include <algorithm>
#include <array>
#include <cmath>

#include "cli/base/command.hpp"
#include "cli/configs/choices.hpp"
#include "cli/run/options.hpp"
#include "cli/vectors/verify_oracle.hpp"
#include "sim/device/device.hpp"
#include "sim/device/fits.hpp"
#include "sim/parameters/built.hpp"
#include "sim/plugin/records.hpp"
#include "sim/process/process.hpp"
#include "sim/record/reference.hpp"

namespace mx::cli {
namespace {

std::chrono::milliseconds measured(double seconds) {
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

/// The result fields of such records that the device says it gives; `all` where it does not say.
Names given_fields(const RunCommand& command, const sim::DutKind& kind,
                   const golden::RecordShape& shape) {
  if (command.answers) return command.answers->fields;
  if (kind.is_described) return sim::observed_fields(described(command), shape);
  if (kind.is_plugin) return plugin_facts(command).observes;
  return {"all"};
}

/// A device may have formats that only the command line defines: `member` names one of a field.
void require_format(const RunCommand& command, const sim::DutKind& kind,
                    golden::Operation operation, const std::string& member,
                    const std::string& field, const std::string& value) {
  constexpr std::array<std::string_view, 3> kOfBlocks = {"format", "a_format", "b_format"};
  constexpr std::array<std::string_view, 7> kOfElements = {
      "source", "destination", "a_element", "b_element", "addend_format", "result", "acc_format"};
  // What a cast has by that name is a text of its system.
  if (operation == golden::Operation::kCast && field == "format") return;
  try {
    if (std::ranges::find(kOfBlocks, field) != kOfBlocks.end()) {
      static_cast<void>(command.gen.configs.book->require(value));
    }
    if (std::ranges::find(kOfElements, field) != kOfElements.end()) {
      static_cast<void>(command.gen.configs.book->require_element("format", value));
    }
  } catch (const Error& error) {
    fail(kind.is_plugin ? Exit::kDut : Exit::kBadInput, "{}: {}: {}", run_dut_argument(command.dut),
         member, error.what());
  }
}

void require_formats(const RunCommand& command, const sim::DutKind& kind, const sim::Offer& offer) {
  for (const auto& [field, values] : offer.configuration) {
    for (const std::string& value : values) {
      require_format(command, kind, offer.operation, "configuration." + field, field, value);
    }
  }
  if (!kind.is_described) return;
  for (const sim::DescribedPort& port : described(command).input.ports) {
    for (const sim::DescribedPart& part : port.parts) {
      for (const auto& [value, bits] : part.choices) {
        require_format(command, kind, offer.operation, part.place + ".values", part.field, value);
      }
    }
  }
}

}  // namespace

sim::PluginFacts plugin_facts(const RunCommand& command) {
  return sim::facts_of_plugin(std::string(run_dut_argument(command.dut)), time_out_of(command));
}

std::optional<sim::Offer> offer_of(const RunCommand& command, const sim::DutKind& kind) {
  if (kind.is_described) return sim::offer_of(described(command));
  if (kind.is_plugin) return plugin_facts(command).offer;
  return std::nullopt;
}

std::chrono::milliseconds time_out_of(const RunCommand& command) {
  return measured(command.time_out);
}

std::chrono::steady_clock::duration time_limit_of(const RunCommand& command,
                                                  std::chrono::steady_clock::duration otherwise) {
  if (!command.time_limit) return otherwise;
  const std::chrono::duration<double> seconds(*command.time_limit);
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(seconds);
}

sim::DeviceOptions device_options(const RunCommand& command) {
  return {.seed = command.gen.seed,
          .stall = command.stall,
          .reset = command.reset,
          .time_out = time_out_of(command),
          .time_limit = time_limit_of(command, std::chrono::steady_clock::duration::max())};
}

sim::Description described(const RunCommand& command) {
  const std::string argument(run_dut_argument(command.dut));
  if (run_dut_kind(command.dut).name == "rtl") return sim::described_rtl(argument);
  return sim::read_description(argument);
}

std::unique_ptr<sim::RecordDevice> make_record_device(const RunCommand& command,
                                                      const sim::DutKind& kind,
                                                      const golden::Observed& observed) {
  if (command.answers) return std::make_unique<sim::AnswerDevice>(command.answers);
  const std::string argument(run_dut_argument(command.dut));
  if (kind.is_program) {
    sim::ProcessOptions options{argument, time_out_of(command)};
    if (command.start_time_out) options.start_time_out = measured(*command.start_time_out);
    options.time_limit = time_limit_of(command, options.time_limit);
    options.channel = command.pipe == "fifo" ? sim::Channel::kFifo : sim::Channel::kStdio;
    options.answer_prefix = command.answer_prefix;
    options.observed = observed;
    return std::make_unique<sim::ProcessDevice>(options);
  }
  if (kind.is_described) {
    return std::make_unique<sim::DescribedDevice>(described(command), device_options(command));
  }
  if (kind.is_plugin) {
    return std::make_unique<sim::PluginRecords>(
        std::make_shared<sim::PluginLibrary>(sim::plugin_name(argument), time_out_of(command)),
        command.gen.seed, observed);
  }
  if (kind.name != "reference") {
    fail(Exit::kUsage,
         "--dut {}: takes blocks of 32 lanes of bytes; process:, plugin: and reference take "
         "every operation and every block format",
         kind.name);
  }
  const sim::RecordFault* const fault = sim::find_record_fault(argument);
  if (!argument.empty() && fault == nullptr) {
    std::vector<std::string_view> known;
    for (const sim::RecordFault& each : sim::record_faults()) known.push_back(each.token);
    fail(Exit::kUsage, "--dut {}: a fault of blocks on streams; here give one of {}", command.dut,
         fmt::join(known, ", "));
  }
  return std::make_unique<sim::ReferenceDevice>(fault);
}

golden::Observed observed_of(const RunCommand& command, const sim::DutKind& kind,
                             const golden::RecordShape& shape) {
  const Names given = given_fields(command, kind, shape);
  if (is_all(given)) return require_observed(command.observe, shape);
  if (given.empty()) {
    fail(Exit::kUsage, "--dut {}: no port carries a result field of these records", command.dut);
  }
  if (is_all(command.observe)) return require_observed(given, shape);
  for (const std::string& name : command.observe) {
    if (std::ranges::find(given, name) != given.end()) continue;
    fail(Exit::kUsage, "--observe {}: {} gives {}", name, command.dut, fmt::join(given, ", "));
  }
  return require_observed(command.observe, shape);
}

GenOptions gen_options_of(const RunCommand& command, const sim::DutKind& kind) {
  GenOptions options = command.gen;
  if (options.suite == "full") options.suite = "dir";
  const std::optional<sim::Offer> offer = offer_of(command, kind);
  if (!offer) return options;
  require_formats(command, kind, *offer);
  ConfigOptions& configs = options.configs;
  const std::string op(token_of(offer->operation));
  if (!configs.is_typed("--op")) configs.op = op;
  if (configs.op != op) fail(Exit::kUsage, "--op {}: {} does {}", configs.op, command.dut, op);
  const auto fill = [&](Names& names, const std::string& field) {
    if (names.empty()) names = offer->values(field);
  };
  const auto fill_one = [&](std::string& text, std::string_view option, const std::string& field) {
    const Names given = offer->values(field);
    if (!configs.is_typed(option) && !given.empty()) text = given.front();
  };
  configs.tensor_scales = offer->values("stored_tensor_scale");
  fill(configs.formats, op == "cvt"   ? "destination"
                        : op == "dot" ? "a_format"
                        : op == "mma" ? "a_element"
                                      : "format");
  // A dot product has one format a side.
  if (op == "dot" && command.gen.configs.formats.empty() && configs.formats.size() > 1) {
    configs.formats.resize(1);
  }
  // Records have one source format.
  if (const Names sources = offer->values("source"); configs.sources.empty() && !sources.empty()) {
    configs.sources = {sources.front()};
  }
  const Names b_format = offer->values(op == "mma" ? "b_element" : "b_format");
  if ((op == "dot" || op == "mma") && configs.formats.size() == 1 && !b_format.empty() &&
      std::ranges::find(b_format, configs.formats.front()) == b_format.end()) {
    configs.formats.push_back(b_format.front());
  }
  fill_one(configs.arith.operation, "--operation", "operation");
  fill_one(configs.arith.integer, "--integer", "integer");
  fill_one(configs.arith.out_of_range, "--out-of-range", "out_of_range");
  fill_one(configs.dot.mode, "--mode", "mode");
  fill_one(configs.dot.result, "--result", "result");
  for (AccumulatorText& each : configs.dot.accumulator) {
    const Names given = op == "dot" ? offer->values(std::string(each.field.in_headers)) : Names{};
    if (given.empty() || configs.is_typed(each.option)) continue;
    if (int* const number = std::get_if<int>(&each.value)) {
      *number = std::atoi(given.front().c_str());
    } else {
      each.value = given.front();
    }
  }
  if (offer->values("addend") == Names{"given"}) {
    fill_one(configs.addend, "--addend", "addend_format");
  }
  // A profile says every policy: what the device does otherwise is refused, not asked for.
  for (std::size_t i = 0; i < policy_options().size() && !configs.has_profile(); ++i) {
    const std::string name(policy_options()[i].name);
    if (configs.policies[i].empty()) configs.unchecked.push_back(name);
    fill(configs.policies[i], name);
  }
  const auto number = [&](const std::string& field) {
    const Names given = offer->values(field);
    return given.empty() ? 0 : std::atoi(given.front().c_str());
  };
  if (op == "mma") {
    fill_one(configs.unit, "--unit", "unit");
    fill_one(configs.scale_format, "--scale-format", "scale");
    if (configs.scale_format == "none") configs.scale_format.clear();
  }
  if (configs.block_size == 0 &&
      (op == "block" || op == "dequantize" || op == "dot" || op == "mma"))
    configs.block_size = number(op == "dot" ? "a_block_size" : "block_size");
  if (configs.random_bits == 0) {
    configs.random_bits = number("random_bits");
    configs.has_device_random_bits = configs.random_bits != 0;
    configs.unchecked.emplace_back("random_bits");
  }
  const bool has_lanes = op == "dot" || op == "cast" || op == "mma";
  if (options.lanes == 0 && has_lanes) options.lanes = static_cast<int>(offer->lanes);
  if (!offer->takes_short && !configs.is_typed("--lengths")) options.lengths = "full";
  return options;
}

void require_offered(const RunCommand& command, const sim::Offer& offer,
                     const golden::VectorHeader& header) {
  const std::string why = sim::refusal_of(offer, header);
  if (why.empty()) return;
  const ConfigOptions& configs = command.gen.configs;
  const std::string field = why.substr(0, why.find(' '));
  const bool is_policy = field == "random_bits" || find_policy_option(field) != nullptr;
  const Names given = given_policies(configs);
  const bool is_by_profile =
      is_policy && configs.has_profile() && std::ranges::find(given, field) == given.end();
  fail(Exit::kUsage, "{}: {}{}", command.dut,
       is_by_profile ? fmt::format("--profile {} sets ", configs.profile) : "", why);
}

std::vector<golden::AnswererFactory> judges_of(const RunCommand& command) {
  if (command.judge == "oracle") return {oracle_answerer()};
  return {};
}

sim::Compare compare_of(const RunCommand& command) {
  const bool is_strict = command.compare.empty() ? run_dut_kind(command.dut).zeroes_dont_care
                                                 : command.compare == "strict";
  if (!command.compare.empty() && !is_strict && command.compare != "normative") {
    fail(Exit::kUsage, "--compare '{}': give strict or normative", command.compare);
  }
  return is_strict ? sim::Compare::kStrict : sim::Compare::kNormative;
}

sim::Judge judge_of(const RunCommand& command) {
  // The oracle judges beside the reference and its certificates.
  if (command.judge == "oracle") return sim::Judge::kBoth;
  const std::optional<sim::Judge> judge = sim::parse_judge(command.judge);
  if (!judge) {
    fail(Exit::kUsage, "--judge '{}': give reference, certificate, both or oracle", command.judge);
  }
  if (*judge == sim::Judge::kCertificate && !command.cover.empty()) {
    fail(
        Exit::kUsage,
        "--cover: coverage is of what is compared, and certificates alone leave words unspecified; "
        "give --judge both");
  }
  return *judge;
}

}  // namespace mx::cli
