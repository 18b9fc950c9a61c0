#pragma once

#include <functional>

#include "cli/words.hpp"
#include "kalaba/error.hpp"

namespace kalaba {

/// One command: its words and options on the command line, and the function that runs it after parsing.
struct Command {
  CommandWords words;
  std::function<ExitCode()> run;
};

// To add a command, declare a function here and add one line to cli.cpp.
Command add_run_command(const CommandWords& app);
Command add_init_command(const CommandWords& app);
Command add_list_command(const CommandWords& app);
Command add_describe_command(const CommandWords& app);
Command add_devices_command(const CommandWords& app);
Command add_merge_command(const CommandWords& app);
Command add_plot_command(const CommandWords& app);
Command add_info_command(const CommandWords& app);
Command add_export_command(const CommandWords& app);
Command add_report_command(const CommandWords& app);
Command add_check_command(const CommandWords& app);
Command add_converge_command(const CommandWords& app);
Command add_compare_command(const CommandWords& app);
Command add_bench_command(const CommandWords& app);
Command add_compile_command(const CommandWords& app);
Command add_submit_command(const CommandWords& app);
Command add_fit_command(const CommandWords& app);

}  // namespace kalaba
