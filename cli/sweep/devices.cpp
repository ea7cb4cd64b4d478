#include "cli/sweep/devices.hpp"

#include <mutex>
#include <variant>
#include <vector>

#include "backend/tensor/converter.hpp"
#include "cli/base/error.hpp"
#include "fast/stochastic/stochastic_plan.hpp"
#include "golden/bytes/error.hpp"
#include "reference/number/word_bytes.hpp"
#include "reference/tensor/tensor.hpp"
#include "sim/compile/cache.hpp"
#include "sim/dut/dut.hpp"

namespace mx::cli {
namespace {

const ConversionConfig& swept_conversion(const golden::Configuration& configuration) {
  return std::get<ConversionConfig>(configuration.what);
}

sim::LaneBuild loaded(sim::LaneEngine engine, const std::string& name) {
  try {
    return sim::load_lanes(engine, name);
  } catch (const sim::CacheError& error) {
    throw Error(Exit::kBadInput, error.what());
  } catch (const golden::VectorError& error) {
    throw Error(Exit::kUsage, std::string("--dut: ") + error.what());
  } catch (const sim::DutError& error) {
    throw Error(Exit::kDut, error.what());
  }
}

}  // namespace

std::string vectors_problem(const golden::Configuration& configuration, const SweepSpace& space) {
  if (space.scale != kScaleOne) {
    return "the processor's conversions have no scale; --dut reference, cuda, rtl and netlist have";
  }
  const auto made = backend::TensorConverter::make(swept_conversion(configuration),
                                                   backend::Choice::kCpu, backend::Wanted::kCounts);
  return made ? std::string() : std::string(made.problem());
}

SweepDevice sweep_device(const golden::Configuration& configuration, backend::Choice choice) {
  auto made = backend::TensorConverter::make(swept_conversion(configuration), choice,
                                             backend::Wanted::kCounts);
  if (!made) fail(Exit::kUsage, "--dut: {}", made.problem());
  if (const std::string problem = made->self_check(); !problem.empty()) {
    fail(Exit::kInternal, "{}", problem);
  }
  std::string name = made->path();
  const auto converter = std::make_shared<const backend::TensorConverter>(std::move(made).value());
  SweepDevice device{std::move(name),
                     [converter](std::span<const std::byte> words, std::span<std::byte> codes) {
                       static_cast<void>(converter->convert(words, {}, codes, 0, codes.size()));
                       return true;
                     }};
  // SHA-256 of the codes takes longer than vectors take to make them.
  if (converter->is_fast()) device.digested = Digested::kAnswers;
  return device;
}

SweepDevice stochastic_vectors(const golden::Configuration& configuration,
                               const SweepSpace& space) {
  const ConversionConfig& config = swept_conversion(configuration);
  SweepDevice device = sweep_device(configuration, backend::Choice::kCpu);
  device.space = space;
  device.convert =
      [plan = fast::StochasticElementPlan::make({config.source, config.destination, config.policy})
                  .value(),
       random = space.random.value()](std::span<const std::byte> words,
                                      std::span<std::byte> codes) {
        const std::vector<std::uint32_t> given(codes.size(), random);
        return plan.convert({.given = given}, words, codes);
      };
  return device;
}

SweepDevice scaled_reference(const golden::Configuration& configuration, const SweepSpace& space) {
  const ConversionConfig config = swept_conversion(configuration);
  const std::size_t size = storage_bytes(config.source);
  const int shift = space.scale - kScaleOne;
  const std::uint32_t random = space.random.value_or(0);
  return {
      "reference",
      [config, size, shift, random](std::span<const std::byte> words, std::span<std::byte> codes) {
        for (std::size_t i = 0; i < codes.size(); ++i) {
          Unpacked x = decode_flushed(config.source, config.policy,
                                      load_word(words.data() + i * size, size));
          x.exponent -= shift;  // of finite numbers; the others have none
          const Encoded encoded = encode(staged(x, config.policy, config.destination),
                                         config.destination, config.policy, random);
          codes[i] = static_cast<std::byte>(encoded.code);
        }
        return true;
      },
      space};
}

/// Simulations that no thread has at the moment.
struct LaneDevices::Pool {
  Pool(sim::LaneEngine engine, const std::string& name) : build(loaded(engine, name)) {}

  std::unique_ptr<sim::Lanes> take() {
    const std::lock_guard lock(mutex);
    if (idle.empty()) return std::make_unique<sim::Lanes>(build, ++made);
    std::unique_ptr<sim::Lanes> lanes = std::move(idle.back());
    idle.pop_back();
    return lanes;
  }
  void give_back(std::unique_ptr<sim::Lanes> lanes) {
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(lanes));
  }

  const sim::LaneBuild build;
  std::mutex mutex;
  std::vector<std::unique_ptr<sim::Lanes>> idle;
  int made = 0;  ///< also the seed of what the next one's state starts at
};

LaneDevices::LaneDevices(sim::LaneEngine engine, const std::string& name)
    : pool_(std::make_unique<Pool>(engine, name)) {
  name_ = sim::identity_of(pool_->build, name);
}
LaneDevices::~LaneDevices() = default;

std::string LaneDevices::problem(const golden::Configuration& configuration) {
  const std::string why = sim::lane_word_of(swept_conversion(configuration)).problem;
  return why.empty() ? "" : why + " (docs/spec/rtl.md R5.6)";
}

SweepDevice LaneDevices::device(const golden::Configuration& configuration, std::uint8_t scale,
                                std::optional<std::uint32_t> random) const {
  const ConversionConfig& config = swept_conversion(configuration);
  const std::size_t size = storage_bytes(config.source);
  const sim::LaneSetting setting{sim::lane_word_of(config).word, scale,
                                 static_cast<std::uint8_t>(random.value_or(0))};
  return {name_,
          [pool = pool_.get(), setting, size](std::span<const std::byte> words,
                                              std::span<std::byte> codes) {
            std::unique_ptr<sim::Lanes> lanes = pool->take();
            try {
              lanes->convert(setting, words, size, codes);
            } catch (const sim::DutError& error) {
              throw Error(Exit::kDut, error.what());
            }
            pool->give_back(std::move(lanes));
            return true;
          },
          {scale, SweptWords::kBlock, random}};
}

}  // namespace mx::cli
