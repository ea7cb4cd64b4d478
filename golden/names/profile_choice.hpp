// SPDX-License-Identifier: Apache-2.0
// Profiles by name, and what a format is under one of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "golden/names/names.hpp"
#include "reference/policy/fields.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::golden {

/// A profile by default or by one of its variants, as typed: "torchao-0.18", "torchao-0.18:rceil",
/// "cuda-13.0-host:toward_zero+nosat".
struct ProfileChoice {
  const Profile* profile = nullptr;
  std::string variant;
  [[nodiscard]] std::string name() const;
};

/// Refusal with the nearest name if there is no such profile, or if no row of it has such a
/// variant.
[[nodiscard]] ProfileChoice choose_profile(std::string_view name, Spelling spelling);

/// A format under a profile and settings.
struct ProfiledFormat {
  Policies policies;      ///< for an element format alone, the block policy says nothing
  ElementFormat element;  ///< the format's own, with what the profile says otherwise
};

/// The policies of a profile for a format and a source; Refusal where it does not speak of it, or
/// lists it as not modelled. `block_size` 0: the block format's own.
[[nodiscard]] ProfiledFormat under_profile(const ProfileChoice& profile, const FormatChoice& format,
                                           const ElementFormat& source, int block_size,
                                           Spelling spelling);

/// The profiles that speak of a format from a source, mxgold-default first, each by default and by
/// its variants.
[[nodiscard]] std::vector<ProfileChoice> profiles_of(const FormatChoice& format,
                                                     const ElementFormat& source);

}  // namespace mx::golden
