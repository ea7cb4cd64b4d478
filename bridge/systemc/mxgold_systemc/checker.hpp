// Compares the blocks that leave a quantizer with those that entered it, bit by bit, by the model.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "mxgold_systemc/digest.hpp"
#include "mxgold_systemc/models.hpp"
#include "mxgold_systemc/vectors.hpp"

namespace mxgold {

/// What is told of the pins of a quantizer: see QuantizerMonitor.
class BeatListener {
 public:
  BeatListener() = default;
  BeatListener(const BeatListener&) = delete;
  BeatListener& operator=(const BeatListener&) = delete;
  virtual ~BeatListener() = default;

  virtual void on_reset() = 0;
  virtual void on_in(const BeatIn& beat) = 0;
  virtual void on_random(const BeatRandom& random) = 0;
  /// `unknown`: names of pins with X or Z, a lane of data each, "" for none.
  virtual void on_out(const BeatOut& beat, const std::string& unknown) = 0;
  /// A control pin (valid, ready) that is X or Z after reset.
  virtual void on_unknown(const std::string& pin) = 0;
  /// An answer changed or fell while it waited.
  virtual void on_broken(const std::string& what) = 0;
};

/// How something differs.
enum class Difference : std::uint8_t {
  kValue,     ///< another bit than the model's
  kUnknown,   ///< X or Z
  kLost,      ///< a block without an answer
  kExtra,     ///< an answer without a block
  kRandom,    ///< an answer before its random words were taken
  kProtocol,  ///< valid fell or the payload changed before ready
  kGolden,    ///< the model itself differs from the vector file
  kIllegal    ///< a configuration word that is none, so nothing can be expected
};
[[nodiscard]] const char* text_of(Difference difference);

struct Mismatch {
  Difference difference = Difference::kValue;
  std::uint64_t block = 0;  ///< counted from the first one, resets or not
  std::string text;         ///< "code[3]: 3b, expected 3a; ..."
};

/// Every word of every answer is compared or counted as not compared.
struct CheckCounts {
  std::uint64_t offered = 0;    ///< blocks that entered, whole
  std::uint64_t answered = 0;   ///< blocks that left, whole
  std::uint64_t compared = 0;   ///< blocks with a compared word
  std::uint64_t wrong = 0;      ///< blocks with a difference
  std::uint64_t words = 0;      ///< compared: codes, scales, flags, keep and last
  std::uint64_t open = 0;       ///< not compared: the policy or the file leaves them open
  std::uint64_t discarded = 0;  ///< blocks that a reset took away
};

class QuantizerChecker : public BeatListener {
 public:
  /// The build that is checked; `name` begins its lines.
  QuantizerChecker(std::string name, const Build& build);

  /// Block i, counted without those that resets discarded, is vector i of the file: the answers are
  /// compared with it too. `vectors` has to live as long.
  void expect(const VectorFile& vectors) { golden_ = &vectors; }
  /// The right codes where the policy leaves them free are zeros, as the RTL gives them.
  void compare_open() { compares_open_ = true; }

  void on_reset() override;
  void on_in(const BeatIn& beat) override;
  void on_random(const BeatRandom& random) override;
  void on_out(const BeatOut& beat, const std::string& unknown) override;
  void on_unknown(const std::string& pin) override;
  void on_broken(const std::string& what) override;

  /// Call it once, in the end: counts what is lost.
  void finish();

  /// No difference, something was compared, and nothing is lost.
  [[nodiscard]] bool passed() const;
  [[nodiscard]] const CheckCounts& counts() const { return counts_; }
  /// The first few.
  [[nodiscard]] const std::vector<Mismatch>& mismatches() const { return mismatches_; }
  /// Of the answers so far; "none" where blocks are missing.
  [[nodiscard]] const std::string& digest() const { return digest_text_; }
  /// Verdict, counts, digest, first differences; lines.
  [[nodiscard]] std::string report() const;

 private:
  struct Pending {
    Block block;
    int beats = 0;  ///< taken
    int random = 0;
    int answered = 0;
    bool is_whole = false;
    bool is_wrong = false;
    std::uint64_t words = 0;
    std::vector<bool> last;
    std::vector<std::uint8_t> codes;
  };
  static constexpr std::size_t kKept = 10;

  void note(Difference difference, std::uint64_t block, std::string text);
  void compare(Pending& pending, const BeatOut& beat, const std::string& unknown);
  void see_shift(const BeatOut& beat);
  void compare_golden(const Pending& pending, std::uint16_t user);
  void answered(Pending& pending, const BeatOut& beat);

  std::string name_;
  Build build_;
  WordModels models_;
  const VectorFile* golden_ = nullptr;
  bool compares_open_ = false;
  std::deque<Pending> pending_;
  CheckCounts counts_;
  std::vector<Mismatch> mismatches_;
  std::uint64_t differences_ = 0;
  bool is_finished_ = false;
  bool is_shifted_ = false;
  AnswerDigest digest_;
  std::string digest_text_ = "none";
};

}  // namespace mxgold
