#include "reference/bulk/rank_table.hpp"

#include <algorithm>

#include "reference/element/encode_kernel.hpp"

namespace mx::kernel {
namespace {

constexpr int kSignificandBits = 24;

bool has_zero(const ElementFormat& f) { return f.zero != ZeroKind::kNone; }

/// Ranks of the magnitude codes, and the quantum of each binade.
class Ranks {
 public:
  explicit Ranks(const ElementFormat& f) : f_(f) {
    if (f.kind == FormatKind::kTapered) list_tapered();
  }

  /// floor(log2) of the largest magnitudes below which the quantum does not change.
  [[nodiscard]] int low_binade() const {
    if (f_.is_fixed()) return top();
    return f_.kind == FormatKind::kTapered ? kHif8Smallest : f_.emin();
  }
  /// The last binade that has values: -2^(n-1) of two's complement lies above the positive ones.
  [[nodiscard]] int top() const { return f_.emax() + (f_.is_fixed() ? 1 : 0); }
  [[nodiscard]] int quantum(int exponent) const {
    if (f_.is_fixed()) return -f_.frac_bits;
    if (f_.kind == FormatKind::kTapered) return hif8_quantum(exponent);
    return std::max(exponent, f_.emin()) - f_.man_bits;
  }
  /// The rank of kept bits 0 in a binade (those below the leading one included).
  [[nodiscard]] std::uint64_t base(int exponent) const {
    if (exponent <= low_binade()) return 0;
    if (f_.kind == FormatKind::kTapered) {
      return bases_[static_cast<std::size_t>(exponent - kHif8Smallest)];
    }
    const int field = exponent + f_.bias - (has_zero(f_) ? 1 : 0);
    return static_cast<std::uint64_t>(field) << f_.man_bits;
  }
  /// One more than the largest rank that rounding can reach from binades up to top().
  [[nodiscard]] std::uint64_t end() const {
    return base(top()) + (std::uint64_t{2} << (top() - quantum(top()))) + 1;
  }
  /// Ranks below this one lie below the smallest value of a format without zero.
  [[nodiscard]] std::uint64_t virtual_ranks() const {
    return f_.kind == FormatKind::kFloat && !has_zero(f_) ? std::uint64_t{1} << f_.man_bits : 0;
  }
  /// The magnitude code of a rank; beyond max_code for ranks above the largest value.
  [[nodiscard]] std::uint64_t code(std::uint64_t rank) const {
    if (f_.kind == FormatKind::kTapered) return rank < codes_.size() ? codes_[rank] : 0x7F;
    return rank < virtual_ranks() ? 0 : rank - virtual_ranks();
  }

 private:
  void list_tapered() {
    codes_.push_back(0);
    for (int e = kHif8Smallest; e <= f_.emax(); ++e) {
      const std::uint64_t leading = std::uint64_t{1} << hif8_man_bits(e);
      bases_.push_back(codes_.size() - leading);
      for (std::uint64_t kept = leading; kept < 2 * leading; ++kept) {
        const std::uint64_t code = hif8_magnitude_code(kept, hif8_quantum(e));
        if (e == f_.emax() && code > f_.max_code) break;  // the upper half is infinite
        codes_.push_back(code);
      }
    }
  }

  const ElementFormat& f_;
  std::vector<std::uint64_t> codes_;
  std::vector<std::uint64_t> bases_;
};

RankResult plain(const Encoded& encoded, int flags_if_tiny = 0) {
  return {static_cast<std::uint32_t>(encoded.code) | std::uint32_t{encoded.flags} << 8 |
          static_cast<std::uint32_t>(flags_if_tiny) << 16};
}

}  // namespace

struct RankTable::Maker {
  const ElementFormat& s;
  const ElementFormat& f;
  const ElementPolicy& p;
  int scale_exponent;
  Ranks ranks;
  std::uint64_t signs_apart;  ///< outcomes of one sign, an even number

  [[nodiscard]] std::uint64_t largest() const {
    std::uint64_t rank = ranks.end();
    while (rank > 0 && (ranks.code(rank) > f.max_code || f.kind == FormatKind::kTapered) &&
           ranks.code(rank) != f.max_code) {
      --rank;
    }
    return rank;
  }

  [[nodiscard]] RankResult fixed(bool negative, std::uint64_t rank, int inexact) const {
    std::uint64_t limit = f.max_code;
    if (negative) limit = !f.is_signed ? 0 : limit + (has_int_min(f, p) ? 1 : 0);
    if (rank > limit) {
      return plain(encode_overflow({.cls = ValueClass::kFinite, .negative = negative}, f, p));
    }
    if (rank == 0) {
      return plain({zero_code(f, p, negative), static_cast<std::uint8_t>(inexact | kFlagToZero)});
    }
    const std::uint64_t code = f.kind == FormatKind::kSignMagnitude
                                   ? rank | (negative ? f.sign_bit() : 0)
                                   : (negative ? ~rank + 1 : rank) & f.code_mask();
    return plain({code, static_cast<std::uint8_t>(inexact)});
  }

