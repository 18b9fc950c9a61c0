#include "report/text/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "report/text/text.hpp"

namespace kalaba {
namespace {

constexpr int bar_width = 30;
constexpr auto redraw_interval = std::chrono::milliseconds(100);

}  // namespace

std::string progress_line(const Progress& progress) {
  const double total = progress.member_steps_total;
  const double share = total > 0 ? std::clamp(progress.member_steps_done / total, 0.0, 1.0) : 0;
  const auto filled = static_cast<std::size_t>(share * bar_width);
  const std::string bar = std::string(filled, '=') + std::string(bar_width - filled, ' ');
  std::string line = fmt::format("{:3.0f} % [{}]", share * 100, bar);
  if (progress.seconds > 0 && progress.member_steps_done > 0) {
    const double rate = progress.member_steps_done / progress.seconds;
    line += fmt::format("  {} member-steps/s, {} left", scaled(rate),
                        duration(std::max(0.0, total - progress.member_steps_done) / rate));
  }
  return line;
}

ProgressBar::ProgressBar(std::FILE* stream) : stream_(stream), is_terminal_(::isatty(::fileno(stream)) == 1) {}

void ProgressBar::update(const Progress& progress) {
  if (is_due()) draw(progress_line(progress));
}

void ProgressBar::update(const std::string& line) {
  if (is_due()) draw(line);
}

bool ProgressBar::is_due() const {
  return is_terminal_ && (drawn_ == 0 || std::chrono::steady_clock::now() - last_draw_ >= redraw_interval);
}

void ProgressBar::draw(const std::string& line) {
  std::fputs(fmt::format("\r{:<{}}", line, drawn_).c_str(), stream_);
  std::fflush(stream_);
  drawn_ = std::max(drawn_, line.size());
  last_draw_ = std::chrono::steady_clock::now();
}

void ProgressBar::finish() {
  if (drawn_ == 0) return;
  std::fprintf(stream_, "\r%*s\r", static_cast<int>(drawn_), "");
  std::fflush(stream_);
  drawn_ = 0;
}

}  // namespace kalaba
