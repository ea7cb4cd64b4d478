// The reference as a plugin: any operation as records, blocks behind a clock, told nothing but what
// mxgold_device.h passes. ARGUMENTS: OPERATION[,LANES][,code|,flags|,late] for records,
// clocked[,FAULT] with a fault of sim/block/fault.hpp, or idle: what the pins show where nothing is
// offered gets into the next block. FIELD=VALUE: it offers that of the configuration alone. whole:
// it takes no short blocks. partial: scale and codes alone, the rest is never written. poison,HOW:
// it ends its process where an infinity comes, or record 2048, by segv, abort, exit, _exit, hang,
// or in a thread of its own.
// Beside its device, by the environment: MX_PLUGIN_FOLDER is a folder that it changes to, and
// MX_PLUGIN_DOES what it does to its process: WHEN:HOW, or another word below.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "emulators/casts/casts.hpp"
#include "golden/answers/answers.hpp"
#include "golden/configuration/text.hpp"
#include "sim/dut/reference.hpp"
#include "sim/plugin/mxgold_device.h"

namespace {

using mx::golden::Field;

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return words;
}

mxgold_device_status say(mxgold_device_message message, mxgold_device_status status,
                         const std::string& why) {
  const std::size_t size = std::min(why.size(), message.size - 1);
  std::memcpy(message.text, why.data(), size);
  message.text[size] = '\0';
  return status;
}

}  // namespace

struct mxgold_device {
  std::vector<std::string> words;
  bool is_clocked = false;
  std::vector<std::pair<std::string, std::string>> offers;
  std::vector<mxgold_device_field> offered;  ///< the same
  std::atomic<int> inside = 0;  ///< calls that run; more than one is the harness's fault
  mx::FormatCatalog catalog{mx::emulators::make_cast};
  mx::sim::Configurations configs;
  std::unique_ptr<mx::sim::ReferenceDut> dut;
  std::uint32_t idle = 0;  ///< lane 0 of the last cycle without an offer
  mx::golden::VectorHeader header;
  std::unique_ptr<mx::golden::ReferenceAnswerer> answerer;

  [[nodiscard]] bool has(const std::string& word) const {
    return std::find(words.begin(), words.end(), word) != words.end();
  }
};

namespace {

/// One call at a time.
class Alone {
 public:
  explicit Alone(mxgold_device* device) : device_(device) { is_alone_ = ++device->inside == 1; }
  ~Alone() { --device_->inside; }
  [[nodiscard]] bool is_alone() const { return is_alone_; }

