# The authority: everything is compiled anew, and what is committed has to be the same, byte for byte.
apportion compile --quiet --as-of "$AS_OF" --fail-on-change || status=1
# Also what nobody added, or a .gitignore keeps out.
different=$(git status --porcelain --ignored --untracked-files=all -- output) || status=1
if [ -n "$different" ]; then
  printf 'output/ is not what environments/ compiles to. Run apportion compile --as-of %s, commit the result.\n' "$AS_OF"
  printf '%s\n' "$different"
  git --no-pager diff --stat -- output
  status=1
fi
