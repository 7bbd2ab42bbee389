/**
 * What the shells load. Every script asks `stewardctl __complete -- WORDS` with the words up to the cursor and gets one candidate
 * a line, with a tab before what it means; a last line `:files` asks the shell for names of files. Nothing of it is evaluated.
 */

const BASH = `# bash completion of stewardctl; load with: source <(stewardctl completion bash)
_stewardctl() {
  local line word candidate words=() files=
  # Words as they are typed: readline cuts them at = and : too.
  local i gap rest=\${COMP_LINE:0:COMP_POINT}
  for ((i = 0; i <= COMP_CWORD; i++)); do
    gap=\${rest%%[![:space:]]*}
    rest=\${rest#"$gap"}
    word=\${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && word=$rest
    if ((i > 0)) && [[ -z $gap ]]; then words[-1]+=$word; else words+=("$word"); fi
    rest=\${rest#"$word"}
  done
  local typed=\${words[-1]} cut
  # Of a word that readline has cut, it wants the last piece alone.
  cut=\${typed%"\${COMP_WORDS[COMP_CWORD]}"}
  [[ \${COMP_WORDS[COMP_CWORD]} == [=:] ]] && cut=$typed
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then files=1; continue; fi
    candidate=\${line%%$'\\t'*}
    printf -v candidate '%q' "\${candidate#"$cut"}"
    COMPREPLY+=("$candidate")
  done < <("\${words[0]}" __complete -- "\${words[@]:1}" 2>/dev/null)
  if [[ -n $files ]]; then
    while IFS= read -r line; do
      printf -v candidate '%q' "$line"
      COMPREPLY+=("$candidate")
    done < <(compgen -f -- "\${typed#"$cut"}")
    compopt -o filenames 2>/dev/null
  fi
  return 0
}
complete -F _stewardctl stewardctl
`;

const ZSH = `#compdef stewardctl
# zsh completion of stewardctl; load with: source <(stewardctl completion zsh)
_stewardctl() {
  local line files= tab=$'\\t'
  local -a candidates abouts
  for line in "\${(@f)$("\${words[1]}" __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then files=1; continue; fi
    [[ -z $line ]] && continue
    candidates+=("\${line%%$tab*}")
    if [[ $line == *$tab?* ]]; then abouts+=("\${line%%$tab*} -- \${line#*$tab}"); else abouts+=("\${line%%$tab*}"); fi
  done
  (( \${#candidates} )) && compadd -l -d abouts -a candidates
  [[ -n $files ]] && _files
  return 0
}
# Loaded as a file of fpath it is called at once; sourced, it is made known.
if [[ \${funcstack[1]} == _stewardctl ]]; then _stewardctl "$@"; else compdef _stewardctl stewardctl; fi
`;

const FISH = `# fish completion of stewardctl; load with: stewardctl completion fish | source
function __stewardctl_complete
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  for line in ($words[1] __complete -- $words[2..-1] "$typed" 2>/dev/null)
    if test "$line" = :files
      __fish_complete_path "$typed"
    else
      printf '%s\\n' $line
    end
  end
end
complete -c stewardctl -f -a '(__stewardctl_complete)'
`;

/** By name of the shell. */
export const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
