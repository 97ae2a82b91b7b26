remote=origin
if [ "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID" != "$CI_MERGE_REQUEST_PROJECT_ID" ]; then
  remote=$CI_MERGE_REQUEST_PROJECT_URL.git
fi
node "$CI_PROJECT_DIR/.gitlab/roster.mjs" fetch "$remote" roster-snapshot__OF__
saved=$(mktemp)
git -C "$CI_PROJECT_DIR" -c safe.bareRepository=explicit cat-file blob FETCH_HEAD:roster.snapshot.json > "$saved"
snapshot="--snapshot $saved"
