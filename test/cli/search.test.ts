import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { SearchAnswer } from "../../src/protocol/index.ts";
import { asked, created, said, sessionNumber, turnBegins, writeSession } from "../host/searched-session.ts";
import { createHome, type Home } from "./program.ts";

const FIRST = sessionNumber(1);
const SECOND = sessionNumber(2);
const ESCAPE = "\u001b[2J\u001b]0;owned\u0007";

describe("search", () => {
  let home: Home;
  beforeAll(async () => {
    home = createHome();
    const { dataDir } = home;
    await writeSession({
      dataDir,
      sessionId: FIRST,
      drafts: [
        created(`Locks ${ESCAPE}`, home.project),
        asked("where is takeLock(path)?"),
        turnBegins("t"),
        said("t", `the lock ${ESCAPE} is here`),
      ],
    });
    await writeSession({
      dataDir,
      sessionId: SECOND,
      ts: Date.now() - 60_000,
      drafts: [created("Newer"), asked("a lock again")],
    });
  });

  test("prints matches by session, newest first, safe for a terminal, coloured only where it is wanted, without a server or a lock", async () => {
    const before = readdirSync(path.join(home.dataDir, "logs")).sort();
    const plain = await home.runHere(["search", "lock"], { env: { NO_COLOR: "1" } });
    const lines = plain.stdout.split("\n").map((line) => line.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "WHEN"));
    expect([plain.code, lines, plain.stderr]).toEqual([
      0,
      [
        `Newer  ${SECOND}  /project`,
        "  WHEN  #2  you: a lock again",
        "",
        `Locks   ${FIRST}  ${home.project}`,
        "  WHEN  #3  ada: the lock  is here",
        "  WHEN  #2  you: where is takeLock(path)?",
        "  WHEN  #1  title: Locks ",
        "",
      ],
      "",
    ]);
    const coloured = await home.runHere(["search", "lock", "--color", "always"]);
    expect(coloured.stdout).toContain("a \u001b[1mlock\u001b[0m again");
    expect(readdirSync(path.join(home.dataDir, "logs")).sort()).toEqual(before);
    expect(statSync(path.join(home.dataDir, "index.sqlite")).mode & 0o777).toBe(0o600);
  });

  test("narrows by member, time, tool and directory, and --json is the whole answer", async () => {
    const run = async (...flags: string[]) => {
      const { stdout, code } = await home.runHere(["search", "lock", "--json", ...flags]);
      const { hits, ...rest } = JSON.parse(stdout) as SearchAnswer;
      return [code, hits.map(({ sessionId, seq }) => `${sessionId === FIRST ? 1 : 2}:${seq}`), rest];
    };
    const rest = { hasMore: false, isComplete: true, sessionsLeft: 0 };
    expect(await run("--member", "@ada")).toEqual([0, ["1:3"], rest]);
    expect(await run("--since", "2h")).toEqual([0, ["2:2"], rest]);
    expect(await run("--here", "-C", home.project, "--limit", "1")).toEqual([0, ["1:3"], { ...rest, hasMore: true }]);
    expect(await run("--tool", "bash")).toEqual([1, [], rest]);
  });

  test("no match exits with 1 and a note, an invalid query with 2 and the reason", async () => {
    const none = await home.runHere(["search", "nowhere"]);
    expect([none.code, none.stdout, none.stderr]).toEqual([1, "", "roundtable: no matches.\n"]);
    const signs = await home.runHere(["search", "=>"]);
    expect([signs.code, signs.stderr]).toEqual([2, expect.stringContaining("query is empty")]);
    const when = await home.runHere(["search", "a", "--since", "tuesday"]);
    expect([when.code, when.stderr]).toEqual([2, expect.stringContaining("Give a time such as")]);
    const empty = createHome();
    const fresh = await empty.runHere(["search", "lock"]);
    expect([fresh.code, readdirSync(empty.directory).includes("data")]).toEqual([1, false]);
  });
});
