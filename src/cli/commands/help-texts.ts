/** The longer texts of the help. */

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
  ROUNDTABLE_HOME             data directory          ROUNDTABLE_MEMBERS      council.members, with commas
  ROUNDTABLE_TIMEOUT          council.timeout         ROUNDTABLE_AUTO_ROUNDS  council.auto_rounds
  ROUNDTABLE_MODE             council.mode            ROUNDTABLE_PREAMBLE     council.preamble
  ROUNDTABLE_REQUEST_TIMEOUT  requests.timeout        NO_COLOR, FORCE_COLOR   colour
  ACCESSIBLE=1                the same as --screen-reader

Without -p it is the terminal app: the last session of this directory, or the one that --resume, --list or --new says.
There -f files go with the first message; --members, --name, --timeout, --writable, --config and --max-… begin a new
session; --to, --rounds, -m, --fork, --allow, --allow-unguarded, --json and --output-format are for a question.

One shot: members that speak at the same time are printed one after the other. What a member asks of the user is
refused or left unanswered at once, with a note on stderr, unless --allow lets it run. Ctrl+C interrupts and settles
the turns; again: exits.

Exit codes:
  0 ok  1 failure  2 usage  3 timeout  4 no such session  5 permission denied, or a call declined
  6 limit reached  7 some members failed  130 interrupted
`;

export const EFFORT =
  "how hard the members' models think (low, medium, high …), or NAME=LEVEL of one; may be given several times";

export const ALLOW_UNGUARDED =
  "members that may work in a read-only session though nothing keeps them from changing files, with commas";
