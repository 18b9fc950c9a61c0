#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "kalaba/error.hpp"

namespace kalaba {

/// One command: its words and options on the command line, and what it does once they are parsed.
struct Command {
  CLI::App* words = nullptr;
  std::function<ExitCode()> run;
};

// A command is added by one of these and one line in cli.cpp.
Command add_run_command(CLI::App& app);
Command add_init_command(CLI::App& app);
Command add_list_command(CLI::App& app);
Command add_describe_command(CLI::App& app);
Command add_devices_command(CLI::App& app);
Command add_merge_command(CLI::App& app);
Command add_plot_command(CLI::App& app);
Command add_info_command(CLI::App& app);
Command add_export_command(CLI::App& app);
Command add_report_command(CLI::App& app);
Command add_check_command(CLI::App& app);
Command add_converge_command(CLI::App& app);
Command add_compare_command(CLI::App& app);
Command add_bench_command(CLI::App& app);
Command add_compile_command(CLI::App& app);
Command add_submit_command(CLI::App& app);
Command add_fit_command(CLI::App& app);

}  // namespace kalaba
