#pragma once

#include <string>

namespace kalaba {

/// Returns true if this note differs from the last one printed on this machine, which is kept in the user's cache. If
/// the cache cannot be written, it returns true every time.
bool is_news(const std::string& note);

}  // namespace kalaba
