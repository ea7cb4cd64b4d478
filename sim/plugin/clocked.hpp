// A plugin's device with a clock behind the Dut interface.
#pragma once

#include <mutex>

#include "sim/dut/dut.hpp"
#include "sim/plugin/instance.hpp"

namespace mx::sim {

class PluginDut : public Dut {
 public:
  /// Throws UnsupportedError where the plugin's device has no clock.
  explicit PluginDut(std::shared_ptr<const PluginLibrary> library);

  [[nodiscard]] std::string_view name() const override { return device_.facts().name; }
  void configure(const Setup& setup) override;
  /// The program asks one device from several threads.
  [[nodiscard]] std::string refusal(const QuantizerConfig& config) const override;
  [[nodiscard]] Observes observes() const override { return observes_; }
  void reset(const Reset& reset) override;
  void tick(const Drive& drive, Observed& observed) override;
  [[nodiscard]] bool peek(const Drive& drive, Observed& observed) override;
  [[nodiscard]] bool ready_is_registered() const override {
    return device_.facts().ready_is_registered;
  }
  void end_of_input() override;
  [[nodiscard]] std::uint64_t patience() const override { return device_.facts().patience; }

 private:
  using Step = mxgold_device_status(mxgold_device*, const mxgold_device_inputs*,
                                    mxgold_device_outputs*, mxgold_device_message);
  void show(const BlockIn& block);
  void show_noise(std::uint64_t seed);
  void step(const char* name, Step* function, const Drive& drive, Observed& observed);
  void take(const char* name, Observed& observed) const;

  PluginInstance device_;
  Observes observes_;
  mutable std::mutex mutex_;
  mxgold_device_inputs inputs_{};
  mxgold_device_outputs outputs_{};
  std::array<std::uint32_t, kLanes> codes_{};
  BlockIn noise_;
  std::uint64_t next_ = 0;  ///< the number in the run of the block that is offered or comes next
};

}  // namespace mx::sim
