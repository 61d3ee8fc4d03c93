/** The life of a session at the command line: titles, copies, the archive, the trash, and what the doctor does about it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connect, openHost } from "../host/open-host.ts";
import { ECHO, SETTINGS } from "../host/scripted-agent.ts";
import { createHomeHere, type HomeHere } from "./run-here.ts";

/** A session in which something was said. */
async function talk(home: HomeHere, title = "A talk"): Promise<string> {
  const host = await openHost(home.dataDir);
  const client = await connect(host);
  const { sessionId } = await client.create({ cwd: "/", title, settings: SETTINGS, members: [ECHO] });
  const ended = Promise.withResolvers<void>();
  await client.subscribe(sessionId, { epoch: 0, seq: 0 }, (events) => {
    if (events.some((event) => event.type === "turn_end")) ended.resolve();
  });
  await client.command(sessionId, { type: "send", text: "hello", clientMessageId: "m" });
  await ended.promise;
  await host.close();
  return sessionId;
}

function idsIn(home: HomeHere): string[] {
  const logs = join(home.dataDir, "logs");
  const names = existsSync(logs) ? readdirSync(logs) : [];
  return names.flatMap((name) => /^([0-9A-Z]{26})\.jsonl(?:\.zst)?$/.exec(name)?.slice(1) ?? []);
}

async function good(home: HomeHere, args: readonly string[]): Promise<string> {
  const ran = await home.run(args);
  expect(ran, args.join(" ")).toMatchObject({ code: 0, stderr: "" });
  return ran.stdout;
}

test("a session is renamed, forked, archived, compressed and brought back by its id or the beginning of it", async () => {
  const home = createHomeHere();
  const id = await talk(home);
  expect(await good(home, ["sessions", "rename", id.slice(0, 12), "The", "parser"])).toBe(
    `${id} is now called "The parser".\n`,
  );
  const copy = (await good(home, ["sessions", "fork", id, "-n", "Another way"])).trim();
  expect(idsIn(home).sort()).toEqual([id, copy].sort());
  const log = join(home.dataDir, "logs", `${id}.jsonl`);
  const bytes = readFileSync(log);
  const said = await good(home, ["sessions", "archive", id, "--compress"]);
  expect(said).toMatch(new RegExp(`^${id} is archived; its log takes \\d+ bytes instead of \\d+\\.\\n$`));
  expect(existsSync(log)).toBe(false);
  const listed = JSON.parse(await good(home, ["sessions", "list", "--json"])) as { sessionId: string; title: string }[];
  expect(new Map(listed.map((one) => [one.sessionId, one.title]))).toEqual(
    new Map([
      [id, "The parser"],
      [copy, "Another way"],
    ]),
  );
  const shown = await good(home, ["sessions", "show", id]);
  expect(existsSync(log)).toBe(false);
  expect(await good(home, ["doctor"])).toMatch(/ is intact: 2 sessions, \d+ events\nsandbox: /);
  expect(await good(home, ["sessions", "unarchive", id])).toBe(`${id} is no longer archived.\n`);
  expect(readFileSync(log).subarray(0, bytes.length).equals(bytes)).toBe(true);
  expect(await good(home, ["sessions", "show", id])).toBe(shown);
});

test("deleting and emptying ask, and are refused without a terminal unless --yes; deleted sessions can be restored", async () => {
  const home = createHomeHere();
  const id = await talk(home, "The parser");
  const asked = await home.run(["sessions", "delete", id]);
  expect([asked.code, asked.stdout, asked.stderr]).toEqual([
    2,
    "",
    "roundtable: this command needs confirmation, and there is no terminal. Add --yes to confirm.\n",
  ]);
  expect(await good(home, ["sessions", "delete", id, "--yes"])).toBe(
    `${id} was moved to the trash. To restore it: roundtable sessions trash restore ${id}\n`,
  );
  expect(JSON.parse(await good(home, ["sessions", "list", "--json"]))).toEqual([]);
  expect(await good(home, ["sessions", "trash", "list"])).toMatch(
    new RegExp(`^${id}  deleted \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  The parser\\n$`),
  );
  expect((await home.run(["sessions", "show", id])).code).toBe(4);
  expect(await good(home, ["sessions", "trash", "restore", "The parser"])).toBe(`${id} was restored.\n`);
  expect(idsIn(home)).toEqual([id]);
  const again = await home.run(["sessions", "trash", "restore", id]);
  expect([again.code, again.stderr]).toEqual([
    4,
    `roundtable: there is no session "${id}" in the trash. See roundtable sessions trash list.\n`,
  ]);
  await good(home, ["sessions", "delete", id, "-y"]);
  expect((await home.run(["sessions", "trash", "empty"])).code).toBe(2);
  expect(await good(home, ["sessions", "trash", "empty", "--yes"])).toBe("1 session permanently deleted.\n");
  const left = readdirSync(home.dataDir, { recursive: true, encoding: "utf8" });
  expect(left.filter((name) => name.includes(id))).toEqual([]);
});

test("the doctor copies a damaged session on request, rebuilds derived files, and reports what it did", async () => {
  const home = createHomeHere();
  const id = await talk(home);
  const log = join(home.dataDir, "logs", `${id}.jsonl`);
  const lines = readFileSync(log, "utf8").split("\n");
  const broken = [...lines.slice(0, 4), "garbage", ...lines.slice(5)].join("\n");
  writeFileSync(log, broken);
  const ran = await home.run(["doctor", "--repair", "--rebuild", "--end-strays"]);
  expect(ran.code).toBe(0);
  const copy = idsIn(home).find((one) => one !== id) ?? "";
  expect(ran.stdout.split("\nsandbox: ")[0]?.split("\n").slice(1)).toEqual([
    expect.stringMatching(new RegExp(`^  session ${id}: Damage at byte \\d+`)),
    "  roundtable doctor --repair makes readable copies; the damaged logs stay as they are",
    `session ${id} was copied to ${copy}, with everything that can be read`,
    "2 sessions rebuilt: summaries now, snapshots and the search index when next needed",
    "no orphaned processes",
  ]);
  expect(readFileSync(log, "utf8")).toBe(broken);
  const json = JSON.parse((await home.run(["doctor", "--json"])).stdout) as { sessions: { isWhole: boolean }[] };
  expect(json.sessions.map((one) => one.isWhole)).toEqual([false, true]);
});
