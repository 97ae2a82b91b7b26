# bash completion for roster. In ~/.bashrc: source <(roster completion bash)
_roster() {
  local word line previous="" current="" prefix="" files="" i
  local -a typed=()
  # bash splits words at "=" and ":".
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    if [[ ${#typed[@]} -gt 0 && ( "$word" =~ ^[=:]+$ || "$previous" =~ ^[=:]+$ ) ]]; then
      typed[${#typed[@]}-1]+="$word"
    else
      typed+=("$word")
    fi
    previous="$word"
  done
  for i in "${!typed[@]}"; do
    typed[i]="${typed[i]//[\"\'\\]/}"
  done
  current="${typed[${#typed[@]}-1]}"
  if [[ "$COMP_WORDBREAKS" == *=* && "$current" == *=* ]]; then
    prefix="${current%=*}="
  fi
  COMPREPLY=()
  while IFS=$'\t' read -r word line; do
    case "$word" in
      :files) files=1 ;;
      :end) ;;
      *) COMPREPLY+=("${word#"$prefix"}") ;;
    esac
  done < <(command roster __complete -- "${typed[@]}" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *[/=] ]]; then
    compopt -o nospace 2>/dev/null
  fi
  if [[ -n "$files" ]]; then
    compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "${current#"$prefix"}"))
  fi
}
complete -F _roster roster
