/** Going on in a session that is named by its title, and seeing one again, in the real program. */
import { mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { createHome, type Home } from "./program.ts";

let home: Home;
let ids: Record<string, string>;

beforeAll(async () => {
  home = createHome();
  const gone = join(home.directory, "gone");
  mkdirSync(gone);
  await home.runHere(["-p", "/try silence", "-n", "The parser"]);
  await home.runHere(["-p", "/try silence", "-n", "Lost", "-C", gone]);
  rmdirSync(gone);
  const listed = await home.runHere(["sessions", "list", "--json"]);
  const sessions = JSON.parse(listed.stdout) as { sessionId: string; title: string }[];
  ids = Object.fromEntries(sessions.map(({ sessionId, title }) => [title, sessionId]));
});

describe("a session by its title", () => {
  test("--resume, sessions show and council accept part of a title; a session whose directory is gone has a warning", async () => {
    const [asked, shown, status] = await Promise.all([
      home.runHere(["-p", "/try silence", "--json", "--resume", "lost"]),
      home.runHere(["sessions", "show", "the PARSER"]),
      home.runHere(["council", "status", "parser", "--json"]),
    ]);
    expect(JSON.parse(asked.stdout)).toMatchObject({ session_id: ids["Lost"] });
    expect(asked.stderr).toMatch(
      /^roundtable: the directory of this session no longer exists: .*\/gone; members cannot work until it is restored\.\n/,
    );
    expect(shown.stdout).toContain("/try silence");
    expect(JSON.parse(status.stdout)).toMatchObject({ session_id: ids["The parser"] });
  });

  test("--resume-last continues like -c; with --resume, or without a terminal to pick on, it is refused in one sentence", async () => {
    const [last, both, none] = await Promise.all([
      home.runHere(["-p", "/try silence", "--json", "--resume-last"]),
      home.runHere(["-p", "x", "-c", "--resume", "x"]),
      home.runHere(["-p", "x", "--resume"]),
    ]);
    expect(JSON.parse(last.stdout)).toMatchObject({ session_id: ids["The parser"] });
    expect([both, none].map(({ code, stderr }) => [code, stderr])).toEqual([
      [2, "roundtable: --resume and -c cannot be combined. Use one of them.\n"],
      [
        2,
        "roundtable: --resume without a session needs a terminal to pick one. Give an id, part of an id, or a title; -c continues the last session of this directory.\n",
      ],
    ]);
  });

  test("where there is no terminal --list prints the list, and with --json as JSON", async () => {
    const [plain, json] = await Promise.all([home.runHere(["--list"]), home.runHere(["--list", "--json"])]);
    expect(plain.stdout).toMatch(/^ID +UPDATED +STATUS +TURNS +MEMBERS +TITLE\n/);
    expect(plain.stdout).toMatch(/Lost \(its directory is gone\)/);
    expect((JSON.parse(json.stdout) as unknown[]).length).toBe(2);
  });
});

describe("replay", () => {
  test("without a terminal it prints lines at the recorded times; --speed 0 prints them at once, --until ends it, --json prints events", async () => {
    const [lines, json, beyond, wrong, unknown] = await Promise.all([
      home.runHere(["replay", "parser", "--speed", "0", "--until", "4"]),
      home.runHere(["replay", ids["The parser"] ?? "", "--json", "--until", "5"]),
      home.runHere(["replay", "Lost", "--speed", "1000", "--until", "9999999"]),
      home.runHere(["replay", "parser", "--speed", "-1"]),
      home.runHere(["replay", "nothing"]),
    ]);
    expect([lines.code, lines.stderr, lines.stdout.split("\n").slice(0, 3)]).toEqual([
      0,
      "",
      [
        "You wrote to everyone:",
        "  /try silence",
        expect.stringMatching(/The replay has ended at event 4\.|scout begins/),
      ],
    ]);
    expect(lines.stdout).toContain("The replay has ended at event 4.\n");
    const events = json.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as SessionEvent);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(beyond.stdout).toMatch(/^The session has only \d+ events; all of them are shown\.\nYou wrote to everyone:/);
    expect([wrong.code, unknown.code]).toEqual([2, 4]);
    expect(wrong.stderr).toContain("Give a number from 0 to 1000, such as 4 or 0.5.");
  });

  test("replaying writes nothing to the session and starts no member", async () => {
    const before = logs();
    const ran = await home.runHere(["replay", "parser", "--speed", "0"]);
    expect([ran.code, logs()]).toEqual([0, before]);
    expect(Object.keys(before).length).toBe(2);
  });
});

/** What every log holds, byte by byte. */
function logs(): Record<string, string> {
  const directory = join(home.dataDir, "logs");
  const names = readdirSync(directory).filter((name) => name.endsWith(".jsonl"));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(directory, name), "utf8")]));
}
