#!/bin/sh
# A tournament of the opponents that need no network: every pair of agents plays a match in every ruleset.
#   docs/examples/opponents.sh DIR [GAMES]
# Each match is one file in DIR, written when it is over; matches that are there already are not played again, so that the
# script may be stopped and started. At the end it prints a table. Needs latro in the PATH.
set -eu
dir=$1
games=${2:-4}
agents=${AGENTS:-"random greedy uct:simulations=30 uct:simulations=100 uct:simulations=300 alphabeta:nodes=500 alphabeta:nodes=5000"}
rulesets=${RULESETS:-"bell-8x7 bell-8x8 luductus webdux museum-quintana 6x6-kharebga 6x6-seega seega-classic-5x5 seega-classic-7x7 locus-ludi-piso locus-ludi-seneca schadler-1994"}
mkdir -p "$dir"
for ruleset in $rulesets; do
	seen=
	for a in $agents; do
		for b in $seen; do
			file="$dir/$ruleset $a $b.json"
			if [ ! -s "$file" ]; then
				latro match "$a" "$b" --ruleset "$ruleset" --games "$games" --max-plies 600 --seed 1 --json >"$file.part"
				mv "$file.part" "$file"
			fi
		done
		seen="$seen $a"
	done
done
# One line a ruleset: each agent's score against all others, capped games as half, and the share of capped games.
for ruleset in $rulesets; do
	cat "$dir/$ruleset "*.json | awk -v ruleset="$ruleset" -v agents="$agents" '
		function value(line) { sub(/^[^:]*: */, "", line); gsub(/[",]/, "", line); return line }
		/"a":/ { a = value($0) }
		/"b":/ { b = value($0) }
		/"games":/ { n = value($0) }
		/"capped":/ { capped += value($0) }
		/"score":/ { s = value($0); won[a] += s * n; won[b] += (1 - s) * n; of[a] += n; of[b] += n; total += n }
		END {
			printf "| `%s` |", ruleset
			k = split(agents, name, " ")
			for (i = 1; i <= k; i++) printf " %.2f |", of[name[i]] ? won[name[i]] / of[name[i]] : 0
			printf " %.0f %% |\n", 100 * capped / total
		}'
done
