// A build of the RTL in a library of its own, behind the same bench as the one in the program.
#include "sim/dut/verilated.hpp"
#include "sim/dut/verilated_model.hpp"

namespace mx::sim {
namespace {

/// The pins, as Verilator's own class has them.
class LoadedModel : public RtlPins {
 public:
  LoadedModel(std::string_view name, const RtlFunctions& functions, int seed, int fault,
              const RtlRecording* recording)
      : name_(name.substr(0, name.find(':'))),
        functions_(functions),
        model_(functions.make(seed, fault)),
        recording_(recording) {
    if (recording_ != nullptr) functions_.open(model_, recording_->path.c_str());
  }
  ~LoadedModel() {
    if (recording_ != nullptr) functions_.close(model_);
    functions_.destroy(model_);
  }
  LoadedModel(const LoadedModel&) = delete;
  LoadedModel& operator=(const LoadedModel&) = delete;

  void eval() {
    ++time_;
    try {
      functions_.eval(model_, *this);
    } catch (const std::runtime_error& problem) {
      record();
      throw DutError(name_ + ": " + problem.what());
    }
    record();
  }

 private:
  void record() {
    if (recording_ == nullptr) return;
    const std::uint64_t cycle = recording_->cycles;
    if (cycle >= recording_->first && cycle <= recording_->last) functions_.dump(model_, time_);
  }

  std::string name_;
  const RtlFunctions& functions_;
  void* model_;
  const RtlRecording* recording_;
  std::uint64_t time_ = 0;
};

class LoadedDut : public VerilatedModel<LoadedModel> {
 public:
  LoadedDut(const std::string& name, const RtlFunctions& functions, int fault,
            RtlRecording* recording)
      : VerilatedModel(name), functions_(functions), fault_(fault), recording_(recording) {}

  void tick(const Drive& drive, Observed& observed) override {
    VerilatedModel::tick(drive, observed);
    if (recording_ == nullptr) return;
    ++recording_->cycles;
    if (!observed.valid || !drive.ready) return;
    recording_->answered_at = recording_->cycles;
    if (recording_->answered++ == recording_->answer) recording_->wrong_at = recording_->cycles;
  }

 private:
  std::unique_ptr<LoadedModel> make_model(VerilatedContext& context) override {
    const bool records = recording_ != nullptr && !recording_->path.empty();
    return std::make_unique<LoadedModel>(name(), functions_, context.randSeed(), fault_,
                                         records ? recording_ : nullptr);
  }

  const RtlFunctions& functions_;
  int fault_;
  RtlRecording* recording_;
};

}  // namespace

std::unique_ptr<Dut> make_loaded_rtl_dut(const std::string& name, const RtlFunctions& functions,
                                         int fault, RtlRecording* recording) {
  return std::make_unique<LoadedDut>(name, functions, fault, recording);
}

}  // namespace mx::sim
