# One note, kept up to date; none where nothing changes. Whatever goes wrong here, the check has its own verdict.
marker='<!-- apportion plan -->'
give_up() {
  echo "$1: no comment on the merge request; the artifacts of the job apportion have the plan"
  exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(umask 077 && printf 'PRIVATE-TOKEN: %s\n' "$APPORTION_TOKEN" >"$work/token")
call() {
  curl --silent --show-error --fail --max-time 60 --header "@$work/token" "$@"
}
api=$CI_API_V4_URL/projects/$CI_MERGE_REQUEST_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes
call --retry 3 "$CI_API_V4_URL/user" >"$work/user" || give_up 'the token is not valid'
ours=more page=0
while [ "$ours" = more ] && [ "$page" -lt 50 ]; do
  page=$((page + 1))
  call --retry 3 "$api?sort=asc&per_page=100&page=$page" >"$work/notes" || give_up 'cannot read notes'
  ours=$(python3 -c '
import json, sys
user, notes, marker = json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), sys.argv[3]
ours = [n["id"] for n in notes if n["author"]["id"] == user["id"] and n["body"].startswith(marker)]
print(ours[0] if ours else "more" if len(notes) == 100 else "none")
' "$work/user" "$work/notes" "$marker") || give_up 'cannot read notes'
done
{ printf '%s\n' "$marker" && cat "$plan"; } >"$work/body"
case $ours:$(wc -c <"$plan" | tr -d ' ') in
  none:0 | more:0) ;;
  none:* | more:*) call --data-urlencode "body@$work/body" "$api" >"$work/answer" || give_up 'may not comment' ;;
  *:0) call --request DELETE "$api/$ours" >"$work/answer" || give_up 'may not remove the note' ;;
  *) call --request PUT --data-urlencode "body@$work/body" "$api/$ours" >"$work/answer" || give_up 'may not comment' ;;
esac
