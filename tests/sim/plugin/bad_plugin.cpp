// Plugins that break a rule of mxgold_device.h, one each. What loading meets comes from the
// environment variable MX_BAD_PLUGIN, the rest from ARGUMENTS: [clocked,]WHAT.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#include "sim/plugin/mxgold_device.h"

struct mxgold_device {
  std::string what;
  bool is_clocked = false;
  unsigned cycles = 0;
};

namespace {

void misbehave(const std::string& what, const std::string& where) {
  if (what == where + ":throw") throw std::runtime_error("out of patience");
  if (what == where + ":throw_int") throw 42;
  if (what == where + ":segv") ::raise(SIGSEGV);
  if (what == where + ":null") *static_cast<volatile int*>(nullptr) = 1;
  if (what == where + ":abort") std::abort();
  if (what == where + ":exit") std::exit(0);
  if (what == where + ":quick_exit") std::quick_exit(0);
  if (what == where + ":hang") {
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

/// Uses up the stack.
int deep(volatile int* at, int depth) {
  volatile char page[4096] = {};
  page[depth % 4096] = static_cast<char>(*at);
  return depth == 0 ? page[0] : deep(at, depth + 1) + page[depth % 4096];
}

mxgold_device_status status_of(const mxgold_device* device, const std::string& where) {
  misbehave(device->what, where);
  if (device->what == where + ":failed") return MXGOLD_DEVICE_FAILED;
  if (device->what == where + ":status") return 77;
  if (device->what == where + ":stack") {
    volatile int one = 1;
    return deep(&one, 1);
  }
  return MXGOLD_DEVICE_OK;
}

mxgold_device_status create(const char* arguments, mxgold_device** device,
                            mxgold_device_message message) {
  std::string what = arguments;
  if (what == "create:null") return MXGOLD_DEVICE_OK;
  if (what == "create:message") {
    std::memset(message.text, 'x', message.size);  // not terminated
    return MXGOLD_DEVICE_BAD_ARGUMENTS;
  }
  misbehave(what, "create");
  const bool is_clocked = what.starts_with("clocked,");
  *device = new mxgold_device{is_clocked ? what.substr(8) : what, is_clocked};
  return MXGOLD_DEVICE_OK;
}

void destroy(mxgold_device* device) {
  misbehave(device->what, "destroy");
  delete device;
}

mxgold_device_status facts(mxgold_device* device, mxgold_device_facts* out, mxgold_device_message) {
  const std::string& what = device->what;
  out->name = what == "facts:name" ? nullptr : "bad";
  out->kind = device->is_clocked ? MXGOLD_DEVICE_CLOCKED : MXGOLD_DEVICE_RECORDS;
  if (what == "facts:kind") out->kind = 9;
  out->operation = what == "facts:operation" ? "cut" : device->is_clocked ? "block" : "cvt";
  if (what == "facts:clocked_cvt") out->operation = "cvt";
  out->lanes = device->is_clocked ? 32 : 0;
  if (what == "facts:lanes") out->lanes = 16;
  if (what == "facts:observes") out->observes = "scale,nonsense";
  if (what == "facts:configuration") out->configuration_count = 1;
  static const mxgold_device_field half = {"source", nullptr};
  static const mxgold_device_field unknown = {"colour", "green"};
  if (what == "facts:value" || what == "facts:unknown") {
    out->configuration = what == "facts:value" ? &half : &unknown;
    out->configuration_count = 1;
  }
  if (what == "facts:registered") out->ready_is_registered = 1;
  return status_of(device, "facts");
}

mxgold_device_status configure(mxgold_device* device, const mxgold_device_run*,
                               mxgold_device_message) {
  return status_of(device, "configure");
}

mxgold_device_status reset(mxgold_device* device, const mxgold_device_reset*,
                           mxgold_device_message) {
  return status_of(device, "reset");
}

mxgold_device_status tick(mxgold_device* device, const mxgold_device_inputs*,
                          mxgold_device_outputs* out, mxgold_device_message) {
  const std::string& what = device->what;
  if (++device->cycles < 10) {
    out->ready = 1;
    out->valid = 0;
    return MXGOLD_DEVICE_OK;
  }
  const mxgold_device_status status = status_of(device, "tick");
  if (status != MXGOLD_DEVICE_OK) return status;
  if (what != "tick:ready") out->ready = 1;
  if (what == "tick:valid") return MXGOLD_DEVICE_OK;
  out->valid = what == "tick:two" ? 2 : 1;
  for (std::uint32_t i = 0; i < 32; ++i) out->codes[i] = 0;
  out->scale = out->flags = out->last = 0;
  out->keep = 0xFFFFFFFF;
  if (what == "tick:codes") out->codes[3] = 0x100;
  if (what == "tick:scale") out->scale = 0x1FF;
  if (what == "tick:keep") out->keep = std::uint64_t{1} << 32;
  static std::uint32_t elsewhere[32];
  if (what == "tick:pointer") out->codes = elsewhere;
  return MXGOLD_DEVICE_OK;
}

mxgold_device_status answer(mxgold_device* device, const mxgold_device_batch* batch,
                            mxgold_device_message) {
  const mxgold_device_status status = status_of(device, "answer");
  if (status != MXGOLD_DEVICE_OK || device->what == "answer:nothing") return status;
  for (std::size_t i = 0; i < batch->result_count; ++i) {
    const std::uint64_t word = device->what == "answer:wide" ? 0x100 : 0;
    for (std::size_t at = 0; at < batch->count * batch->results[i].lanes; ++at) {
      batch->results[i].words[at] = word;
    }
  }
  return MXGOLD_DEVICE_OK;
}

mxgold_device_table good() {
  return {MXGOLD_DEVICE_ABI_VERSION,
          sizeof(mxgold_device_table),
          create,
          destroy,
          facts,
          nullptr,
          configure,
          reset,
          tick,
          nullptr,
          nullptr,
          answer};
}

}  // namespace

const mxgold_device_table* mxgold_device_entry(void) {
  const char* const named = std::getenv("MX_BAD_PLUGIN");
  const std::string what = named == nullptr ? "" : named;
  static mxgold_device_table table = good();
  if (what == "table") return nullptr;
  if (what == "version") table.abi_version = 2;
  if (what == "size") table.table_bytes = 8;
  if (what == "create") table.create = nullptr;
  if (what == "answer") table.answer = nullptr;
  if (what == "tick") table.tick = nullptr;
  misbehave(what, "entry");
  return &table;
}
