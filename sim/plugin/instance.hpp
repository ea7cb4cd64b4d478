// One device that a plugin made, and what it says of itself.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "golden/configuration/text.hpp"
#include "golden/vectors/header.hpp"
#include "sim/plugin/library.hpp"
#include "sim/record/offer.hpp"

namespace mx::sim {

/// What a plugin's device is.
struct PluginFacts {
  std::string name;  ///< "plugin:./libx.so (what it calls itself)"
  bool is_clocked = false;
  Offer offer;
  std::vector<std::string> observes;  ///< {"all"}, or names
  bool ready_is_registered = false;
  std::uint64_t patience = 4096;
};

class PluginInstance {
 public:
  /// Throws UnsupportedError where the plugin refuses the arguments, DutError where it fails.
  explicit PluginInstance(std::shared_ptr<const PluginLibrary> library);
  ~PluginInstance();
  PluginInstance(const PluginInstance&) = delete;
  PluginInstance& operator=(const PluginInstance&) = delete;

  [[nodiscard]] const PluginFacts& facts() const { return facts_; }
  [[nodiscard]] const std::string& place() const { return library_->place().name; }
  [[nodiscard]] const mxgold_device_table& table() const { return library_->table(); }

  /// "" if the device computes the configuration, else why not.
  [[nodiscard]] std::string refusal(const golden::Configuration& configuration) const;

  /// Tells the device of a run, which this object keeps as it was told. `header`: of records.
  void configure(const std::vector<golden::Configuration>& configurations, std::uint64_t seed,
                 const golden::VectorHeader* header);
  [[nodiscard]] const mxgold_device_run& run() const { return run_; }

  /// Calls one of the table's functions for this device. Throws UnsupportedError or DutError where
  /// it does not return MXGOLD_DEVICE_OK.
  template <typename Function, typename... Arguments>
  void call(const char* name, Function* function, Arguments... arguments) const {
    Message message;
    require(name,
            call_plugin(library_->place(), name,
                        [&] { return function(device_, arguments..., message.here()); }),
            message);
  }

 private:
  /// Room for what a function says.
  class Message {
   public:
    mxgold_device_message here() { return {text_.data(), text_.size()}; }
    /// In one line of printable characters.
    [[nodiscard]] std::string text() const;

   private:
    std::array<char, 512> text_{};
  };

  void require(const char* name, mxgold_device_status status, const Message& message) const;
  void read_facts();
  void require_functions(bool is_clocked) const;

  std::shared_ptr<const PluginLibrary> library_;
  mxgold_device* device_ = nullptr;
  PluginFacts facts_;

  // What run_ points to.
  struct Told {
    golden::ConfigurationFields texts;
    std::vector<mxgold_device_field> fields;
    explicit Told(const golden::Configuration& configuration);
    [[nodiscard]] mxgold_device_configuration plain(std::optional<std::uint32_t> tuser) const;
  };
  std::deque<Told> told_;
  std::vector<mxgold_device_configuration> configurations_;
  std::vector<mxgold_device_shape> shapes_;
  mxgold_device_run run_{};
};

/// The library that --dut names, loaded, and a question to it.
[[nodiscard]] PluginFacts facts_of_plugin(const std::string& argument,
                                          std::chrono::milliseconds time_out);

}  // namespace mx::sim
