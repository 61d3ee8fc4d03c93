import { copyFileSync, existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { connect, createSession, newDataDir, openHost } from "../../../test/host/open-host.ts";
import { SETTINGS } from "../../../test/host/scripted-agent.ts";
import { checkDataDir } from "./check-data-dir.ts";
import type { Host } from "../host.ts";
import { readTranscript } from "../sessions/read-session.ts";
import { rebuildDerived, repairCopies } from "./repair-data-dir.ts";

const hosts: Host[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

async function makeSession(dataDir: string): Promise<string> {
  const host = await openHost(dataDir);
  const client = await connect(host);
  const sessionId = await createSession(client, dataDir);
  for (const title of ["one", "two", "three"]) await client.command(sessionId, { type: "rename", title });
  await host.close();
  return sessionId;
}

const logOf = (dataDir: string, sessionId: string) => path.join(dataDir, "logs", `${sessionId}.jsonl`);

test("[H171] the readable part of a damaged session is copied to a new one; the original log is unchanged", async () => {
  const dataDir = newDataDir();
  const sessionId = await makeSession(dataDir);
  const headless = await makeSession(dataDir);
  const lines = readFileSync(logOf(dataDir, sessionId), "utf8").split("\n");
  const broken = [...lines.slice(0, 3), "garbage", ...lines.slice(4)].join("\n");
  writeFileSync(logOf(dataDir, sessionId), broken);
  const cut = readFileSync(logOf(dataDir, headless), "utf8").split("\n").slice(1).join("\n");
  writeFileSync(logOf(dataDir, headless), cut);

  const fallback = { cwd: "/lost", settings: { ...SETTINGS, order: [] } };
  const told: number[] = [];
  const repaired = await repairCopies({
    dataDir,
    sessionIds: [sessionId, headless, "01J0000000000000000000000Z"],
    fallback,
    onProgress: (done) => told.push(done),
  });
  expect(repaired.map(({ sessionId: id, problem }) => [id, problem])).toEqual([
    [sessionId, undefined],
    [headless, undefined],
    ["01J0000000000000000000000Z", "There is no session 01J0000000000000000000000Z."],
  ]);
  expect(told).toEqual([1, 2, 3]);
  expect(readFileSync(logOf(dataDir, sessionId), "utf8")).toBe(broken);
  expect(readFileSync(logOf(dataDir, headless), "utf8")).toBe(cut);
  const report = await checkDataDir(dataDir);
  const copies = repaired.flatMap(({ copyId }) => (copyId === undefined ? [] : [copyId]));
  expect(report.sessions.filter((one) => copies.includes(one.sessionId)).map((one) => one.isWhole)).toEqual([
    true,
    true,
  ]);
  const [first = "", second = ""] = copies;
  const copy = await readTranscript(dataDir, first);
  expect({ title: copy.head.title, members: Object.keys(copy.head.members) }).toEqual({
    title: "three (repaired)",
    members: ["echo"],
  });
  expect(JSON.stringify(copy.live)).toContain("could not be read and is missing here");
  expect((await readTranscript(dataDir, second)).head).toMatchObject({ cwd: "/lost", title: "three (repaired)" });
});

test("derived files are rebuilt and orphans removed, except for sessions that are open", async () => {
  const dataDir = newDataDir();
  const sessionId = await makeSession(dataDir);
  const meta = path.join(dataDir, "sessions", `${sessionId}.meta.json`);
  const before = readFileSync(meta, "utf8");
  writeFileSync(meta, "{}");
  writeFileSync(path.join(dataDir, "index.sqlite"), "not an index");
  const orphanFile = path.join(dataDir, "logs", "01J0000000000000000000000Z.epoch");
  writeFileSync(orphanFile, "1");
  utimesSync(orphanFile, 1, 1);
  const host = await openHost(dataDir);
  hosts.push(host);
  const held = await createSession(await connect(host), dataDir);
  expect(await rebuildDerived(dataDir)).toEqual({ sessions: 1, skipped: [held], removedFiles: [orphanFile] });
  expect(readFileSync(meta, "utf8")).toBe(before);
  expect([existsSync(orphanFile), existsSync(path.join(dataDir, "index.sqlite"))]).toEqual([false, false]);
  expect((await host.listSessions()).map((one) => one.title).sort()).toEqual(["test", "three"]);
});

const fallback = { cwd: "/lost", settings: { ...SETTINGS, order: [] } };
const repair = (dataDir: string, ...sessionIds: string[]) => repairCopies({ dataDir, sessionIds, fallback });

test("a damaged session is copied once, and with its copy the directory counts as intact", async () => {
  const dataDir = newDataDir();
  const sessionId = await makeSession(dataDir);
  const lines = readFileSync(logOf(dataDir, sessionId), "utf8").split("\n");
  writeFileSync(
    logOf(dataDir, sessionId),
    [...lines.slice(0, 3), "garbage", ...lines.slice(4), '{"seq":9,"to'].join("\n"),
  );
  expect(await checkDataDir(dataDir)).toMatchObject({ isWhole: false });
  const [first] = await repair(dataDir, sessionId);
  const copyId = first?.copyId ?? "";
  expect(await repair(dataDir, sessionId)).toEqual([{ sessionId, copyId, isEarlier: true }]);
  expect(JSON.stringify((await readTranscript(dataDir, copyId)).live)).toContain(
    "The last 13 bytes of the original session are an incomplete record and missing here.",
  );
  const report = await checkDataDir(dataDir);
  expect(report.isWhole).toBe(true);
  expect(report.sessions).toContainEqual(expect.objectContaining({ sessionId, isWhole: false, repairedAs: copyId }));
});

test("a torn tail is saved aside, and a missing last newline is added; neither needs a copy", async () => {
  const dataDir = newDataDir();
  const [torn, bare] = [await makeSession(dataDir), await makeSession(dataDir)];
  const whole = readFileSync(logOf(dataDir, bare), "utf8");
  writeFileSync(logOf(dataDir, torn), `${readFileSync(logOf(dataDir, torn), "utf8")}{"seq":9,"to`);
  writeFileSync(logOf(dataDir, bare), whole.slice(0, -1));
  const problems = (await checkDataDir(dataDir)).sessions.map((one) => one.problems);
  expect(problems).toEqual([
    ["The last 12 bytes are an incomplete record; the next open for writing moves them aside."],
    ["The last record has no newline; the next open for writing adds it."],
  ]);
  expect(await repair(dataDir, torn, bare)).toEqual([
    { sessionId: torn, tail: "saved" },
    { sessionId: bare, tail: "completed" },
  ]);
  expect(readFileSync(logOf(dataDir, bare), "utf8")).toBe(whole);
  expect(await checkDataDir(dataDir)).toMatchObject({ isWhole: true });
});

test("a log with another session's id is reported, cannot be continued, and can be copied", async () => {
  const dataDir = newDataDir();
  const sessionId = await makeSession(dataDir);
  const other = "01J0000000000000000000000Z";
  copyFileSync(logOf(dataDir, sessionId), logOf(dataDir, other));
  expect(await checkDataDir(dataDir)).toMatchObject({
    isWhole: false,
    sessions: [
      { sessionId: other, problems: [`The log belongs to session ${sessionId}; it was copied or renamed by hand.`] },
      { sessionId, problems: [] },
    ],
  });
  const host = await openHost(dataDir);
  hosts.push(host);
  expect(await (await connect(host)).command(other, { type: "rename", title: "mixed" })).toMatchObject({
    ok: false,
    error: { code: "conflict" },
  });
  expect(await repair(dataDir, other)).toEqual([{ sessionId: other, copyId: expect.any(String) }]);
});
