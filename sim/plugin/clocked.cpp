#include "sim/plugin/clocked.hpp"

#include "sim/dut/kind.hpp"
#include "sim/dut/noise.hpp"

namespace mx::sim {
namespace {

/// What a member holds that no device sets it to.
constexpr std::uint32_t kUnset = 0xFFFFFFFF;

}  // namespace

PluginDut::PluginDut(std::shared_ptr<const PluginLibrary> library) : device_(std::move(library)) {
  if (!device_.facts().is_clocked) {
    throw UnsupportedError(fmt::format("{}: reads records, and has no clock", device_.place()));
  }
  const Checked<Observes> observes = parse_observes(device_.facts().observes);
  if (!observes) {
    throw DutError(fmt::format("{}: facts(): observes: {}", device_.place(), observes.problem()));
  }
  observes_ = *observes;
  inputs_.lanes = outputs_.lanes = kLanes;
  outputs_.codes = codes_.data();
}

void PluginDut::configure(const Setup& setup) {
  device_.configure(setup.configs, setup.seed, nullptr);
}

std::string PluginDut::refusal(const QuantizerConfig& config) const {
  if (config.format.elements() != kLanes) {
    return fmt::format("clocked plugins take blocks of {}, asked for blocks of {}", kLanes,
                       config.format.elements());
  }
  if (config.format.element.bits > 8 || config.format.scale_bytes() != 1) {
    return "clocked plugins have codes and scales of a byte";
  }
  const std::lock_guard lock(mutex_);
  return device_.refusal({config, {}});
}

void PluginDut::reset(const Reset& reset) {
  next_ = reset.first;
  plugin_is_asked_for(next_, next_ + 1);
  show_noise(reset.noise);
  inputs_.valid = reset.offering ? 1 : 0;
  inputs_.ready = static_cast<std::uint32_t>(reset.noise & 1);
  const mxgold_device_reset plain{reset.blocks, reset.edges, &inputs_};
  device_.call("reset", device_.table().reset, &plain);
}

void PluginDut::tick(const Drive& drive, Observed& observed) {
  step("tick", device_.table().tick, drive, observed);
  if (drive.offer == nullptr || !observed.ready) return;
  ++next_;
  plugin_is_asked_for(next_, next_ + 1);
}

bool PluginDut::peek(const Drive& drive, Observed& observed) {
  if (device_.table().peek == nullptr) return false;
  step("peek", device_.table().peek, drive, observed);
  return true;
}

void PluginDut::end_of_input() {
  if (device_.table().end_of_input == nullptr) return;
  device_.call("end_of_input", device_.table().end_of_input);
}

void PluginDut::show(const BlockIn& block) {
  inputs_.config = block.config;
  inputs_.tuser = device_.run().configurations[block.config].tuser;
  inputs_.last = block.last ? 1 : 0;
  inputs_.keep = block.keep;
  inputs_.source = block.source.data();
  inputs_.random = block.random.data();
}

void PluginDut::show_noise(std::uint64_t seed) {
  Noise noise(seed);
  for (std::uint32_t& word : noise_.source) word = noise.next();
  for (std::uint32_t& word : noise_.random) word = noise.next();
  inputs_.config = static_cast<std::uint32_t>(noise.next() % device_.run().configuration_count);
  inputs_.tuser = noise.next();
  inputs_.last = noise.next() & 1;
  inputs_.keep = noise.next();
  inputs_.source = noise_.source.data();
  inputs_.random = noise_.random.data();
}

void PluginDut::step(const char* name, Step* function, const Drive& drive, Observed& observed) {
  if (drive.offer != nullptr) {
    show(*drive.offer);
  } else {
    show_noise(drive.noise);
  }
  inputs_.valid = drive.offer != nullptr ? 1 : 0;
  inputs_.ready = drive.ready ? 1 : 0;
  codes_.fill(kUnset);
  outputs_.ready = outputs_.valid = outputs_.scale = outputs_.flags = outputs_.last = kUnset;
  outputs_.keep = ~std::uint64_t{0};
  device_.call(name, function, &inputs_, &outputs_);
  take(name, observed);
}

void PluginDut::take(const char* name, Observed& observed) const {
  const auto require = [&](std::uint64_t value, std::uint64_t most, std::string_view member) {
    if (value <= most) return static_cast<std::uint32_t>(value);
    const bool is_unset = value == kUnset || value == ~std::uint64_t{0};
    throw DutError(fmt::format("{}: {}(): outputs.{} is {:X}: {}", device_.place(), name, member,
                               value, is_unset ? "not set" : fmt::format("more than {:X}", most)));
  };
  observed.ready = require(outputs_.ready, 1, "ready") == 1;
  observed.valid = require(outputs_.valid, 1, "valid") == 1;
  if (!observed.valid) return;
  if (outputs_.codes != codes_.data()) {
    throw DutError(
        fmt::format("{}: {}(): outputs.codes points elsewhere; write the codes where it "
                    "points to",
                    device_.place(), name));
  }
  BlockOut& block = observed.block;
  block = {.keep = 0};
  if (observes_.codes) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      block.codes[i] =
          static_cast<std::uint8_t>(require(codes_[i], 0xFF, fmt::format("codes[{}]", i)));
    }
  }
  std::uint32_t status = 0;
  if (observes_.scale) status |= require(outputs_.scale, 0xFF, "scale");
  if (observes_.flags) status |= require(outputs_.flags, 0xFF, "flags") << 8;
  block.status = static_cast<std::uint16_t>(status);
  if (observes_.keep) block.keep = require(outputs_.keep, kAllLanes, "keep");
  if (observes_.last) block.last = require(outputs_.last, 1, "last") == 1;
}

DutKind plugin_dut() {
  DutKind kind{.name = "plugin",
               .argument = ":FILE.so[:ARGUMENTS]",
               .help = "a shared library of yours, see docs/howto/plugin.md",
               .is_plugin = true};
  kind.make = [](const DutRequest& request) -> DutFactory {
    const auto library =
        std::make_shared<PluginLibrary>(plugin_name(request.argument), request.time_out);
    return [library] { return std::make_unique<PluginDut>(library); };
  };
  return kind;
}

}  // namespace mx::sim
