#compdef roster
# zsh completion for roster. In ~/.zshrc, after compinit: source <(roster completion zsh)
_roster() {
  local line word text files
  local -a whole going
  for line in "${(@f)$(command roster __complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
    word="${line%%$'\t'*}"
    text="${line#*$'\t'}"
    case "$word" in
      :files) files=1 ;;
      :end | '') ;;
      *[/=]) going+=("${word}${text:+:$text}") ;;
      *) whole+=("${word}${text:+:$text}") ;;
    esac
  done
  (( ${#whole} )) && _describe -t values roster whole
  (( ${#going} )) && _describe -t values roster going -S ''
  if [[ -n "$files" ]]; then
    compset -P '*='
    _files
  fi
}
if [[ "${funcstack[1]}" == _roster ]]; then
  _roster "$@"
else
  compdef _roster roster
fi
