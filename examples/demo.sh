#!/bin/sh
# The main job on the embedded defaults: fetch a model once, then run two requests on it. Called by `make demo`.
set -eu
aeon=$1

"$aeon" model fetch

for request in \
    "What is 15 * 23 plus 7?" \
    "Remember that my budget is 1200, then tell me what is left after spending 845"; do
    printf '\n$ aeon run "%s"\n' "$request"
    "$aeon" run "$request"
done
