#include "report/text/html.hpp"

#include <fmt/format.h>

namespace kalaba {
namespace {

// Colours as in the pictures; in dark mode those of the pictures are converted to the dark ones.
constexpr const char* style = R"(
:root { --page: #ffffff; --card: #f6f8fa; --ink: #26323d; --soft: #66727e; --rule: #dfe4e9; --line: #1d5a96;
  --positive: 29 90 150; --negative: 176 86 59; --bad: #b0392b; color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14181c; --card: #1d2329; --ink: #dde3e8; --soft: #94a0ab; --rule: #333c45; --line: #7db4e8;
    --positive: 79 144 208; --negative: 214 122 92; --bad: #f08a7c; }
  .pictures svg { filter: invert(0.9) hue-rotate(180deg); }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 20px 48px; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 44px 0 6px; padding-bottom: 6px; border-bottom: 1px solid var(--rule); }
p { margin: 0 0 12px; }
.lead, figcaption, .tile span { color: var(--soft); }
.lead { max-width: 46em; font-size: 0.92rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(148px, 1fr)); gap: 12px; margin: 24px 0 0; }
.tile { background: var(--card); border: 1px solid var(--rule); border-radius: 8px; padding: 10px 14px; }
.tile b { display: block; font-size: 1.3rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.tile span { font-size: 0.8rem; }
.bad { color: var(--bad); }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 400px), 1fr)); gap: 18px 24px; }
figure { margin: 0; min-width: 0; }
.pictures svg { display: block; width: 100%; height: auto; }
figcaption { font-size: 0.85rem; margin-top: 4px; }
.scroll { overflow-x: auto; margin: 0 0 12px; }
table { border-collapse: collapse; font-size: 0.88rem; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 14px 5px 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
td.n, th.n { text-align: right; padding: 5px 0 5px 18px; white-space: nowrap; }
td .r { display: inline-block; min-width: 4.2em; padding: 1px 8px; border-radius: 4px; }
pre { margin: 0; padding: 14px 16px; overflow-x: auto; background: var(--card); border: 1px solid var(--rule);
  border-radius: 8px; font: 0.82rem/1.45 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
footer { margin-top: 44px; color: var(--soft); font-size: 0.82rem; }
@media (max-width: 520px) { main { padding: 20px 14px 32px; } h1 { font-size: 1.45rem; } h2 { margin-top: 32px; }
  .tiles { grid-template-columns: repeat(2, 1fr); gap: 8px; } .tile b { font-size: 1.1rem; } }
@media print { main { max-width: none; } figure, .tile, tr { break-inside: avoid; } }
)";

}  // namespace

std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return result;
}

std::string html_table(const std::vector<std::string>& heading, const std::vector<std::vector<std::string>>& rows,
                       std::size_t numbers_from) {
  if (rows.empty()) return "";
  const auto row_text = [&](const std::vector<std::string>& cells, const char* kind) {
    std::string text = "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      text += fmt::format("<{0}{1}>{2}</{0}>", kind, i >= numbers_from ? " class=\"n\"" : "", cells[i]);
    }
    return text + "</tr>\n";
  };
  std::string text = "<div class=\"scroll\"><table>\n";
  if (!heading.empty()) text += "<thead>" + row_text(heading, "th") + "</thead>\n";
  text += "<tbody>\n";
  for (const std::vector<std::string>& row : rows) text += row_text(row, "td");
  return text + "</tbody>\n</table></div>\n";
}

std::string html_section(std::string_view heading, std::string_view lead, const std::string& content) {
  if (content.empty()) return "";
  return fmt::format("<section>\n<h2>{}</h2>\n{}{}</section>\n", html_text(heading),
                     lead.empty() ? "" : fmt::format("<p class=\"lead\">{}</p>\n", html_text(lead)), content);
}

std::string html_page(std::string_view title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\"/>\n<title>{}</title>\n<style>{}</style>\n"
      "</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
      html_text(title), style, body);
}

}  // namespace kalaba
