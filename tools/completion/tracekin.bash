# SPDX-License-Identifier: Apache-2.0
# Completion of tracekin(1) for bash. The program itself provides the completions:
# tools/completion.h.

_tracekin() {
  local last=${COMP_WORDS[COMP_CWORD]} words=() word
  [ "$last" != = ] || last=
  # bash splits --option=value into three words.
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [ ${#words[@]} -gt 0 ] && [[ $word = '=' || ${words[-1]} = --*= ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    case $word in
      :folder) mapfile -t COMPREPLY < <(compgen -d -- "$last") ;;
      :file) mapfile -t COMPREPLY < <(compgen -f -- "$last") ;;
      :command) mapfile -t COMPREPLY < <(compgen -c -f -- "$last") ;;
      --*=*) COMPREPLY+=("${word#*=}") ;;
      *) COMPREPLY+=("$word") ;;
    esac
    case $word in
      :*) compopt -o filenames 2>/dev/null ;;
    esac
  done < <("${COMP_WORDS[0]/#\~/$HOME}" __complete "${words[@]}" 2>/dev/null)
}
complete -F _tracekin tracekin
