remote=origin
if [ "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID" != "$CI_MERGE_REQUEST_PROJECT_ID" ]; then
  remote=$CI_MERGE_REQUEST_PROJECT_URL.git
fi
inside() { git -C "$CI_PROJECT_DIR" -c safe.bareRepository=explicit "$@"; }
if ! inside fetch --quiet --depth 1 "$remote" roster-snapshot__OF__; then
  echo 'There is no snapshot to plan against. Run a scheduled pipeline of the default branch, which saves one.' >&2; exit 1
fi
saved=$(mktemp)
inside cat-file blob FETCH_HEAD:roster.snapshot.json > "$saved"
snapshot="--snapshot $saved"
