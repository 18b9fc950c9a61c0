#pragma once

#include <string>

namespace kalaba {

/// Whether this has not been said on this machine yet: the last such note is kept in the user's cache. Where that
/// cannot be written, it is news every time.
bool is_news(const std::string& note);

}  // namespace kalaba
