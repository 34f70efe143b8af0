# bash completion for launchgap. The program itself says what may follow (harness/verbs/verb_complete.c).
_launchgap() {
	local line=${COMP_LINE:0:COMP_POINT} words word what kept
	read -ra words <<<"$line"
	[[ $line != *[[:space:]] ]] || words+=("")
	# bash replaces what follows the last = or : alone.
	kept=${words[-1]%"${words[-1]##*[=:]}"}
	COMPREPLY=()
	while IFS=$'\t' read -r word what; do
		case $word in
		:files) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "${words[-1]#"$kept"}") ;;
		:folders) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "${words[-1]#"$kept"}") ;;
		*) COMPREPLY+=("${word#"$kept"}") && continue ;;
		esac
		compopt -o filenames 2>/dev/null
	done < <("${words[0]/#\~/$HOME}" complete "${words[@]:1}" 2>/dev/null)
	[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
}
complete -F _launchgap launchgap
