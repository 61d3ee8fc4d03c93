import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { connect, createSession, newDataDir, openHost } from "../../../test/host/open-host.ts";
import { checkDataDir } from "./check-data-dir.ts";
import type { Host } from "../host.ts";

const QUIET = { trashed: [], halfDone: [], strayFiles: [], compressible: [] };
const AWAKE = { isArchived: false, isCompressed: false };
const hosts: Host[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

async function makeSession(dataDir: string): Promise<string> {
  const host = await openHost(dataDir);
  const client = await connect(host);
  const sessionId = await createSession(client, dataDir);
  await client.command(sessionId, { type: "rename", title: "named" });
  await host.close();
  return sessionId;
}

function namesIn(dataDir: string): string[] {
  return readdirSync(dataDir, { recursive: true, encoding: "utf8" }).sort();
}

describe("the check of a data directory", () => {
  test("a missing or empty directory is intact, and so is one with intact sessions", async () => {
    const dataDir = newDataDir();
    const nothing = {
      isWhole: true,
      sessions: [],
      staleLocks: [],
      staleSockets: [],
      strays: [],
      problems: [],
      ...QUIET,
    };
    const missing = path.join(dataDir, "missing");
    expect(await checkDataDir(missing)).toEqual({ dataDir: missing, ...nothing });
    expect(await checkDataDir(dataDir)).toEqual({ dataDir, ...nothing });
    const sessionId = await makeSession(dataDir);
    const bytes = statSync(path.join(dataDir, "logs", `${sessionId}.jsonl`)).size;
    const session = { sessionId, isWhole: true, events: 3, seq: 3, bytes, isHeld: false, ...AWAKE, problems: [] };
    expect(await checkDataDir(dataDir)).toEqual({ dataDir, ...nothing, sessions: [session] });
  });

  test("damage, a torn tail, an unreadable log and open permissions are each named; the check changes nothing", async () => {
    const dataDir = newDataDir();
    const [damaged, torn] = [await makeSession(dataDir), await makeSession(dataDir)];
    const logOf = (sessionId: string) => path.join(dataDir, "logs", `${sessionId}.jsonl`);
    const lines = readFileSync(logOf(damaged), "utf8").split("\n");
    writeFileSync(logOf(damaged), [lines[0], "garbage", ...lines.slice(2)].join("\n"));
    appendFileSync(logOf(torn), '{"seq":4,"ep');
    mkdirSync(logOf("01J00000000000000000000001"));
    writeFileSync(path.join(dataDir, "sessions", "01J00000000000000000000009.meta.json"), "{}");
    chmodSync(path.join(dataDir, "logs"), 0o755);
    const before = namesIn(dataDir);
    const report = await checkDataDir(dataDir);
    expect(report.isWhole).toBe(false);
    expect(Object.fromEntries(report.sessions.map((session) => [session.sessionId, session.problems]))).toEqual({
      "01J00000000000000000000001": [expect.stringMatching(/cannot be read/)],
      [damaged]: [expect.stringMatching(/^Damage at byte \d+, \d+ bytes: .*events 2 to 2 are missing\.$/)],
      [torn]: ["The last 12 bytes are an incomplete record; the next open for writing moves them aside."],
    });
    expect(report.problems).toEqual([
      `${path.join(dataDir, "logs")} is accessible to other users (mode 755). Run: chmod 700 ${path.join(dataDir, "logs")}`,
      `${path.join(dataDir, "sessions", "01J00000000000000000000009.meta.json")} belongs to no log.`,
    ]);
    expect(namesIn(dataDir)).toEqual(before);
  });

  test("leftovers of dead processes are listed without being a problem; a living holder is recognised", async () => {
    const dataDir = newDataDir();
    const dead = await makeSession(dataDir);
    const note = path.join(dataDir, "logs", `${dead}.lock.json`);
    const socket = path.join(dataDir, "run", "host-DEAD.sock");
    writeFileSync(note, JSON.stringify({ pid: 1, socket, hostId: "DEAD" }));
    writeFileSync(socket, "");
    const host = await openHost(newDataDir());
    hosts.push(host);
    const living = await makeSession(dataDir);
    writeFileSync(
      path.join(dataDir, "logs", `${living}.lock.json`),
      JSON.stringify({ pid: process.pid, socket: host.socketPath, hostId: host.hostId }),
    );
    writeFileSync(socket, "");
    const report = await checkDataDir(dataDir);
    expect({ ...report, sessions: report.sessions.map(({ sessionId, isHeld }) => ({ sessionId, isHeld })) }).toEqual({
      dataDir,
      isWhole: true,
      sessions: [
        { sessionId: dead, isHeld: false },
        { sessionId: living, isHeld: true },
      ],
      staleLocks: [note],
      staleSockets: [socket],
      strays: [],
      problems: [],
      ...QUIET,
    });
  });

  test("trash, compressed logs and interrupted operations are checked too, and orphaned files are named", async () => {
    const dataDir = newDataDir();
    const host = await openHost(dataDir);
    const client = await connect(host);
    const [packed, deleted, half] = [
      await createSession(client, dataDir),
      await createSession(client, dataDir),
      "01J0000000000000000000000H",
    ];
    await client.command(packed, { type: "archive", archived: true });
    await client.compressSession(packed);
    await client.deleteSession(deleted);
    await host.close();
    mkdirSync(path.join(dataDir, "forks", half), { recursive: true, mode: 0o700 });
    const orphanFile = path.join(dataDir, "logs", `${packed}.jsonl.tmp`);
    writeFileSync(orphanFile, "half");
    utimesSync(orphanFile, 1, 1);
    const whole = await checkDataDir(dataDir);
    expect(whole).toMatchObject({
      isWhole: true,
      sessions: [{ sessionId: packed, events: 3, isArchived: true, isCompressed: true, problems: [] }],
      trashed: [{ sessionId: deleted, events: 2, problems: [] }],
      halfDone: [half],
      strayFiles: [orphanFile],
    });

    const compressed = path.join(dataDir, "logs", `${packed}.jsonl.zst`);
    const bytes = readFileSync(compressed);
    writeFileSync(compressed, Buffer.concat([Buffer.alloc(20), bytes.subarray(20)]));
    writeFileSync(path.join(dataDir, "trash", deleted, "logs", `${deleted}.jsonl`), "garbage\n");
    const told: string[] = [];
    const broken = await checkDataDir(dataDir, { onProgress: (done, of) => told.push(`${done}/${of}`) });
    expect(broken.isWhole).toBe(false);
    expect(broken.sessions[0]?.problems).toContain("The compressed log does not decompress to the original bytes.");
    expect(broken.trashed[0]?.problems).toHaveLength(2);
    expect(told).toEqual(["1/2", "2/2"]);
  });
});
