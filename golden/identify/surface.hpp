// Surfaces: what implementations can be asked for, so that they can be compared. A surface is an
// element conversion (source and destination) or a block format (source and block format).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/compare/block_difference.hpp"
#include "golden/compare/element_difference.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::golden {

struct Surface {
  ElementFormat source;
  bool is_block = false;
  ElementFormat destination;  ///< where is_block is false
  BlockFormat block;          ///< where it is true

  /// The name of the destination or of the block format.
  [[nodiscard]] std::string_view target() const { return is_block ? block.name : destination.name; }
  /// "fp32 -> e4m3fn"
  [[nodiscard]] std::string name() const;
};

/// A profile by its default, or by variants joined by `+`.
struct Candidate {
  const Profile* profile = nullptr;
  std::string variant;
  /// "cuda-13.0-host", "cuda-13.0-host:nosat"
  [[nodiscard]] std::string name() const;
  bool operator==(const Candidate&) const = default;
};

/// What a candidate does on a surface; the block is in use where the surface is one of blocks.
struct Subject {
  ElementSubject element;
  BlockSubject block;
};

/// Nothing where the profile does not speak of the surface.
[[nodiscard]] std::optional<Subject> subject_of(const Candidate& candidate, const Surface& surface);

/// Every profile by its default, and by each of its variants on this surface.
[[nodiscard]] std::vector<Candidate> candidates_of(const Surface& surface);

/// A surface by the names of its formats; nothing if a name is unknown. Names live as long as the
/// catalog.
[[nodiscard]] std::optional<Surface> find_surface(std::string_view source, std::string_view target,
                                                  FormatCatalog& catalog);

/// The sources that profiles are compared from: fp32, bf16, fp16 and those their rows name.
[[nodiscard]] std::vector<std::string> source_names();

/// Every surface that profiles are compared on: sources and destinations of the format table and of
/// the profiles' rows, P3109 of up to 8 bits, every block format. Those of which fewer than two
/// profiles speak are left out.
[[nodiscard]] std::vector<Surface> all_surfaces(FormatCatalog& catalog);

/// An element input is a block of one element whose answer has no scale.
using Difference = BlockDifference;

/// What comparing two subjects on a surface found.
struct SurfaceComparison {
  Basis basis = Basis::kByDefinition;
  std::uint64_t compared = 0;  ///< patterns, or blocks tried
  BlockCounts blocks;          ///< the same by class, for blocks
  bool by_value = false;       ///< the element formats differ: decoded values were compared
  std::vector<Difference> differences;
  std::vector<Difference> masked;
  [[nodiscard]] bool agree() const { return differences.empty(); }
};

/// How agreement was established, in words: "exhaustive over 65,536 patterns".
[[nodiscard]] std::string basis_text(const SurfaceComparison& comparison);

/// Compares subjects of one surface, keeping what it computed. Both directions find the same
/// smallest difference; causes are those that turn A's answer into B's. Not safe for concurrent
/// use.
class SurfaceComparer {
 public:
  explicit SurfaceComparer(const Surface& surface);
  ~SurfaceComparer();
  SurfaceComparer(SurfaceComparer&&) noexcept;
  SurfaceComparer& operator=(SurfaceComparer&&) noexcept;

  [[nodiscard]] SurfaceComparison compare(const Subject& a, const Subject& b,
                                          Detail detail = Detail::kPerCause);

 private:
  Surface surface_;
  ElementComparer elements_;
  std::unique_ptr<BlockComparer> blocks_;
};

/// The answer of a subject: a code without scale on element surfaces.
[[nodiscard]] BlockAnswer answer_of(const Surface& surface, const Subject& subject,
                                    const BlockInput& input);

/// What of a subject's own answer is left open.
[[nodiscard]] OpenParts open_parts(const Surface& surface, const Subject& subject,
                                   const BlockInput& input);

/// The subject with every setting without effect on this surface put to its default.
[[nodiscard]] Subject normalized(const Surface& surface, const Subject& subject);
/// Are two normalized subjects the same?
[[nodiscard]] bool same_normalized(const Surface& surface, const Subject& a, const Subject& b);
/// Do two subjects do the same by definition, masks included?
[[nodiscard]] bool same_by_definition(const Surface& surface, const Subject& a, const Subject& b);

/// What a set of inputs is to tell apart.
enum class Telling : std::uint8_t {
  kCandidates,  ///< the candidates
  kDeviations   ///< also each of them from its deviations in one policy
};

/// At most `limit` inputs that tell the candidates of a surface apart: the smallest difference of
/// every two of them, of each and its deviations, then ties, range edges and specials. Blocks are
/// whole.
[[nodiscard]] std::vector<BlockInput> discriminating_inputs(const Surface& surface,
                                                            std::span<const Candidate> candidates,
                                                            std::size_t limit,
                                                            Telling telling = Telling::kDeviations);

}  // namespace mx::golden
