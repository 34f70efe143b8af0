#!/bin/sh
# The experiments and the question that each file opens with, without the program: list.sh [FOLDER]
for file in "${1:-$(dirname "$0")}"/*.exp; do
	printf '  %-22s %s\n' "$(basename "$file" .exp)" "$(awk '
		/^[;#]/ { sub(/^[;# \t]+/, ""); if ($0 == "") { if (text != "") exit; next }
			text = text (text == "" ? "" : " ") $0; next }
		/[^ \t]/ || text != "" { exit }
		END { print text }' "$file")"
done
