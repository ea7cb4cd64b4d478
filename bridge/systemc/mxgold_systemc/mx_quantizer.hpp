// The quantizer at pin level: ports, cycles and bits of rtl/mx_quantizer.sv, names and types as
// `verilator --sc` gives them, so that either stands in a bench.
//
//   mxgold::mx_quantizer<> dut("dut");                 // 32 lanes, every feature
//   mxgold::mx_quantizer<8> narrow("narrow");          // 8 lanes: four beats a block
//
// After reset every output is the RTL's in every cycle (payloads where valid is 1). Before the
// first reset the RTL's valid bits are unknown; here they are 0. A block under a tuser word that is
// no configuration leaves as zeros; illegal_blocks() counts them, problem() says why.
#pragma once

#include <string>
#include <systemc>

#include "mxgold_systemc/pins.hpp"
#include "mxgold_systemc/pipeline.hpp"

namespace mxgold {

/// The parameters of the RTL that leave the ports alone. The masks of sources, formats, roundings
/// and rules have no counterpart: what a build cannot do is illegal input there and works here.
struct QuantizerOptions {
  int block_size = 32;
  std::uint32_t policy_mask = 0x7FFF;
  int sr_variant = 0;
  int subnormals = 1;
  int pipe_lane = 3;
  int out_skid = 0;
};

template <int Lanes = 32, int InWidth = 32, int SrBits = 8>
// NOLINTNEXTLINE(readability-identifier-naming): the name of the RTL's module
class mx_quantizer : public sc_core::sc_module {
 public:
  using Ports = Shape<Lanes, InWidth, SrBits>;
  template <int Bits>
  using Pin = TwoState::Pin<Bits>;

  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<bool> rst_ni{"rst_ni"};
  sc_core::sc_in<Pin<Ports::kData>> s_axis_tdata{"s_axis_tdata"};
  sc_core::sc_in<Pin<Ports::kInKeep>> s_axis_tkeep{"s_axis_tkeep"};
  sc_core::sc_in<bool> s_axis_tlast{"s_axis_tlast"};
  sc_core::sc_in<std::uint32_t> s_axis_tuser{"s_axis_tuser"};
  sc_core::sc_in<bool> s_axis_tvalid{"s_axis_tvalid"};
  sc_core::sc_out<bool> s_axis_tready{"s_axis_tready"};
  sc_core::sc_in<Pin<Ports::kRandom>> rnd_i{"rnd_i"};
  sc_core::sc_out<bool> rnd_ready_o{"rnd_ready_o"};
  sc_core::sc_out<Pin<Ports::kCodes>> m_axis_tdata{"m_axis_tdata"};
  sc_core::sc_out<Pin<Lanes>> m_axis_tkeep{"m_axis_tkeep"};
  sc_core::sc_out<bool> m_axis_tlast{"m_axis_tlast"};
  sc_core::sc_out<std::uint32_t> m_axis_tuser{"m_axis_tuser"};
  sc_core::sc_out<bool> m_axis_tvalid{"m_axis_tvalid"};
  sc_core::sc_in<bool> m_axis_tready{"m_axis_tready"};

  /// A build that cannot be is an SC_REPORT_FATAL with the reason.
  explicit mx_quantizer(sc_core::sc_module_name name, const QuantizerOptions& options = {})
      : sc_module(name), build_(build_of(options)), pipeline_(checked(build_)) {
    SC_HAS_PROCESS(mx_quantizer);
    SC_METHOD(on_pins);
    sensitive << clk_i.pos() << rst_ni.neg();
    if (pipeline_.follows_random()) sensitive << rnd_i;
    dont_initialize();
    s_axis_tready.initialize(true);
    m_axis_tvalid.initialize(false);
    rnd_ready_o.initialize(false);
  }

  [[nodiscard]] std::uint64_t illegal_blocks() const { return pipeline_.illegal_blocks(); }
  [[nodiscard]] const std::string& problem() const { return pipeline_.problem(); }

 private:
  static Build build_of(const QuantizerOptions& options) {
    return {Lanes,
            options.block_size,
            InWidth,
            SrBits,
            options.policy_mask,
            options.sr_variant,
            options.subnormals,
            options.pipe_lane,
            options.out_skid};
  }
  static const Build& checked(const Build& build) {
    const std::string why = problem_of(build);
    if (!why.empty()) SC_REPORT_FATAL("mxgold", ("mx_quantizer: " + why).c_str());
    return build;
  }

  void on_pins() {
    if (!rst_ni.read()) {
      pipeline_.reset();
    } else if (clk_i->posedge()) {
      const bool is_offered = s_axis_tvalid.read() && pipeline_.takes();
      if (is_offered) read_beat();
      if (pipeline_.takes_random()) read_random();
      pipeline_.clock(is_offered ? &beat_ : nullptr, random_, m_axis_tready.read());
    }
    show();
  }

  void read_beat() {
    PinBits<Ports::kData> data;
    PinBits<Ports::kInKeep> keep;
    read_pin(s_axis_tdata.read(), data);
    read_pin(s_axis_tkeep.read(), keep);
    beat_.keep = 0;
    for (unsigned i = 0; i < Lanes; ++i) {
      beat_.source[i] = get_field(data.value.data(), i, InWidth);
      beat_.keep |= get_field(keep.value.data(), i * (InWidth / 8), 1) << i;
    }
    beat_.tuser = s_axis_tuser.read();
    beat_.last = s_axis_tlast.read();
  }

  void read_random() {
    PinBits<Ports::kRandom> bits;
    read_pin(rnd_i.read(), bits);
    for (unsigned i = 0; i < Lanes; ++i) random_[i] = get_field(bits.value.data(), i, SrBits);
  }

  void show() {
    s_axis_tready.write(pipeline_.takes());
    rnd_ready_o.write(pipeline_.takes_random());
    const bool shows = pipeline_.shows();
    m_axis_tvalid.write(shows);
    if (!shows) return;
    if (pipeline_.follows_random()) read_random();
    const BeatOut& out = pipeline_.shown(random_);
    PinBits<Ports::kCodes> codes;
    for (unsigned i = 0; i < Lanes; ++i) put_field(codes.value.data(), i, 8, out.codes[i]);
    Pin<Ports::kCodes> data{};
    write_pin(codes.value.data(), data);
    m_axis_tdata.write(data);
    Pin<Lanes> keep{};
    write_pin(&out.keep, keep);
    m_axis_tkeep.write(keep);
    m_axis_tlast.write(out.last);
    m_axis_tuser.write(out.user);
  }

  Build build_;
  QuantizerPipeline pipeline_;
  BeatIn beat_;
  BeatRandom random_{};
};

}  // namespace mxgold
