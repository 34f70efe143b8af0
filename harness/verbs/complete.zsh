#compdef launchgap
# zsh completion for launchgap. The program itself says what may follow (harness/verbs/verb_complete.c).
_launchgap() {
	local line word what
	local -a keys others
	while IFS= read -r line; do
		word=${line%%$'\t'*} what=${line#*$'\t'}
		case $word in
		:files) compset -P '*='; _files ;;
		:folders) compset -P '*='; _files -/ ;;
		*=) keys+=("${word//:/\\:}:$what") ;;
		*) others+=("${word//:/\\:}:$what") ;;
		esac
	done < <("${words[1]/#\~/$HOME}" complete "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)
	(( ! $#keys )) || _describe key keys -S ''
	(( ! $#others )) || _describe word others
}
_launchgap "$@"
