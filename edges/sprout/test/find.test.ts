/** Where `import --list` finds sprout's sessions. */
import { mkdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findStoredSessions, type DiscoveryResult } from "../../../src/host/index.ts";
import { fileOf, newDirectory, writeLines } from "../../../test/import/import-file.ts";
import { sproutFiles } from "../files.ts";

function brief({ sessions }: DiscoveryResult): string[] {
  return sessions.map(({ format, title, messages, cwd }) => `${format} ${title} ${messages} ${cwd ?? "?"}`);
}

test("sprout's sessions are found by directory name, in its genome wherever that is", async () => {
  const [genome, cwd] = [newDirectory(), "/some where/project"];
  const line = (kind: string, data: object) => ({
    kind,
    timestamp: 1_770_000_000_000,
    agent_id: "root",
    depth: 0,
    data,
  });
  const id = "01JD0000000000000000000000";
  writeLines(fileOf(genome, "projects", "-some-where-project", "logs", `${id}.jsonl`), [
    line("perceive", { goal: "Fix it" }),
  ]);
  writeLines(fileOf(genome, "projects", "-some-where-project", "logs", id, "session.log.jsonl"), [{ message: "x" }]);
  writeLines(fileOf(genome, "projects", "-other", "logs", `${id}.jsonl`), [line("perceive", { goal: "Other" })]);
  expect(
    brief(
      await findStoredSessions(
        { SPROUT_GENOME_PATH: genome, CLAUDE_CONFIG_DIR: genome, CODEX_HOME: genome, PI_CODING_AGENT_DIR: genome },
        cwd,
        [sproutFiles],
      ),
    ),
  ).toEqual(["sprout Fix it 1 ?"]);
});

test("sprout is found from a directory below the top of its repository", async () => {
  const [genome, top] = [newDirectory(), realpathSync(newDirectory())];
  mkdirSync(path.join(top, ".git"));
  mkdirSync(path.join(top, "src", "deep"), { recursive: true });
  const perceived = { kind: "perceive", timestamp: 1, agent_id: "root", depth: 0, data: { goal: "Fix it" } };
  const logs = [genome, "projects", top.replaceAll(/[/\s]/g, "-"), "logs"] as const;
  writeLines(fileOf(...logs, "01JD0000000000000000000000.jsonl"), [perceived]);
  const env = {
    SPROUT_GENOME_PATH: genome,
    CLAUDE_CONFIG_DIR: genome,
    CODEX_HOME: genome,
    PI_CODING_AGENT_DIR: genome,
  };
  expect(brief(await findStoredSessions(env, path.join(top, "src", "deep"), [sproutFiles]))).toEqual([
    "sprout Fix it 1 ?",
  ]);
});
