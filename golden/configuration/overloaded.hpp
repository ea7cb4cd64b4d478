// A visitor made of lambdas, one for each alternative of a variant.
#pragma once

namespace mx::golden {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

}  // namespace mx::golden
