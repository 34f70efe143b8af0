#!/bin/sh
# Release, commit and the commit's time of this source, in one line: `1.0.0 v1.0.0 1795500000`.
# The number is CHANGELOG.md's first heading. Between its entry and its tag (v1.0.0) it is 1.0.0~gitDAY,
# which packagers sort before 1.0.0; after the tag it is 1.0.0+gitDAY. A tarball is stamped by git archive.
cd "$(dirname "$0")/.." || exit 1
number=$(sed -n '/^## /{s/^## \([^ ]*\).*/\1/p;q;}' CHANGELOG.md)
read -r commit time tag <harness/stamp
case $commit in
'$Format'*)
	time=$(git log -1 --format=%ct 2>/dev/null) &&
		commit=$(git describe --tags --match='v*' --always --dirty --abbrev=12) || commit=unknown time=0
	;;
*)
	commit=$(echo "$commit" | cut -c1-12)
	case $tag in v*) commit=$tag ;; esac
	;;
esac
day=$(date -u -d "@$time" +%Y%m%d)
case $commit in
"v$number") ;;
"v$number"-*) number=$number+git$day ;;
*) number=$number~git$day ;;
esac
echo "$number $commit $time"
