// Source, monitor and checker of builds with several beats a block and of 16-bit ports: every
// answer is the file's, and all of them give one digest. A build that differs from the checker's is
// seen.
#include <iostream>
#include <memory>
#include <string>

#include "mxgold_systemc.h"

// Benches whose ports know X have a source, too.
template class mxgold::QuantizerSource<mxgold::Shape<>, mxgold::FourState>;

namespace {

using namespace mxgold;
using namespace sc_core;

template <int Lanes, int InWidth>
struct Bench {
  using Ports = Shape<Lanes, InWidth, 8>;
  Bench(const std::string& name, const VectorFile& vectors, const QuantizerOptions& options,
        const SourceOptions& source_options, sc_clock& clock, const std::function<void()>& done)
      : wires(name + "_"),
        dut(name.c_str(), options),
        source((name + "_source").c_str(), vectors, source_options, done),
        checker(name, build_of(vectors)),
        monitor((name + "_monitor").c_str(), checker) {
    wires.bind(dut, clock);
    wires.bind(source, clock);
    wires.bind(monitor, clock);
    checker.expect(vectors);
  }
  static Build build_of(const VectorFile& vectors) {
    Build build = vectors.build(Lanes);
    build.in_width = InWidth;
    return build;
  }
  QuantizerWires<Ports> wires;
  mx_quantizer<Lanes, InWidth, 8> dut;
  QuantizerSource<Ports> source;
  QuantizerChecker checker;
  QuantizerMonitor<Ports> monitor;
};

}  // namespace

int sc_main(int argc, char** argv) {
  if (argc != 2) return 2;
  const VectorFile vectors = read_vectors(argv[1]);
  sc_clock clock("clk_i", 10, SC_NS);
  int running = 6;
  const auto done = [&running] {
    if (--running == 0) sc_stop();
  };
  QuantizerOptions plain;
  QuantizerOptions wires;
  wires.pipe_lane = 0;
  QuantizerOptions skid;
  skid.pipe_lane = 2;
  skid.out_skid = 1;
  QuantizerOptions other;
  other.subnormals = 0;
  Bench<32, 32> whole("whole", vectors, plain, {1, 0, 0}, clock, done);
  Bench<32, 16> half("half", vectors, skid, {2, 30, 30}, clock, done);
  Bench<8, 32> eight("eight", vectors, plain, {3, 30, 30}, clock, done);
  Bench<4, 16> four("four", vectors, wires, {4, 0, 50}, clock, done);
  Bench<1, 16> one("one", vectors, skid, {5, 10, 10}, clock, done);
  Bench<16, 32> flushing("flushing", vectors, other, {6, 30, 30}, clock, done);
  sc_start();
  bool is_right = true;
  whole.checker.finish();
  const std::string digest = whole.checker.digest();
  for (QuantizerChecker* each :
       {&whole.checker, &half.checker, &eight.checker, &four.checker, &one.checker}) {
    each->finish();
    std::cout << each->report();
    is_right = is_right && each->passed() && each->digest() == digest;
  }
  flushing.checker.finish();
  std::cout << flushing.checker.report();
  is_right = is_right && !flushing.checker.passed() && flushing.checker.counts().wrong != 0 &&
             flushing.checker.counts().wrong < flushing.checker.counts().answered;
  std::cout << (is_right ? "PASS" : "FAIL") << '\n';
  return is_right ? 0 : 1;
}
