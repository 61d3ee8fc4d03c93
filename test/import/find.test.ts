/** What `import --list` finds: in places that are named, and where the programs keep their sessions. */
import { cpSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { findSessionsIn, findStoredSessions, type DiscoveryResult } from "../../src/host/index.ts";
import { externalFormats } from "../edge-parts.ts";
import { copyOf, fileOf, newDirectory, stateOf, writeLines } from "./import-file.ts";

const RECORDED_CWD = "/home/you/project";

/** A home in which the recorded conversations took place in `cwd`. */
function homeOf(cwd: string): { home: string; env: Record<string, string> } {
  const home = newDirectory();
  const stores: [string, string][] = [
    ["claude-everything", ".claude/projects"],
    ["codex-everything", ".codex/sessions"],
    ["codex-code-mode", ".codex/archived_sessions"],
    ["pi-everything", ".pi/agent/sessions"],
  ];
  for (const [name, directory] of stores) cpSync(copyOf(name), path.join(home, directory), { recursive: true });
  const slug = cwd.replaceAll(/[^a-zA-Z0-9]/g, "-");
  const [claude, pi] = [path.join(home, ".claude/projects"), path.join(home, ".pi/agent/sessions")];
  cpSync(path.join(claude, "-home-you-project"), path.join(claude, slug), { recursive: true });
  cpSync(path.join(pi, "--home-you-project--"), path.join(pi, `--${cwd.slice(1).replaceAll("/", "-")}--`), {
    recursive: true,
  });
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    // The copies by the name of the other directory stay as they were.
    if (!entry.isFile() || file.includes("home-you-project")) continue;
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(RECORDED_CWD, cwd));
    utimesSync(file, 1_770_000_000, 1_770_000_000);
  }
  const env = {
    CLAUDE_CONFIG_DIR: path.join(home, ".claude"),
    CODEX_HOME: path.join(home, ".codex"),
    PI_CODING_AGENT_DIR: path.join(home, ".pi/agent"),
    XDG_DATA_HOME: path.join(home, "data"),
  };
  return { home, env };
}

function titlesOf({ sessions: found }: DiscoveryResult): string[] {
  return found
    .map(({ format, title, messages, cwd }) => `${format} ${title.slice(0, 12)} ${messages} ${cwd ?? "?"}`)
    .sort((one, other) => (one < other ? -1 : 1));
}

describe("finding foreign sessions", () => {
  test("only sessions of the working directory are listed, with first text, count and time; nothing is written", async () => {
    const cwd = newDirectory();
    const { home, env } = homeOf(cwd);
    const before = stateOf(home);
    const finding = await findStoredSessions(env, cwd, externalFormats);
    expect(titlesOf(finding)).toEqual([
      `claude Hello there. 47 ${cwd}`,
      `codex Code [[fake: 5 ${cwd}`,
      `codex Hello there. 28 ${cwd}`,
      `pi Trying thing 30 ${cwd}`,
    ]);
    expect(finding.sessions.map(({ updatedMs, isMore }) => [updatedMs, isMore])).toEqual(
      Array.from({ length: 4 }, () => [1_770_000_000_000, false]),
    );
    expect(titlesOf(await findStoredSessions(env, undefined, externalFormats))).toEqual([
      `claude Hello there. 47 ${RECORDED_CWD}`,
      `claude Hello there. 47 ${cwd}`,
      `codex Code [[fake: 5 ${cwd}`,
      `codex Hello there. 28 ${cwd}`,
      `pi Trying thing 30 ${RECORDED_CWD}`,
      `pi Trying thing 30 ${cwd}`,
    ]);
    expect(await findStoredSessions(env, newDirectory(), externalFormats)).toEqual({ sessions: [], remarks: [] });
    expect(stateOf(home)).toEqual(before);
  });

  test("in a named folder every format is recognised by file content, and other files are skipped", async () => {
    const directory = newDirectory();
    for (const name of ["claude-branches", "codex-everything", "pi-everything"])
      cpSync(copyOf(name), path.join(directory, name), { recursive: true });
    writeLines(fileOf(directory, "data.jsonl"), [{ type: "user", id: 1 }, 3, null, "text"]);
    writeLines(fileOf(directory, "events.jsonl"), [{ type: "click" }]);
    writeFileSync(fileOf(directory, "rollout-x.jsonl"), "not json\n");
    writeFileSync(fileOf(directory, "rollout-y.jsonl.zst"), "not zstd");
    writeLines(fileOf(directory, "node_modules", "pi.jsonl"), [{ type: "session", id: "x" }]);
    expect(titlesOf(await findSessionsIn(directory, externalFormats))).toEqual([
      `claude First [[fake 20 ${RECORDED_CWD}`,
      `codex Hello there. 28 ${RECORDED_CWD}`,
      `pi Trying thing 30 ${RECORDED_CWD}`,
    ]);
    expect(await findSessionsIn(path.join(directory, "data.jsonl"), externalFormats)).toEqual({
      sessions: [],
      remarks: [],
    });
    expect(await findSessionsIn(path.join(directory, "nowhere"), externalFormats)).toEqual({
      sessions: [],
      remarks: [],
    });
  });

  test("only the beginning of a long file is read, and the count is marked as a minimum", async () => {
    const directory = newDirectory();
    const entry = (at: number) => ({
      type: "message",
      id: `e${at}`,
      parentId: null,
      message: { role: "user", content: `message ${at} ${"x".repeat(2000)}` },
    });
    const lines = Array.from({ length: 1000 }, (_, at) => entry(at));
    writeLines(fileOf(directory, "long.jsonl"), [{ type: "session", version: 3, id: "long", cwd: "/" }, ...lines]);
    const [found] = (await findSessionsIn(directory, externalFormats)).sessions;
    expect(found).toMatchObject({ format: "pi", isMore: true });
    expect(found?.messages).toBeLessThan(100);
  });
});
