#include "reference/block/scan.hpp"

#include "reference/element/encode_kernel.hpp"

namespace mx {
namespace {

/// maxabs_finite defines its own maximum, whatever amax_over says: spec F11.2.
AmaxOver amax_over_of(const BlockPolicy& p) {
  return facts_of(p.rule).takes_every_block ? AmaxOver::kFiniteOnly : p.amax_over;
}

/// Takes one value into the scan.
void scan_value(BlockScan& scan, const Unpacked& x, std::int64_t lane, AmaxOver amax_over) {
  if (x.cls == ValueClass::kNan) {
    scan.has_nan = true;
    return;
  }
  if (x.cls == ValueClass::kInf) {
    scan.has_inf = true;
    if (amax_over == AmaxOver::kFiniteOnly) return;
  } else {
    scan.has_finite = true;
  }
  if (scan.argmax < 0 || compare_magnitude(x, scan.amax) > 0) {
    scan.amax = x;
    scan.argmax = lane;
  }
}

}  // namespace

// Finite magnitude codes are ordered like their values, so the maximum is found on codes and only
// the winner is decoded; anything beyond max_code, and the code of -0, is looked at by value.
BlockScan scan_block(const QuantizerConfig& c, std::span<const std::uint64_t> source) {
  const ElementFormat& f = c.source;
  const bool by_code = f.kind == FormatKind::kFloat;
  const AmaxOver amax_over = amax_over_of(c.block);
  BlockScan scan;
  std::uint64_t largest = 0;
  std::int64_t argmax = -1;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::uint64_t magnitude = source[i] & f.magnitude_mask();
    if (!by_code || magnitude > f.max_code || (magnitude == 0 && source[i] != 0)) {
      scan_value(scan, kernel::decode_flushed(f, c.element, source[i]),
                 static_cast<std::int64_t>(i), amax_over);
    } else if (argmax < 0 || magnitude > largest) {
      largest = magnitude;
      argmax = static_cast<std::int64_t>(i);
    }
  }
  if (argmax >= 0) {
    scan.has_finite = true;
    const Unpacked x = kernel::decode_flushed(f, c.element, largest);
    const int order = scan.argmax < 0 ? 1 : compare_magnitude(x, scan.amax);
    if (order > 0 || (order == 0 && argmax < scan.argmax)) {
      scan.amax = x;
      scan.argmax = argmax;
    }
  }
  scan.amax.negative = false;
  return scan;
}

void merge(BlockScan& scan, const BlockScan& part) {
  const bool larger =
      part.argmax >= 0 && (scan.argmax < 0 || compare_magnitude(part.amax, scan.amax) > 0);
  if (larger) scan.amax = part.amax;
  if (part.argmax >= 0) scan.argmax = 0;
  scan.has_nan = scan.has_nan || part.has_nan;
  scan.has_inf = scan.has_inf || part.has_inf;
  scan.has_finite = scan.has_finite || part.has_finite;
}

}  // namespace mx
