#!/bin/sh
# Shows the main features with the embedded model: fetches the model once, runs two requests, and one request with
# skills, whose scripts run as isolated processes. Called by `make demo`.
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
