// What the bench of a device file knows of a device: tables that the program writes from the
// description (sim/device/source.cpp), read by the bench that is compiled with the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mx::bench {

/// What bits of a port carry.
enum class What : std::uint8_t {
  kWords,   ///< words of a field of the record
  kKeep,    ///< which lanes of the beat take part
  kLast,    ///< the block's last beat
  kSelect,  ///< a value for what the record's configuration says in a field
  kTie      ///< always the same
};

/// In which beats of a block a part that has no lanes stands.
enum class Beats : std::uint8_t { kAll, kFirst, kLast };

/// How `last` goes with blocks that fill their beats.
enum class LastRule : std::uint8_t {
  kEnds,   ///< 1 in the last beat of every block
  kPasses  ///< there it may be either, and comes out as it went in
};

/// A value of a field of the configuration, and what the port then shows.
struct Choice {
  std::string_view text;
  std::uint64_t value;
};

/// Bits [at, at + slot * lanes) of a port: `lanes` slots, a word in the low `width` bits of each.
struct Part {
  std::size_t port = 0;
  What what = What::kWords;
  std::string_view field{};
  unsigned at = 0, slot = 1, width = 1, lanes = 1;
  bool has_high_first = false;  ///< lane 0 in the highest slot
  bool has_lanes = false;       ///< words of the field are spread over the beats
  bool is_shared = false;       ///< one word for all records of a transaction
  Beats beats = Beats::kAll;
  std::int64_t offset = 0;  ///< the port shows the word and this
  bool is_signed = false;
  std::uint64_t value = 0;  ///< of kTie
  std::span<const Choice> choices{};
};

/// A whole port that is clock, reset or part of a handshake; nothing where there is none.
inline constexpr std::size_t kNoPort = ~std::size_t{0};

/// Words in slots without gaps, block after block, whatever the beats are.
struct Packed {
  std::size_t port = kNoPort;  ///< kNoPort: this side is not packed
  unsigned slot = 8, slots = 1;
  std::size_t slot_valid = kNoPort;  ///< a bit for each slot
  std::size_t slot_ready = kNoPort;
  bool takes_all = false;  ///< the receiver takes every slot of a beat or none
};

struct Side {
  std::size_t valid = kNoPort, ready = kNoPort;
  unsigned beats = 1;  ///< of a whole block
  std::span<const Part> parts;
  Packed packed;
};

struct ResetPort {
  std::size_t port = kNoPort;
  bool is_active_low = true;
  bool is_synchronous = false;
  unsigned cycles = 0;  ///< clock edges that it needs at least
};

struct Tables {
  std::size_t clock = kNoPort;
  ResetPort reset;
  Side input, output;
  unsigned records = 1;   ///< records that share a transaction, a lane each
  unsigned lanes = 1;     ///< lanes of a beat of the input
  unsigned elements = 1;  ///< lanes of a whole transaction
  LastRule last_rule = LastRule::kEnds;
  bool ends_early = false;  ///< short blocks end with `last`, in fewer beats
  unsigned latency = 0;     ///< of outputs without valid; with valid: the least
  unsigned patience = 4096;
  std::size_t random_port = kNoPort;  ///< words that are taken apart from the beats
  std::size_t random_take = kNoPort;
  std::span<const std::size_t> inputs, outputs;  ///< ports that the parts are of
  std::span<const std::string_view> names;       ///< of all ports
  std::span<const unsigned> widths;
};

}  // namespace mx::bench
