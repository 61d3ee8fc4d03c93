/** Long help texts. */

export function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join("")}`;
}

export const shortHelp = `roundtable: one conversation, every coding agent at the table.

Ask once and read the answers:
  $ roundtable -p "Where is the configuration read?"

More: roundtable --help
`;

export const rootExamples = `${examples([
  'roundtable -p "Where is the configuration read?"',
  "git diff | roundtable -p 'Review this change'",
  "roundtable -p 'And the tests?' --resume 01JD",
  "roundtable -p 'What is wrong here?' -f shot.png -f error.log",
  "roundtable -p 'List the entry points' --to scout --json",
  "roundtable -p 'Fix the test' --writable --allow 'edit: src/**' --allow 'shell: npm test*'",
  "roundtable -p 'Review the parser' --max-budget-usd 2 --config council.mode=sequential",
  "roundtable run --timeout 60 -- -what does this flag do",
  "roundtable --members scout,critic",
])}
Environment:
  ROUNDTABLE_HOME             data directory          ROUNDTABLE_MEMBERS      council.members, comma-separated
  ROUNDTABLE_TIMEOUT          council.timeout         ROUNDTABLE_AUTO_ROUNDS  council.auto_rounds
  ROUNDTABLE_MODE             council.mode            ROUNDTABLE_PREAMBLE     council.preamble
  ROUNDTABLE_REQUEST_TIMEOUT  requests.timeout        NO_COLOR, FORCE_COLOR   colour
  ACCESSIBLE=1                same as --screen-reader

Without -p, roundtable opens the terminal app on the last session of this directory, or on the session chosen by
--resume, --list or --new. There, files given with -f are attached to the first message; --members, --name, --timeout,
--writable, --config and --max-… start a new session; --to, --rounds, -m, --fork, --allow, --allow-unguarded, --json and
--output-format only apply to a question with -p.

In a one-shot run, concurrent answers are printed one after the other. Requests of members are declined or left
unanswered at once, with a note on stderr, unless --allow permits them. Press Ctrl+C to interrupt the turns, twice to
exit at once.

Exit codes:
  0 ok  1 failure  2 usage  3 timeout  4 no such session  5 permission denied, or a call declined
  6 limit reached  7 some members failed  130 interrupted
`;

export const EFFORT = "reasoning effort of all members (low, medium, high …), or NAME=LEVEL for one; repeatable";

export const ALLOW_UNGUARDED =
  "members allowed in a read-only session although nothing stops them from changing files, comma-separated";
