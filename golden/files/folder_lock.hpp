// SPDX-License-Identifier: Apache-2.0
// Files that belong together and take their names together.
#pragma once

#include <string>

namespace mx::golden {

/// Keeps other programs of this project from naming such files in a folder at the same time: waits
/// for them. A folder that cannot be locked is not.
class FolderLock {
 public:
  /// The folder that the file lies in.
  explicit FolderLock(const std::string& path);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace mx::golden