  [[nodiscard]] RankResult tapered(bool negative, std::uint64_t rank, int inexact,
                                   std::uint64_t largest_rank) const {
    if (rank > largest_rank) {
      return plain(encode_overflow({.cls = ValueClass::kFinite, .negative = negative}, f, p));
    }
    const bool before = p.tininess == Tininess::kBeforeRounding;
    int flags = inexact;
    if (rank == 0) {
      flags |= kFlagToZero | (before || inexact == 0 ? 0 : kFlagUnderflow);
      return plain({0, static_cast<std::uint8_t>(flags)}, inexact != 0 ? kFlagUnderflow : 0);
    }
    return plain(
        {ranks.code(rank) | (negative ? f.sign_bit() : 0), static_cast<std::uint8_t>(flags)},
        inexact != 0 ? kFlagUnderflow : 0);
  }

  [[nodiscard]] RankResult floating(bool negative, std::uint64_t rank, int inexact) const {
    const std::uint64_t magnitude = ranks.code(rank);
    const bool is_subnormal = has_zero(f) && magnitude >> f.man_bits == 0 && magnitude != 0;
    const bool has_none = !f.has_subnormal && f.man_bits > 0;
    if (is_subnormal && (has_none || p.dst_ftz == ResultSubnormals::kFlushAfterRounding)) {
      return plain({zero_code(f, p, negative), kFlagInexact | kFlagToZero}, kFlagUnderflow);
    }
    const bool below_zero = negative && !f.is_signed && rank != 0;
    if (magnitude > f.max_code || below_zero) {
      return plain(encode_overflow({.cls = ValueClass::kFinite, .negative = negative}, f, p));
    }
    const int flags = rank < ranks.virtual_ranks() ? kFlagInexact : inexact;
    const int if_tiny = flags != 0 ? kFlagUnderflow : 0;
    if (!has_zero(f)) return plain({magnitude, static_cast<std::uint8_t>(flags)}, if_tiny);
    if (magnitude == 0) {
      return plain({zero_code(f, p, negative), static_cast<std::uint8_t>(flags | kFlagToZero)},
                   if_tiny);
    }
    return plain({magnitude | (negative ? f.sign_bit() : 0), static_cast<std::uint8_t>(flags)},
                 if_tiny);
  }

  /// Steps 4 to 12 of spec F8 after rounding.
  [[nodiscard]] RankResult outcome(bool negative, std::uint64_t rank, bool inexact,
                                   std::uint64_t largest_rank) const {
    if (rank == 0 && !inexact) return plain(encode_zero({.negative = negative}, f, p));
    bool sign_lost = false;
    if (negative && !f.is_signed) {
      if (p.unsigned_negative == UnsignedNegative::kToNan ||
          p.unsigned_negative == UnsignedNegative::kToMin) {
        return plain(
            encode_unsigned_negative({.cls = ValueClass::kFinite, .negative = true}, f, p));
      }
      sign_lost = p.unsigned_negative == UnsignedNegative::kMagnitude;
      negative = !sign_lost;
    }
    const int flags = inexact ? kFlagInexact : 0;
    RankResult out = f.is_fixed()                     ? fixed(negative, rank, flags)
                     : f.kind == FormatKind::kTapered ? tapered(negative, rank, flags, largest_rank)
                                                      : floating(negative, rank, flags);
    if (sign_lost) {
      out.packed |= kFlagInexact << 8;
      if (f.kind == FormatKind::kFloat) out.packed |= kFlagUnderflow << 16;
    }
    return out;
  }

  [[nodiscard]] Unpacked value(std::uint64_t field, std::uint64_t trailing, bool negative) const {
    Unpacked x = kernel::decode(s, field << s.man_bits | trailing);
    x.exponent -= scale_exponent;
    x.negative = negative;
    return x;
  }

  [[nodiscard]] bool tiny(const Unpacked& x) const {
    if (x.cls == ValueClass::kZero) return true;
    if (f.kind == FormatKind::kFloat) return is_tiny(x, f, p, 0);
    return f.kind == FormatKind::kTapered && p.tininess == Tininess::kBeforeRounding &&
           x.exponent < kHif8Smallest;
  }

