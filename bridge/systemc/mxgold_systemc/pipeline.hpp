// The cycles of rtl/mx_quantizer.sv, without pins: stages, the store of two blocks where a block
// takes several beats, the skid, the output register. Answers come from models.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mxgold_systemc/beats.hpp"
#include "mxgold_systemc/models.hpp"

namespace mxgold {

class QuantizerPipeline {
 public:
  /// The build must have no problem_of().
  explicit QuantizerPipeline(const Build& build);

  /// What the pins show between two edges.
  [[nodiscard]] bool takes() const;         ///< s_axis_tready
  [[nodiscard]] bool takes_random() const;  ///< rnd_ready_o
  [[nodiscard]] bool shows() const;         ///< m_axis_tvalid
  /// m_axis_*, where something is shown. Where no register stands behind the shift (pipe_lane 0)
  /// the answer follows rnd_i at once.
  [[nodiscard]] const BeatOut& shown(const BeatRandom& random);
  [[nodiscard]] bool follows_random() const { return build_.pipe_lane == 0; }

  /// The active reset: every valid bit falls.
  void reset();
  /// A rising edge under these inputs. `offered`: nullptr for none.
  void clock(const BeatIn* offered, const BeatRandom& random, bool ready);

  /// Blocks under a word that is no configuration; their answers are zeros.
  [[nodiscard]] std::uint64_t illegal_blocks() const { return illegal_blocks_; }
  /// Why, of the last one.
  [[nodiscard]] const std::string& problem() const { return models_.problem(); }

 private:
  struct Beat {
    bool is_valid = false;
    std::uint8_t block = 0;
    std::uint8_t number = 0;
    bool last = false;
    bool ends_block = false;
    BeatOut out;
  };
  struct Half {
    bool is_full = false;
    std::vector<Beat> beats;
  };
  static constexpr std::size_t kBlocks = 32;  ///< more than can be in flight

  [[nodiscard]] Beat take(const BeatIn* offered);
  void complete(Beat& beat, const BeatRandom& random);
  /// Does a stage of the back take a beat? One behind the last: does the skid?
  [[nodiscard]] bool back_takes(std::size_t stage) const;
  [[nodiscard]] std::size_t before_lanes() const { return build_.pipe_lane == 3 ? 1 : 0; }
  void move_back(bool moves, const Beat& first);
  void move_front(bool moves, const Beat& entered);
  void move_queue(const Beat& entered);

  Build build_;
  WordModels models_;
  std::array<Block, kBlocks> blocks_;
  std::uint8_t block_ = 0;  ///< the one that beats enter
  std::uint8_t beat_ = 0;

  std::array<Beat, 3> front_;  ///< S1 to S3
  std::array<Half, 2> halves_;
  std::size_t written_half_ = 0;
  std::size_t read_half_ = 0;
  std::size_t read_beat_ = 0;
  std::vector<Beat> back_;  ///< S4, and those of S5 to S7 that there are
  bool is_full_ = false;    ///< the skid
  Beat spare_;
  Beat out_;  ///< with out_skid
  std::uint64_t illegal_blocks_ = 0;
};

}  // namespace mxgold
