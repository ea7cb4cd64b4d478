// A plugin that says and answers whatever its arguments hold, in hexadecimal: mxgold_device.h from
// the other side.
#include "sim/plugin/mxgold_device.h"

#include <cstdio>
#include <memory>

#include "tests/fuzz/draw.hpp"

namespace {

using mx::fuzz::Draw;

std::string bytes_of_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1]));
  }
  return bytes;
}

/// Mostly OK, else any status, with a reason or without.
mxgold_device_status status_of(Draw& draw, mxgold_device_message message) {
  const std::size_t choice = draw.below(32);
  if (choice < 26) return MXGOLD_DEVICE_OK;
  if (choice % 2 == 0) std::snprintf(message.text, message.size, "because\nit \x01 may");
  return static_cast<mxgold_device_status>(choice - 26);
}

}  // namespace

struct mxgold_device {
  explicit mxgold_device(const char* arguments) : bytes(bytes_of_hex(arguments)), draw(bytes) {
    name = draw.line(), operation = draw.line(), observes = draw.line();
    for (std::string line = draw.line(); !line.empty() && fields.size() < 9; line = draw.line()) {
      const std::size_t equals = std::min(line.find('='), line.size());
      fields.emplace_back(line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
    }
    for (const auto& [field, value] : fields) plain.push_back({field.c_str(), value.c_str()});
  }

  std::string bytes;
  Draw draw;
  std::string name, operation, observes;
  std::vector<std::pair<std::string, std::string>> fields;
  std::vector<mxgold_device_field> plain;
};

namespace {

mxgold_device_status create(const char* arguments, mxgold_device** device,
                            mxgold_device_message message) {
  auto made = std::make_unique<mxgold_device>(arguments);
  const mxgold_device_status status = status_of(made->draw, message);
  if (status == MXGOLD_DEVICE_OK && made->draw.below(32) != 31) *device = made.release();
  return status;
}

void destroy(mxgold_device* device) { const std::unique_ptr<mxgold_device> owner(device); }

mxgold_device_status facts(mxgold_device* device, mxgold_device_facts* facts,
                           mxgold_device_message message) {
  Draw& draw = device->draw;
  facts->name = draw.below(32) == 31 ? nullptr : device->name.c_str();
  facts->operation = draw.below(32) == 31 ? nullptr : device->operation.c_str();
  facts->observes = device->observes.empty() ? nullptr : device->observes.c_str();
  facts->kind = static_cast<std::uint32_t>(draw.below(4));
  facts->lanes = static_cast<std::uint32_t>(draw.below(8) == 7 ? draw.word(4) : draw.word(1));
  facts->configuration = draw.below(32) == 31 ? nullptr : device->plain.data();
  facts->configuration_count = device->plain.size();
  facts->takes_short = static_cast<std::uint32_t>(draw.below(2));
  facts->ready_is_registered = static_cast<std::uint32_t>(draw.below(2));
  facts->patience = draw.word(2);
  return status_of(draw, message);
}

mxgold_device_status supports(mxgold_device* device,
                              const mxgold_device_configuration* configuration,
                              mxgold_device_message message) {
  for (std::size_t i = 0; i < configuration->field_count; ++i) {
    if (*configuration->fields[i].name == '\0') return 99;
  }
  return status_of(device->draw, message);
}

mxgold_device_status configure(mxgold_device* device, const mxgold_device_run* run,
                               mxgold_device_message message) {
  if (run->configuration_count == 0) return 99;
  return status_of(device->draw, message);
}

mxgold_device_status reset(mxgold_device* device, const mxgold_device_reset* /*reset*/,
                           mxgold_device_message message) {
  return status_of(device->draw, message);
}

/// A word that mostly fits.
std::uint32_t fitting(Draw& draw, std::uint32_t most) {
  const auto word = static_cast<std::uint32_t>(draw.below(32) == 31 ? draw.word(4) : draw.word(1));
  return most < 256 ? word % (most + 2) : word;
}

mxgold_device_status tick(mxgold_device* device, const mxgold_device_inputs* inputs,
                          mxgold_device_outputs* outputs, mxgold_device_message message) {
  Draw& draw = device->draw;
  outputs->ready = fitting(draw, 1);
  outputs->valid = fitting(draw, 1);
  outputs->scale = fitting(draw, 256) ^ (inputs->valid != 0 ? inputs->source[31] & 1 : 0);
  outputs->flags = fitting(draw, 256);
  outputs->last = fitting(draw, 1);
  outputs->keep = draw.word(4) << (draw.below(32) == 31 ? 8 : 0);
  for (std::uint32_t i = 0; i < outputs->lanes; ++i) outputs->codes[i] = fitting(draw, 256);
  return status_of(draw, message);
}

mxgold_device_status peek(mxgold_device* device, const mxgold_device_inputs* inputs,
                          mxgold_device_outputs* outputs, mxgold_device_message message) {
  return tick(device, inputs, outputs, message);
}

mxgold_device_status end_of_input(mxgold_device* device, mxgold_device_message message) {
  return status_of(device->draw, message);
}

mxgold_device_status answer(mxgold_device* device, const mxgold_device_batch* batch,
                            mxgold_device_message message) {
  Draw& draw = device->draw;
  for (std::size_t f = 0; f < batch->result_count; ++f) {
    const mxgold_device_result& result = batch->results[f];
    const std::size_t words = batch->count * result.lanes;
    for (std::size_t i = 0; i < words; ++i) {
      const std::size_t choice = draw.below(128);
      if (choice == 127) continue;  // not written
      result.words[i] = draw.word(choice == 126 ? 8 : result.bytes);
    }
  }
  return status_of(draw, message);
}

}  // namespace

extern "C" const mxgold_device_table* mxgold_device_entry(void) {
  static constexpr mxgold_device_table kTable = {MXGOLD_DEVICE_ABI_VERSION,
                                                 sizeof(mxgold_device_table),
                                                 create,
                                                 destroy,
                                                 facts,
                                                 supports,
                                                 configure,
                                                 reset,
                                                 tick,
                                                 peek,
                                                 end_of_input,
                                                 answer};
  return &kTable;
}
