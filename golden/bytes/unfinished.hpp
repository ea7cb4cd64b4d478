// Names of unfinished files, so that a program that ends by a signal leaves none behind.
#pragma once

#include <string>

namespace mx::golden {

/// While it lives, `path`, a file or a folder that is empty by then, is removed if a signal ends
/// the program (below). Where more files than a program of this project ever writes at a time are
/// unfinished, the surplus is not watched.
class UnfinishedName {
 public:
  explicit UnfinishedName(const std::string& path);
  ~UnfinishedName();
  UnfinishedName(const UnfinishedName&) = delete;
  UnfinishedName& operator=(const UnfinishedName&) = delete;

 private:
  int slot_;
};

/// Removes every file that is watched; safe in a signal handler, after which the program must end.
void remove_unfinished();

/// From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT remove what is unfinished and then end the
/// program as they would have. A signal that is ignored stays ignored.
void remove_unfinished_on_signals();

}  // namespace mx::golden