  /// The trailing significands of a field that are tiny are the lowest ones.
  void set_tininess(std::uint64_t field, SignBinade& binade) const {
    const std::uint64_t all = std::uint64_t{1} << s.man_bits;
    if (f.is_fixed()) return;
    const Unpacked first = value(field, field == 0 ? 1 : 0, binade.negative);
    const Unpacked last = value(field, all - 1, binade.negative);
    const bool by_word = is_stochastic(p.rounding) && f.kind == FormatKind::kFloat &&
                         p.tininess == Tininess::kAfterRounding;
    if (by_word && first.exponent <= f.emin() - 1 && last.exponent >= f.emin() - 1) {
      binade.near_normal = 1;
      if (field == 0) binade.shift = 0;  // more than one binade
      return;
    }
    if (!tiny(first)) return;
    std::uint64_t low = 0, high = all;  // tiny below low, not tiny from high on
    while (!tiny(last) && high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (tiny(value(field, middle, binade.negative)) ? low : high) = middle;
    }
    binade.tiny_below = static_cast<std::uint32_t>(tiny(last) ? all : low + 1);
  }

  [[nodiscard]] std::uint8_t parity(int exponent, bool mixed) const {
    constexpr std::uint8_t kNever = 0, kRankOdd = 1, kAlways = 2, kRankEven = 3;
    if (f.kind != FormatKind::kFloat || f.man_bits > 0) return kRankOdd;
    const bool has_value = exponent >= f.emin();
    if (f.parity == Parity::kImplicitOdd) return mixed ? kRankOdd : has_value ? kAlways : kNever;
    if (has_zero(f)) return kRankOdd;
    return !mixed && has_value ? kRankEven : kNever;  // rank 1 is code 0
  }

  [[nodiscard]] SignBinade binade(std::uint64_t field, bool source_negative) const {
    SignBinade out;
    const bool subnormal = field == 0;
    const int place = (subnormal ? 1 : static_cast<int>(field)) - s.bias - scale_exponent;
    const int exponent = subnormal ? place - 1 : place;  // of the largest value
    const bool several_quanta = subnormal && exponent > std::min(ranks.low_binade(), ranks.top());
    const bool flushed = subnormal && p.src_ftz == SourceSubnormals::kFlush;
    if (field == (std::uint64_t{1} << s.exp_bits) - 1 || several_quanta || flushed) return out;
    out.negative =
        source_negative && (f.is_signed || p.unsigned_negative != UnsignedNegative::kMagnitude);
    out.hidden = subnormal ? 0 : static_cast<std::uint32_t>(s.man_mask() + 1);
    out.base = static_cast<std::uint32_t>(source_negative ? signs_apart : 0);
    out.shift = 63;
    if (exponent > ranks.top()) {  // the ranks after the largest, however it is rounded
      out.base += static_cast<std::uint32_t>(ranks.end());
    } else {
      out.base += static_cast<std::uint32_t>(ranks.base(exponent));
      const int discarded = ranks.quantum(exponent) - (place - (kSignificandBits - 1));
      out.shift = static_cast<std::uint8_t>(std::clamp(discarded, 1, 63));
      out.parity = parity(exponent, subnormal);
    }
    set_tininess(field, out);
    return out;
  }
};

bool RankTable::applies(const ElementFormat& s, const ElementFormat& d, const ElementPolicy& p) {
  return s.kind == FormatKind::kFloat && s.is_signed && s.zero == ZeroKind::kPosAndNeg &&
         s.has_subnormal && s.inf == InfKind::kIeeeTop && s.nan == NanKind::kIeeeAll &&
         s.man_bits < kSignificandBits && s.exp_bits <= 8 && d.bits <= 8 &&
         p.staging == Staging::kNone &&
         (p.dst_ftz == ResultSubnormals::kKeep ||
          p.dst_ftz == ResultSubnormals::kFlushAfterRounding);
}

RankTable::RankTable(const ElementFormat& s, const ElementFormat& f, const ElementPolicy& p,
                     int scale_exponent)
    : man_bits_(s.man_bits),
      lift_(kSignificandBits - 1 - s.man_bits),
      segment_mask_((std::uint64_t{2} << s.exp_bits) - 1),
      trailing_mask_(s.man_mask()) {
  Maker maker{s, f, p, scale_exponent, Ranks(f), 0};
  maker.signs_apart = (maker.ranks.end() + 3) & ~std::uint64_t{1};
  const std::uint64_t largest = maker.largest();
  outcomes_.reserve(4 * maker.signs_apart);
  for (const bool negative : {false, true}) {
    for (std::uint64_t rank = 0; rank < maker.signs_apart; ++rank) {
      outcomes_.push_back(maker.outcome(negative, rank, false, largest));
      outcomes_.push_back(maker.outcome(negative, rank, true, largest));
    }
  }
  binades_.reserve(segment_mask_ + 1);
  for (const bool negative : {false, true}) {
    for (std::uint64_t field = 0; field < std::uint64_t{1} << s.exp_bits; ++field) {
      binades_.push_back(maker.binade(field, negative));
    }
  }
}

}  // namespace mx::kernel
