/* SystemC models and test bench parts of mxgold, over its C interface: docs/systemc.md.
 * C++17, as Debian's SystemC 2.3.4 wants it.
 *
 * Pins:  mx_quantizer (the ports of rtl/mx_quantizer.sv), QuantizerWires, QuantizerSource,
 *        QuantizerMonitor, QuantizerChecker, VectorFile.
 * TLM:   QuantizerTarget, DequantizerTarget, DotTarget, Memory, Bus.
 */
#ifndef MXGOLD_SYSTEMC_H
#define MXGOLD_SYSTEMC_H

#include "mxgold_systemc/bus.hpp"
#include "mxgold_systemc/checker.hpp"
#include "mxgold_systemc/memory.hpp"
#include "mxgold_systemc/monitor.hpp"
#include "mxgold_systemc/mx_quantizer.hpp"
#include "mxgold_systemc/source.hpp"
#include "mxgold_systemc/target.hpp"
#include "mxgold_systemc/vectors.hpp"
#include "mxgold_systemc/wires.hpp"

#endif
