# One comment, kept up to date; none where nothing changes. Whatever goes wrong here, the check has its own verdict.
marker='<!-- apportion plan -->'
give_up() {
  echo "::warning title=apportion::$1: no comment on the pull request; the check's log and summary have the plan"
  exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(umask 077 && printf 'Authorization: Bearer %s\n' "$TOKEN" >"$work/token")
call() {
  curl --silent --show-error --fail --max-time 60 --header "@$work/token" \
    --header 'Accept: application/vnd.github+json' "$@"
}
api=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues
ours=more page=0
while [ "$ours" = more ] && [ "$page" -lt 50 ]; do
  page=$((page + 1))
  call --retry 3 "$api/$NUMBER/comments?per_page=100&page=$page" >"$work/comments" || give_up 'cannot read comments'
  ours=$(python3 -c '
import json, sys
comments = json.load(sys.stdin)
author, marker = sys.argv[1:]
ours = [c["id"] for c in comments if (c["user"] or {}).get("login") == author and (c["body"] or "").startswith(marker)]
print(ours[0] if ours else "more" if len(comments) == 100 else "none")
' "$AUTHOR" "$marker" <"$work/comments") || give_up 'cannot read comments'
done
python3 -c '
import json, sys
marker, plan = sys.argv[1:]
print(json.dumps({"body": marker + "\n" + open(plan, encoding="utf-8").read()}))
' "$marker" "$plan" >"$work/body"
case $ours:$(wc -c <"$plan" | tr -d ' ') in
  none:0 | more:0) ;;
  none:* | more:*) call --data-binary "@$work/body" "$api/$NUMBER/comments" >"$work/answer" || give_up 'may not comment' ;;
  *:0) call --request DELETE "$api/comments/$ours" >"$work/answer" || give_up 'may not remove the comment' ;;
  *) call --request PATCH --data-binary "@$work/body" "$api/comments/$ours" >"$work/answer" || give_up 'may not comment' ;;
esac
