#!/usr/bin/env bash
# Rolls dice. Needs bash 4 or newer and od; no other program is started.
# stdin: one line of JSON; stdout: one JSON event a line (version "0").
set -euo pipefail
export LC_ALL=C

readonly NOTATION='^([1-9][0-9]?|100)?d([2-9]|[1-9][0-9][0-9]?|1000)(([+-])([0-9]{1,4}))?$'
readonly INPUT_MEMBER='"input"[[:space:]]*:[[:space:]]*[{]'
readonly NOTATION_MEMBER='"notation"[[:space:]]*:[[:space:]]*("([^"\]*)")?'
readonly SEED_MEMBER='"seed"[[:space:]]*:[[:space:]]*([0-9]{1,10})[[:space:]]*[,}]'
readonly MAX_DICE_MEMBER='"maxDice"[[:space:]]*:[[:space:]]*([0-9]{1,4})[[:space:]]*[,}]'
readonly SPAN=4294967296 # 2^32: how many values one drawn word can have
readonly SHOWN=20        # more dice than this are not spelled out in the summary

drawn=0         # what the last draw gave, 0 <= drawn < SPAN
seeded_state='' # empty: draw from the system's generator
pool=()         # words read from the system and not yet used

event() { printf '{"version":"0","type":"%s",%s}\n' "$1" "$2"; }

refuse() { # code, message (free of quotes and backslashes)
    event error "\"errorCode\":\"$1\",\"errorMessage\":\"$2\""
    event done "\"ok\":false,\"summary\":\"$2\""
    exit 0
}

draw_system() {
    if ((${#pool[@]} == 0)); then
        # shellcheck disable=SC2207  # od prints bare numbers
        pool=($(od -An -v -N512 -tu4 /dev/urandom))
        ((${#pool[@]} > 0)) || { echo 'roll.sh: /dev/urandom gave no bytes' >&2; exit 1; }
    fi
    local last=$((${#pool[@]} - 1))
    drawn=${pool[last]}
    unset "pool[$last]"
}

# A counter put through a 32-bit mixer: the same in every bash, which RANDOM=seed is not.
draw_seeded() {
    local mask=$((SPAN - 1)) z
    seeded_state=$(((seeded_state + 0x9e3779b9) & mask))
    z=$seeded_state
    z=$((((z ^ (z >> 16)) * 0x21f0aaad) & mask))
    z=$((((z ^ (z >> 15)) * 0x735a2d97) & mask))
    drawn=$((z ^ (z >> 15)))
}

# Words past the last whole multiple of the sides are thrown away: a remainder of them would favour low faces.
roll_one() { # sides; leaves the face in drawn
    local limit=$((SPAN / $1 * $1))
    while :; do
        if [[ -n $seeded_state ]]; then draw_seeded; else draw_system; fi
        ((drawn < limit)) && break
    done
    drawn=$((drawn % $1 + 1))
}

joined() { # separator, items
    local separator=$1 out=$2 item
    shift 2
    for item in "$@"; do out+=$separator$item; done
    printf '%s' "$out"
}

summary_of() { # notation, modifier text, total, rolls
    local notation=$1 modifier=$2 total=$3
    shift 3
    if (($# > SHOWN)); then
        printf '%s: %s dice, total %s' "$notation" "$#" "$total"
    elif (($# == 1)) && [[ -z $modifier ]]; then
        printf '%s: %s' "$notation" "$total"
    else
        printf '%s: %s%s = %s' "$notation" "$(joined ' + ' "$@")" "$modifier" "$total"
    fi
}

main() {
    local line='' config=${AEON_SKILL_CONFIG:-} notation=2d6 max_dice=100
    IFS= read -r line || [[ -n $line ]] || refuse bad_input 'Nothing came on stdin; send one line of JSON.'
    [[ $line =~ $INPUT_MEMBER ]] || refuse bad_input 'The line on stdin has no input; send {input: {notation: 2d6}} as JSON.'
    if [[ $line =~ $NOTATION_MEMBER ]]; then notation=${BASH_REMATCH[2]}; fi
    [[ $notation =~ $NOTATION ]] ||
        refuse bad_notation 'The notation is not one that can be rolled; write 2d6, d20 or 3d8-1 (1-100 dice, 2-1000 sides).'
    local count=${BASH_REMATCH[1]:-1} sides=${BASH_REMATCH[2]} sign=${BASH_REMATCH[4]} size=$((10#${BASH_REMATCH[5]:-0}))

    if [[ $config =~ $SEED_MEMBER ]]; then seeded_state=$((10#${BASH_REMATCH[1]} % SPAN)); fi
    if [[ $config =~ $MAX_DICE_MEMBER ]]; then max_dice=$((10#${BASH_REMATCH[1]})); fi
    ((count <= max_dice)) ||
        refuse too_many_dice "$count dice are more than the $max_dice that maxDice allows; roll fewer, or raise maxDice."

    local rolls=() total=0 i
    for ((i = 0; i < count; i++)); do
        roll_one "$sides"
        rolls+=("$drawn")
        total=$((total + drawn))
    done
    total=$((total + ${sign}${size}))

    local dice summary
    dice=$(printf '{"notation":"%s","rolls":[%s],"modifier":%s,"total":%s}' \
        "$notation" "$(joined , "${rolls[@]}")" "$((${sign}${size}))" "$total")
    summary=$(summary_of "$notation" "${sign:+ $sign $size}" "$total" "${rolls[@]}")
    event log "\"level\":\"info\",\"message\":\"Rolled $count dice of $sides sides.\",\"fields\":{\"seeded\":$([[ -n $seeded_state ]] && echo true || echo false)}"
    event state_patch "\"patch\":{\"dice\":$dice}"
    event ui_event "\"event\":\"dice_rolled\",\"payload\":$dice"
    event done "\"ok\":true,\"summary\":\"$summary\""
}

main
