/** One real process and what reaches it from outside: its files, its socket, and clients that misbehave. */
import { mkdirSync, mkdtempSync, readdirSync, statSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { connectSocket, createClient } from "../../src/client/index.ts";
import { toJsonLine } from "../../src/kit/io/json-lines.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/index.ts";
import { listen, turnsEnded, until } from "./open-host.ts";
import { HostProcess } from "./host-process.ts";
import { patient } from "../patience.ts";

const started: HostProcess[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(started.splice(0).map((hostProcess) => hostProcess.close()));
});

async function start(dataDir: string, options: { umask?: string } = {}): Promise<HostProcess> {
  const hostProcess = await HostProcess.start(dataDir, options);
  started.push(hostProcess);
  return hostProcess;
}

function newDataDir(): string {
  return mkdtempSync(path.join(tmpdir(), "rt-one-"));
}

function connectRaw(socketPath: string): Socket {
  const socket = createConnection(socketPath);
  sockets.push(socket);
  return socket;
}

const HELLO = toJsonLine({ frame: "hello", protocol: PROTOCOL_VERSION, clientId: "raw" });
const MIB = 1024 * 1024;
/** Events of 8 KiB: 32 MiB. */
const FLOOD = 4000;

describe("one process", () => {
  test.each(["000", "022", "077"])("directories are 0700 and files 0600 under umask %s", async (umask) => {
    const dataDir = path.join(newDataDir(), "data");
    const hostProcess = await start(dataDir, { umask });
    const sessionId = await hostProcess.create();
    await hostProcess.subscribe(sessionId);
    await hostProcess.send(sessionId, "hello", "m1");
    await hostProcess.until("the answer", (events) => turnsEnded(events) === 1);
    const wrong = () =>
      readdirSync(dataDir, { recursive: true, withFileTypes: true })
        .flatMap((entry) => {
          const stats = statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false });
          // It was replaced, or has gone, since it was listed.
          if (stats === undefined) return [];
          const mode = (stats.mode & 0o777).toString(8);
          return [{ name: entry.name, mode, wanted: entry.isDirectory() ? "700" : "600" }];
        })
        .filter(({ mode, wanted }) => mode !== wanted);
    expect([(statSync(dataDir).mode & 0o777).toString(8), wrong()]).toEqual(["700", []]);
    await hostProcess.close();
    expect([readdirSync(path.join(dataDir, "sessions")).length, wrong()]).toEqual([1, []]);
  });

  test("a data directory with a long path works for a second process too", async () => {
    const dataDir = path.join(newDataDir(), "a".repeat(100), "b".repeat(100));
    mkdirSync(dataDir, { recursive: true });
    const [first, second] = [await start(dataDir), await start(dataDir)];
    expect(path.dirname(path.dirname(first.socketPath))).toBe(tmpdir());
    const sessionId = await first.create();
    await first.subscribe(sessionId);
    await second.subscribe(sessionId);
    expect(await second.send(sessionId, "hello", "m1")).toMatchObject({ ok: true });
    await second.until("the answer", (events) => turnsEnded(events) === 1);
    expect(new Set(second.events.map((event) => event.epoch))).toEqual(new Set([1]));
    await Promise.all([first.close(), second.close()]);
    expect(readdirSync(path.join(dataDir, "run"))).toEqual([]);
  });

  test("the next start removes what a killed process left in run/", async () => {
    const dataDir = newDataDir();
    const first = await start(dataDir);
    await first.kill();
    expect(readdirSync(path.join(dataDir, "run"))).toHaveLength(2);
    const second = await start(dataDir);
    const name = path.basename(second.socketPath, ".sock");
    expect(readdirSync(path.join(dataDir, "run")).sort()).toEqual([`${name}.json`, `${name}.sock`]);
  });

  test("noise on the socket is answered with an error, and the same connection is served afterwards", async () => {
    const hostProcess = await start(newDataDir());
    const raw = connectRaw(hostProcess.socketPath);
    let text = "";
    raw.on("data", (chunk) => (text += String(chunk)));
    raw.write(`GET / HTTP/1.1\n{"frame":\n\u0000\u0001\n[]\n${HELLO}{"frame":"list","id":"7"}\n`);
    await until("the answers", () => text.includes('"id":"7"'));
    const frames = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(frames.map(({ frame, id, ok }) => [frame, id, ok])).toEqual([
      ["reply", "", false],
      ["reply", "", false],
      ["reply", "", false],
      ["reply", "", false],
      ["welcome", undefined, undefined],
      ["reply", "7", true],
    ]);
  });

  test("[H40] a client that stops reading costs the host no memory, and the others get everything", async () => {
    const hostProcess = await start(newDataDir());
    const sessionId = await hostProcess.create();
    const bytes = async () => ((await hostProcess.call({ do: "memory" })) as { bytes: number }).bytes;
    for (let count = 0; count < 4; count += 1) {
      const stalled = connectRaw(hostProcess.socketPath);
      stalled.pause();
      stalled.write(HELLO + toJsonLine({ frame: "subscribe", id: "1", sessionId, cursor: { epoch: 0, seq: 0 } }));
    }
    const client = await createClient(() => connectSocket(hostProcess.socketPath));
    const received = await listen(client, sessionId);
    await client.command(sessionId, { type: "send", text: "flood 1000", clientMessageId: "m1" });
    await until("the first flood", () => turnsEnded(received.events) === 1);
    const before = await bytes();
    await client.command(sessionId, { type: "send", text: `flood ${FLOOD}`, clientMessageId: "m2" });
    await until("the second flood", () => turnsEnded(received.events) === 2);
    expect(received.events.map((event) => event.seq)).toEqual(received.events.map((_, index) => index + 1));
    expect(received.events.length).toBeGreaterThan(FLOOD + 1000);
    // Each of four clients that read nothing may hold one MiB of the flood (8 KiB an event). Freed memory is returned soon.
    await expect.poll(async () => (await bytes()) - before, { timeout: patient(20_000) }).toBeLessThan(16 * MIB);
    client.close();
  });
});
