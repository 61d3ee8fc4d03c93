import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { prepareDataDir } from "../data-dir.ts";
import { findDeadHosts, recordPath, removeDeadHosts } from "./host-records.ts";
import { openLocalSocket } from "../connections/local-socket.ts";

/** Above the kernel's highest possible process id. */
const NO_PID = 2 ** 22 + 1;

async function newDataDir(): Promise<string> {
  const dataDir = mkdtempSync(path.join(tmpdir(), "rt-records-"));
  await prepareDataDir(dataDir);
  return dataDir;
}

/** A leftover socket file of a killed process. */
async function leaveSocket(file: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(`${file}.tmp`, resolve);
  });
  renameSync(`${file}.tmp`, file);
  await new Promise((resolve) => {
    server.close(resolve);
  });
}

describe("records of hosts", () => {
  test("sockets and records of dead hosts are removed, those of living ones stay", async () => {
    const dataDir = await newDataDir();
    const living = await openLocalSocket({ dataDir, hostId: "LIVING", onConnection: () => {} });
    const dead = path.join(dataDir, "run", "host-DEAD.sock");
    await leaveSocket(dead);
    const record = { hostId: "DEAD", pid: NO_PID, socket: dead, startedTs: Date.now() };
    writeFileSync(recordPath(dataDir, "DEAD"), JSON.stringify(record));
    await leaveSocket(path.join(dataDir, "run", "host-NAMELESS.sock"));
    expect((await findDeadHosts(dataDir)).map(({ files }) => files.map((file) => path.basename(file)))).toEqual([
      ["host-DEAD.sock", "host-DEAD.json"],
      ["host-NAMELESS.sock"],
    ]);
    await removeDeadHosts(dataDir);
    expect(readdirSync(path.join(dataDir, "run")).sort()).toEqual(["host-LIVING.json", "host-LIVING.sock"]);
    await living.close();
    expect(readdirSync(path.join(dataDir, "run"))).toEqual([]);
  });

  test("a record can only name a socket of the host for removal", async () => {
    const dataDir = await newDataDir();
    const precious = path.join(dataDir, "precious.txt");
    writeFileSync(precious, "keep me");
    const record = { hostId: "EVIL", pid: NO_PID, socket: precious, startedTs: 0 };
    writeFileSync(recordPath(dataDir, "EVIL"), JSON.stringify(record));
    writeFileSync(recordPath(dataDir, "BROKEN"), "{");
    writeFileSync(recordPath(dataDir, "BROKEN-LONG-AGO"), "{");
    utimesSync(recordPath(dataDir, "BROKEN-LONG-AGO"), 0, 0);
    await removeDeadHosts(dataDir);
    expect(existsSync(precious)).toBe(true);
    expect(readdirSync(path.join(dataDir, "run"))).toEqual(["host-BROKEN.json"]);
  });

  test("a host that has written its record but does not listen yet is left alone", async () => {
    const dataDir = await newDataDir();
    const socket = path.join(dataDir, "run", "host-YOUNG.sock");
    const record = { hostId: "YOUNG", pid: process.pid, socket, startedTs: Date.now() };
    writeFileSync(recordPath(dataDir, "YOUNG"), JSON.stringify(record));
    expect(await findDeadHosts(dataDir)).toEqual([]);
  });

  test("a socket path too long for the kernel goes to a private temporary directory, named in the record", async () => {
    const dataDir = path.join(mkdtempSync(path.join(tmpdir(), "rt-records-")), "d".repeat(120));
    mkdirSync(dataDir);
    await prepareDataDir(dataDir);
    const socket = await openLocalSocket({ dataDir, hostId: "LONG", onConnection: () => {} });
    const parent = path.dirname(socket.path);
    expect(Buffer.byteLength(socket.path)).toBeLessThan(100);
    expect([statSync(parent).mode & 0o777, statSync(socket.path).mode & 0o777]).toEqual([0o700, 0o600]);
    await socket.close();
    expect(existsSync(parent)).toBe(false);
  });
});
