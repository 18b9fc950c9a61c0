# Jobs of ./dev: docs.

docs_packages=(python3-venv doxygen)

# Versions with which the site was last built and tested; they require Python 3.11.
docs_python_packages=(sphinx==9.0.4 myst-parser==5.2.0 furo==2025.12.19 breathe==5.1.0)

# Makes the virtual environment build/docs_venv with these packages. Fails if pip cannot fetch them.
docs_environment() {
  local python="$root/build/docs_venv"
  [[ $(cat "$python/installed" 2>/dev/null) == "${docs_python_packages[*]}" ]] && return
  python3 -m venv "$python" &&
    "$python/bin/pip" install -q --disable-pip-version-check --retries 1 "${docs_python_packages[@]}" &&
    echo "${docs_python_packages[*]}" >"$python/installed"
}

# docs_site KALABA: writes the site into build/site/html. Warnings are errors.
docs_site() {
  local kalaba=$1 source="$root/build/site/source" python="$root/build/docs_venv"
  rm -rf "$root/build/site"
  mkdir -p "$source" "$root/build/site/doxygen"
  cp "$root"/docs/*.md "$root"/docs/*.svg "$root/docs/conf.py" "$root/CONTRIBUTING.md" \
    "$root/bench/results/gpu_predictions.md" "$source"
  # Links that leave docs/ lead to the copies beside the pages.
  sed -i -E 's#\]\(\.\./(bench/results/)?([A-Za-z_]+\.md)#](\2#g; s#\]\(docs/#](#g' "$source"/*.md
  { cat "$root/docs/Doxyfile"
    echo "OUTPUT_DIRECTORY = $root/build/site/doxygen"
    echo "WARN_IF_UNDOCUMENTED = NO"
    echo "MAX_INITIALIZER_LINES = 0"
    echo "GENERATE_HTML = NO"
    echo "GENERATE_XML = YES"
  } >"$root/build/site/Doxyfile"
  (cd -- "$root" && doxygen build/site/Doxyfile) || return
  api_page >"$source/cpp_api.md"
  "$python/bin/python" "$root/docs/write_gallery.py" "$kalaba" "$root/examples" "$source" || return
  KALABA_ROOT=$root KALABA_DOXYGEN_XML=$root/build/site/doxygen/xml \
    "$python/bin/sphinx-build" -q -W --keep-going -b html "$source" "$root/build/site/html"
}

# Writes the page that lists the public C++ headers.
api_page() {
  echo '# The C++ API, header by header'
  local header
  for header in "$root"/include/kalaba/*.hpp; do
    printf '\n## %s\n\n```{doxygenfile} %s\n```\n' "$(basename "$header")" "$(basename "$header")"
  done
}

# Builds and tests the site and adds to the counts. Packages that cannot be fetched count as skipped.
test_docs() {
  if ! phase "setting up Sphinx" docs-setup docs_environment; then
    say "documentation site: skipped, pip cannot fetch what it needs (build/docs-setup.log)"
    skipped=$((skipped + 1))
    return
  fi
  if phase "building the documentation" docs docs_site "$root/build/release/kalaba" &&
    phase "testing the documentation" test-docs \
      python3 "$root/tests/docs/site.py" "$root/build/site/html" $(command -v "${browsers[@]}" | head -n 1); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
}

job_docs() {
  need "${build_packages[@]}" "${docs_packages[@]}"
  phase "setting up Sphinx" docs-setup docs_environment || return
  build release --target kalaba_cli
  phase "building the documentation" docs docs_site "$root/build/release/kalaba" || return
  say "build/site/html/index.html"
}
