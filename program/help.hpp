#pragma once

namespace CLI {
class App;
}

namespace loadshare {

/// Makes the help of `app`, and of subcommands that are added later, fit the width of stdout. A line end in
/// the description of an option begins a new line; those of other texts are laid out by fitted_paragraphs().
void fit_help(CLI::App& app);

}  // namespace loadshare
