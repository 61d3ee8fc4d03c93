/** docs/json-output.md against what the program writes: every field it names is there, and no other. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resultOf } from "../../src/cli/ask/result.ts";
import { createHome, jsonLines, root, threeScouts } from "./program.ts";

const page = readFileSync(join(root, "docs", "json-output.md"), "utf8");

/** The first words of the tables under a heading: what is always there, and what may be absent. */
function named(heading: string): { always: string[]; sometimes: string[] } {
  const part = page.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? "";
  const [, table = ""] = part.split("| field | is |\n|---|---|\n");
  const rows = [...(table.split("\n\n")[0] ?? "").matchAll(/^\| `(\w+)` \| (.*) \|$/gm)];
  const parted = Map.groupBy(rows, ([, , is = ""]) => is.includes("absent when"));
  const names = (isSometimes: boolean) => (parted.get(isSometimes) ?? []).map(([, name = ""]) => name);
  return { always: names(false), sometimes: names(true) };
}

const fields = (value: unknown): string[] => Object.keys(value ?? {});
const all = ({ always, sometimes }: ReturnType<typeof named>) => [...always, ...sometimes];

test("docs/json-output.md lists exactly the fields of the output", async () => {
  const home = createHome();
  home.configure(threeScouts);
  const ask = ["--members", "ada,bob", "-p", "where is the lock?"];
  const [ran, refused] = await Promise.all([
    home.runHere([...ask, "--rounds", "1", "--output-format", "stream-json"]),
    createHome().runHere(["--json", "-p", "x", "--resume", "01AAAAAAAAAAAAAAAAAAAAAAAA"]),
  ]);
  const lines = jsonLines(ran.stdout);
  const envelope = named("The events of `stream-json`").always;
  expect(lines.slice(0, -1).filter((event) => envelope.some((name) => !(name in event)))).toEqual([]);
  const result = lines.at(-1) as unknown as ReturnType<typeof resultOf>;
  expect(fields(result)).toEqual(named("The result").always);
  expect(fields(result.members)).toEqual(["ada", "bob"]);
  const member = named("A member in the result").always;
  expect(Object.values(result.members).map((one) => fields(one))).toEqual([member, member]);
  expect(result.members["ada"]?.nothing_to_add).toEqual([2]);
  expect(all(named("Usage"))).toEqual(expect.arrayContaining(fields(result.usage)));
  expect(fields(jsonLines(refused.stdout)[0]?.["error"])).toEqual(all(named("An error")));
});

test("the page names every kind of usage, outcome and ending", () => {
  const usage = {
    inputTokens: 1,
    outputTokens: 1,
    cacheReadTokens: 1,
    cacheWriteTokens: 1,
    reasoningTokens: 1,
    costUsd: 1,
  };
  const answer = { member: "a", outcome: "completed", text: "", turns: 1, durationMs: 1, usage } as const;
  const result = resultOf({ sessionId: "S", durationMs: 1, ending: "answered", answers: [answer] });
  expect(fields(result.usage)).toEqual(all(named("Usage")));
  const bare = resultOf({
    sessionId: "S",
    durationMs: 1,
    ending: "answered",
    answers: [{ ...answer, usage: { inputTokens: 0, outputTokens: 0 } }],
  });
  expect(fields(bare.usage)).toEqual(named("Usage").always);
  const outcomes = ["completed", "interrupted", "errored", "timed_out", "dropped"] as const;
  expect(outcomes.filter((outcome) => !page.includes(`\`${outcome}\``))).toEqual([]);
  for (const ending of ["answered", "timeout", "interrupted", "limit"] as const)
    for (const outcome of outcomes) {
      const { subtype, exit_code } = resultOf({
        sessionId: "S",
        durationMs: 1,
        ending,
        answers: [{ ...answer, outcome }],
      });
      expect(page).toContain(`| \`${subtype}\` | ${exit_code} |`);
    }
});
