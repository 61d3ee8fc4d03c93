/** A small project with a past, by people who do not exist: what the embedded members talk about in pictures. */
import { commitAll, git, type ScratchCommit } from "../test/agents/scratch-repository.ts";

const PARSE = `/** "14:30" as minutes since midnight; undefined for anything else. */
export function parseTime(text: string): number | undefined {
  const [, hours, minutes] = /^(\\d{1,2}):(\\d{2})$/.exec(text.trim()) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}
`;

const CHECKED = PARSE.replace(
  `  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
`,
  `  if (hours === undefined || +hours > 23 || +minutes > 59) return undefined;
  return Number(hours) * 60 + Number(minutes);
`,
);

const NEXT = `import { parseTime } from "./parse-time.ts";

/** The next ferry after this time, or the first one of the morning. */
export function nextFerry(times: readonly string[], now: string): string | undefined {
  const minutes = parseTime(now) ?? 0;
  return times.find((time) => (parseTime(time) ?? -1) >= minutes) ?? times[0];
}
`;

const commits: readonly ScratchCommit[] = [
  {
    by: "Ada",
    day: "2026-03-02",
    message: "ferry: times are parsed",
    files: {
      "README.md": "# Ferry\n\nWhen does the next ferry leave?\n",
      "package.json": '{ "name": "ferry", "type": "module" }\n',
      "src/parse-time.ts": PARSE,
    },
  },
  {
    by: "Grace",
    day: "2026-03-09",
    message: "ferry: the next one after a time",
    files: { "src/next-ferry.ts": NEXT },
  },
  {
    by: "Grace",
    day: "2026-04-20",
    message: "parse: 24:00 and 12:75 are no times\n\nThe harbour office typed both.",
    files: {
      "src/parse-time.ts": CHECKED,
      "src/parse-time.test.ts":
        'import { parseTime } from "./parse-time.ts";\n\ntest("12:75 is no time", () => expect(parseTime("12:75")).toBeUndefined());\n',
    },
  },
];

export async function makeRepository(directory: string): Promise<void> {
  git(directory, ["init", "--quiet", "--initial-branch=main"]);
  await commitAll(directory, commits);
}
