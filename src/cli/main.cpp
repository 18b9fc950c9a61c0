#include "cli/cli.hpp"

int main(int argc, char** argv) { return kalaba::run_cli(argc, argv); }
