// A matrix unit of a Hopper GPU as a device under test: mxgold run --op mma --unit UNIT
//   --dut plugin:libhopper_units.so:INSTRUCTION[,STEPS]
// answers records by the instruction itself, by STEPS of them in a chain: D of each is C of the
// next. The unit is what the run asks about, so any name of one is taken: whose rule the answers
// follow, the verdict says.
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/plugin/mxgold_device.h"
#include "tests/device/matrix/ask.hpp"

struct mxgold_device {
  const mx::probe::Instruction* instruction;
  std::size_t steps;
  std::string name;
  mxgold_device_field computes[3];
};

namespace mx::probe {
namespace {

constexpr std::size_t kDots = 8;  // ask_device() takes multiples

mxgold_device_status say(mxgold_device_status status, mxgold_device_message message,
                         std::string_view why) {
  std::snprintf(message.text, message.size, "%s", std::string(why).c_str());
  return status;
}

/// The name in mxgold of an operand's format.
const char* name_of(const Format& format) {
  if (format.name == kFp32.name) return "fp32";
  if (format.name == kTf32.name) return "tf32";
  if (format.name == kBf16.name) return "bf16";
  if (format.name == kFp16.name) return "fp16";
  return format.name == kE4m3.name ? "e4m3fn" : "e5m2";
}

const Instruction* find(std::string_view name) {
  for (const Instruction& each : kInstructions) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

mxgold_device_status create(const char* arguments, mxgold_device** device,
                            mxgold_device_message message) {
  const std::string_view text = arguments;
  const std::size_t comma = text.find(',');
  const Instruction* const instruction = find(text.substr(0, comma));
  if (instruction == nullptr) {
    std::string why =
        "give an instruction, and a comma and a number if it is to run several times:";
    for (const Instruction& each : kInstructions) why.append(" ").append(each.name);
    return say(MXGOLD_DEVICE_BAD_ARGUMENTS, message, why);
  }
  std::size_t steps = 1;
  if (comma != std::string_view::npos) {
    const std::string_view number = text.substr(comma + 1);
    if (number.size() != 1 || number[0] < '1' || number[0] > '9') {
      return say(MXGOLD_DEVICE_BAD_ARGUMENTS, message, "steps: a number of 1 to 9");
    }
    steps = static_cast<std::size_t>(number[0] - '0');
  }
  *device = new mxgold_device{instruction,
                              steps,
                              std::string(instruction->name),
                              {{"a_element", name_of(instruction->a)},
                               {"b_element", name_of(instruction->b)},
                               {"result", name_of(instruction->output)}}};
  return MXGOLD_DEVICE_OK;
}

void destroy(mxgold_device* device) { delete device; }

mxgold_device_status facts(mxgold_device* device, mxgold_device_facts* out, mxgold_device_message) {
  out->name = device->name.c_str();
  out->kind = MXGOLD_DEVICE_RECORDS;
  out->lanes = static_cast<std::uint32_t>(device->instruction->k) *
               static_cast<std::uint32_t>(device->steps);
  out->operation = "mma";
  out->configuration = device->computes;
  out->configuration_count = std::size(device->computes);
  return MXGOLD_DEVICE_OK;
}

mxgold_device_status configure(mxgold_device*, const mxgold_device_run*,
                               mxgold_device_message message) {
  const std::string why = obstacle();
  return why.empty() ? MXGOLD_DEVICE_OK : say(MXGOLD_DEVICE_FAILED, message, why);
}

std::span<const std::uint64_t> operand(const mxgold_device_batch& batch, std::string_view name) {
  for (const mxgold_device_operand& each : std::span(batch.operands, batch.operand_count)) {
    if (each.name == name) return {each.words, batch.count * each.lanes};
  }
  return {};
}

std::span<std::uint64_t> result(const mxgold_device_batch& batch, std::string_view name) {
  for (const mxgold_device_result& each : std::span(batch.results, batch.result_count)) {
    if (each.name == name) return {each.words, batch.count * each.lanes};
  }
  return {};
}

/// The codes of one step of every record, then zeros up to a whole tile, packed; tf32 stands in
/// binary32, above 13 bits that the unit drops.
std::vector<std::uint32_t> packed(const Format& format, std::span<const std::uint64_t> words,
                                  std::size_t lanes, std::size_t first, std::size_t k,
                                  std::size_t dots) {
  std::vector<std::uint32_t> codes(dots * k);
  const int dropped = format.fraction_bits - format.kept_bits;
  for (std::size_t i = 0; i < words.size() / lanes; ++i) {
    for (std::size_t lane = 0; lane < k; ++lane) {
      codes[i * k + lane] = static_cast<std::uint32_t>(words[i * lanes + first + lane]) << dropped;
    }
  }
  return pack_codes(codes, format.bytes);
}

std::optional<std::string> compute(const mxgold_device& device, const mxgold_device_batch& batch) {
  const std::span a = operand(batch, "a");
  const std::span b = operand(batch, "b");
  const std::span c = operand(batch, "c");
  const std::span code = result(batch, "code");
  const auto k = static_cast<std::size_t>(device.instruction->k);
  const std::size_t lanes = k * device.steps;
  if (a.size() != batch.count * lanes || b.size() != a.size() || c.size() != batch.count ||
      code.size() != batch.count) {
    return "records without a, b, c or code of the instruction's shape";
  }
  const std::size_t dots = (batch.count + kDots - 1) / kDots * kDots;
  std::vector<std::uint32_t> carry(c.begin(), c.end());
  carry.resize(dots);
  for (std::size_t first = 0; first < lanes; first += k) {
    const Answer answer =
        ask_device(*device.instruction, packed(device.instruction->a, a, lanes, first, k, dots),
                   packed(device.instruction->b, b, lanes, first, k, dots), carry);
    if (answer.differing != 0) {
      return std::to_string(answer.differing) + " dot products depend on their row";
    }
    carry = answer.d;
  }
  for (std::size_t i = 0; i < batch.count; ++i) code[i] = carry[i];
  return std::nullopt;
}

mxgold_device_status answer(mxgold_device* device, const mxgold_device_batch* batch,
                            mxgold_device_message message) {
  try {
    const std::optional<std::string> why = compute(*device, *batch);
    return why ? say(MXGOLD_DEVICE_FAILED, message, *why) : MXGOLD_DEVICE_OK;
  } catch (const std::exception& error) {
    return say(MXGOLD_DEVICE_FAILED, message, error.what());
  }
}

}  // namespace
}  // namespace mx::probe

const mxgold_device_table* mxgold_device_entry() {
  using namespace mx::probe;
  static const mxgold_device_table table = {MXGOLD_DEVICE_ABI_VERSION,
                                            sizeof(mxgold_device_table),
                                            create,
                                            destroy,
                                            facts,
                                            nullptr,
                                            configure,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            answer};
  return &table;
}
