#include "reference/profiles/data.hpp"

#include <vector>

namespace mx::profile_data {

std::span<const Profile> profiles() {
  static const std::vector<Profile> kProfiles = [] {
    std::vector<Profile> all;
    for (const std::span<const Profile> family :
         {standards(), nvidia(), pytorch(), gpu_casts(), checkpoints(), libraries(), amd(),
          microxcaling(), seeds(), tenstorrent()}) {
      all.insert(all.end(), family.begin(), family.end());
    }
    return all;
  }();
  return kProfiles;
}

}  // namespace mx::profile_data