 private:
  mxgold_device* device_;
  bool is_alone_;
};

void end_process(const mxgold_device& device) {
  if (device.has("segv")) *static_cast<volatile int*>(nullptr) = 1;
  if (device.has("abort")) std::abort();
  if (device.has("exit")) std::exit(0);
  if (device.has("thread")) {
    std::thread([] { *static_cast<volatile int*>(nullptr) = 1; }).join();
  }
  if (device.has("_exit")) ::_exit(0);
  for (;;) ::pause();
}

/// What MX_PLUGIN_DOES asks for `when`; "" for nothing.
std::string asked_for(const std::string& when) {
  const char* const text = std::getenv("MX_PLUGIN_DOES");
  const std::string what = text == nullptr ? "" : text;
  return what.rfind(when + ":", 0) == 0 ? what.substr(when.size() + 1) : "";
}

void act(const std::string& how) {
  if (how == "_exit") ::_exit(0);
  if (how == "exit") std::exit(0);
  if (how == "abort") std::abort();
  if (how == "segv") *static_cast<volatile int*>(nullptr) = 1;
  if (how == "stop") ::raise(SIGSTOP);
  if (how == "hang") {
    for (;;) ::pause();
  }
}

/// Foreign code at the end of the process.
struct Last {
  ~Last() {
    if (has_started) act(asked_for("end"));
  }
  bool has_started = false;
} last;

/// Foreign code at the end of a thread.
struct Local {
  ~Local() { act(asked_for("local")); }
  bool is_made = true;
};

void change_process() {
  last.has_started = true;
  if (const char* const folder = std::getenv("MX_PLUGIN_FOLDER"); folder != nullptr) {
    if (::chdir(folder) != 0) std::abort();
  }
  if (asked_for("output") == "close") ::close(STDOUT_FILENO);
  if (asked_for("output") == "replace") ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
  const char* const text = std::getenv("MX_PLUGIN_DOES");
  if (text == nullptr) return;
  if (text == std::string("fork") && ::fork() != 0) ::_exit(0);
  if (text == std::string("handler")) {
    std::signal(SIGSEGV, [](int) { ::_exit(0); });
  }
}

mxgold_device_status create(const char* arguments, mxgold_device** device,
                            mxgold_device_message message) {
  change_process();
  auto made = std::make_unique<mxgold_device>();
  made->words = words_of(arguments);
  made->is_clocked = made->words.front() == "clocked";
  for (const std::string& word : made->words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) continue;
    made->offers.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  for (const auto& [field, value] : made->offers) {
    made->offered.push_back({field.c_str(), value.c_str()});
  }
  if (made->is_clocked) {
    const mx::sim::Fault* const fault =
        made->words.size() > 1 ? mx::sim::find_fault(made->words[1]) : nullptr;
    const bool is_known =
        !made->offers.empty() || made->has("idle") || made->has("partial") || made->has("poison");
    if (made->words.size() > 1 && fault == nullptr && !is_known) {
      return say(message, MXGOLD_DEVICE_BAD_ARGUMENTS, "no such fault");
    }
    made->dut = std::make_unique<mx::sim::ReferenceDut>(fault);
  } else if (!mx::parse_token<mx::golden::Operation>(made->words.front())) {
    return say(message, MXGOLD_DEVICE_BAD_ARGUMENTS, "give an operation, or clocked");
  }
  *device = made.release();
  return MXGOLD_DEVICE_OK;
}

void destroy(mxgold_device* device) {
  act(asked_for("destroy"));
  delete device;
}

mxgold_device_status facts(mxgold_device* device, mxgold_device_facts* out, mxgold_device_message) {
  out->name = "reference";
  out->kind = device->is_clocked ? MXGOLD_DEVICE_CLOCKED : MXGOLD_DEVICE_RECORDS;
  out->operation = device->is_clocked ? "block" : device->words.front().c_str();
  out->takes_short = device->has("whole") ? 0 : 1;
  out->configuration = device->offered.data();
  out->configuration_count = device->offered.size();
  if (device->has("partial")) out->observes = "scale,code";
  if (device->is_clocked) {
    out->lanes = MXGOLD_DEVICE_LANES;
  } else if (device->words.size() > 1) {
    out->lanes = static_cast<std::uint32_t>(std::atoi(device->words[1].c_str()));
  }
  return MXGOLD_DEVICE_OK;
}

std::string parse(mxgold_device* device, const mxgold_device_configuration& told,
                  mx::golden::Operation operation, mx::golden::Configuration& configuration) {
  std::map<std::string, std::string> fields;
  for (std::size_t i = 0; i < told.field_count; ++i) {
    fields[told.fields[i].name] = told.fields[i].value;
  }
  const auto problem = mx::golden::parse_fields(operation, fields, device->catalog, configuration);
  return problem ? problem->field + " " + problem->what : "";
}

// The reference takes what it is told; what it cannot read would be a field lost on the way.
mxgold_device_status supports(mxgold_device* device, const mxgold_device_configuration* told,
                              mxgold_device_message message) {
  const Alone alone(device);
  if (!alone.is_alone()) return say(message, MXGOLD_DEVICE_FAILED, "two calls at a time");
  mx::golden::Configuration configuration;
  const auto operation = device->is_clocked
                             ? mx::golden::Operation::kBlock
                             : *mx::parse_token<mx::golden::Operation>(device->words.front());
  const std::string why = parse(device, *told, operation, configuration);
  return why.empty() ? MXGOLD_DEVICE_OK : say(message, MXGOLD_DEVICE_FAILED, why);
}

mxgold_device_status configure(mxgold_device* device, const mxgold_device_run* run,
                               mxgold_device_message message) {
  const auto operation = device->is_clocked
                             ? mx::golden::Operation::kBlock
                             : *mx::parse_token<mx::golden::Operation>(device->words.front());
  for (std::size_t i = 0; i < run->configuration_count; ++i) {
    const std::string why =
        parse(device, run->configurations[i], operation, device->configs.emplace_back());
    if (!why.empty()) return say(message, MXGOLD_DEVICE_FAILED, why);
  }
  if (device->is_clocked) {
    device->dut->configure({device->configs, run->seed});
    return MXGOLD_DEVICE_OK;
  }
  mx::golden::VectorHeader& header = device->header;
  header.op = operation;
  header.configs = device->configs;
  header.count = run->records;
  for (std::size_t i = 0; i < run->field_count; ++i) {
    const auto field = *mx::parse_token<Field>(run->fields[i].name);
    const int lanes = static_cast<int>(run->fields[i].lanes);
    if (field == Field::kSource || field == Field::kA) header.lanes = lanes;
    if (field == Field::kElements) header.lengths = mx::golden::Lengths::kVary;
    if (field == Field::kRandom) header.random_words = mx::golden::RandomWords::kPresent;
  }
  const std::string problem = header.problem();
  if (!problem.empty()) return say(message, MXGOLD_DEVICE_FAILED, problem);
  const mx::golden::RecordShape shape = header.shape();
  if (shape.fields.size() != run->field_count) {
    return say(message, MXGOLD_DEVICE_FAILED, "another shape than the configurations have");
  }
  device->answerer = std::make_unique<mx::golden::ReferenceAnswerer>(header);
  return MXGOLD_DEVICE_OK;
}

mxgold_device_status reset(mxgold_device* device, const mxgold_device_reset* how,
                           mxgold_device_message) {
  device->dut->reset({how->blocks, how->edges, how->inputs->valid != 0, false});
  return MXGOLD_DEVICE_OK;
}

mxgold_device_status tick(mxgold_device* device, const mxgold_device_inputs* in,
                          mxgold_device_outputs* out, mxgold_device_message message) {
  const Alone alone(device);
  if (!alone.is_alone()) return say(message, MXGOLD_DEVICE_FAILED, "two calls at a time");
  if (in->config >= device->configs.size()) {
    return say(message, MXGOLD_DEVICE_FAILED, "a configuration beyond the run's");
  }
  thread_local const Local local;
  static_cast<void>(local.is_made);
  mx::sim::BlockIn block;
  std::copy_n(in->source, in->lanes, block.source.begin());
  std::copy_n(in->random, in->lanes, block.random.begin());
  block.config = in->config;
  block.keep = static_cast<std::uint32_t>(in->keep);
  block.last = in->last != 0;
  if (in->valid == 0) device->idle = in->source[0];
  if (in->valid != 0 && device->has("poison")) {
    const auto* const config =
        std::get_if<mx::QuantizerConfig>(&device->configs[block.config].what);
    for (const std::uint32_t code : block.source) {
      if (mx::decode(config->source, code & config->source.code_mask()).cls ==
          mx::ValueClass::kInf) {
        end_process(*device);
      }
    }
  }
  if (device->has("idle")) block.source[0] |= device->idle & 0x8000;
  mx::sim::Observed seen;
  device->dut->tick({in->valid != 0 ? &block : nullptr, in->ready != 0, 0}, seen);
  out->ready = seen.ready ? 1 : 0;
  out->valid = seen.valid ? 1 : 0;
  if (!seen.valid) return MXGOLD_DEVICE_OK;
  std::copy_n(seen.block.codes.begin(), out->lanes, out->codes);
  out->scale = seen.block.scale();
  if (device->has("partial")) return MXGOLD_DEVICE_OK;
  out->flags = seen.block.status >> 8;
  out->last = seen.block.last ? 1 : 0;
  out->keep = seen.block.keep;
  return MXGOLD_DEVICE_OK;
}

mxgold_device_status end_of_input(mxgold_device* device, mxgold_device_message) {
  device->dut->end_of_input();
  return MXGOLD_DEVICE_OK;
}

mxgold_device_status answer(mxgold_device* device, const mxgold_device_batch* plain,
                            mxgold_device_message) {
  act(asked_for("answer"));
  if (const std::string how = asked_for("thread"); !how.empty()) {
    std::thread([how] { act(how); }).detach();
    ::pause();
  }
  if (const char* const text = std::getenv("MX_PLUGIN_DOES"); text != nullptr) {
    if (text == std::string("handler")) *static_cast<volatile int*>(nullptr) = 1;
  }
  mx::golden::RecordBatch batch(device->header.shape(), plain->count);
  for (std::size_t i = 0; i < plain->operand_count; ++i) {
    const auto all = batch.all(*mx::parse_token<Field>(plain->operands[i].name));
    std::copy_n(plain->operands[i].words, all.size(), all.begin());
  }
  if (device->has("poison") && plain->first >= 2048) end_process(*device);
  device->answerer->answer(batch, 0, plain->count);
  for (std::size_t i = 0; i < plain->result_count; ++i) {
    const std::string name = plain->results[i].name;
    if (device->has("partial") && name == "flags") continue;
    const auto all = batch.all(*mx::parse_token<Field>(name));
    std::copy(all.begin(), all.end(), plain->results[i].words);
    const bool is_late = device->has("late") && plain->first + plain->count > 20;
    if (device->has(name) || (is_late && name == "code"))
      plain->results[i].words[all.size() - 1] ^= 1;
  }
  return MXGOLD_DEVICE_OK;
}

}  // namespace

const mxgold_device_table* mxgold_device_entry(void) {
  static const mxgold_device_table table = {MXGOLD_DEVICE_ABI_VERSION,
                                            sizeof(mxgold_device_table),
                                            create,
                                            destroy,
                                            facts,
                                            supports,
                                            configure,
                                            reset,
                                            tick,
                                            nullptr,
                                            end_of_input,
                                            answer};
  return &table;
}
