#!/bin/sh
# Shows the main features with the embedded model: fetches the model once, runs two requests, and one request with
# skills, whose scripts run as isolated processes. Then a conversation in a folder of its own: an answer that follows
# from the one before, another branch and back, and what an answer was made from. Called by `make demo`.
set -eu
aeon=$1

"$aeon" model fetch

for request in \
    "A ticket costs 18 euros and a programme 4. What do 3 tickets and 2 programmes cost?" \
    "Remember that my budget is 1200, then tell me what is left after spending 845"; do
    printf '\n$ aeon run "%s"\n' "$request"
    "$aeon" run "$request"
done

plan=$(dirname "$0")/lock.json
printf '\n$ aeon skill run %s\n' "$plan"
"$aeon" skill run "$plan"

request="I roll two dice to pick the lock, then tell me what happens"
printf '\n$ aeon skill run "%s"\n' "$request"
"$aeon" skill run "$request"

talk=$(mktemp -d)
trap 'rm -r "$talk"' EXIT
case $aeon in /*) ;; *) aeon=$PWD/$aeon ;; esac
cd "$talk"

say() {
    printf '\n$ aeon'
    printf ' %s' "$@"
    printf '\n'
    "$aeon" "$@"
}

say chat "Name one river of Austria, please."
say chat --continue "And one of France?"
first=$("$aeon" conversation tree last -o name | head -n 1 | cut -c 1-8)
say conversation edit "$first" "Name one river of Italy, please."
say conversation switch "$first"
say conversation regenerate last
say conversation why last
say conversation search France
say conversation list
