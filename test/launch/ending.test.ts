/** How the server ends when it is told to, with everybody there. */
import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connectWebSocket, createClient, type Client } from "../../src/client/index.ts";
import { mainFile } from "../cli/program.ts";
import { startOwnTime } from "./own-time.ts";
import { createLoneHome, isAlive, until, type LoneHome } from "./lone-home.ts";

const CLIENTS = 250;
const STREAMS = 250;
const MEMBERS = 20;

interface BusyHost {
  child: Pick<ChildProcess, "pid" | "kill">;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** How many clients were told that the server leaves. */
  told: () => number;
}

/** Every member speaks and would go on for ever; every client follows one of them. */
async function busyHost(home: LoneHome, clientCount: number, streamCount = 0): Promise<BusyHost> {
  const { url, token, child, ended } = await home.serving();
  const answer = await fetch(`${url}/v1/defaults`, { headers: { authorization: `Bearer ${token}` } });
  const defaults = (await answer.json()) as Omit<Parameters<Client["create"]>[0], "title">;
  const enter = () => createClient(() => connectWebSocket(url, token));
  let told = 0;
  const sessionIds: string[] = [];
  const first = await enter();
  for (let at = 0; at < MEMBERS; at++) sessionIds.push((await first.create({ ...defaults, title: "hang" })).sessionId);
  const clients = [first, ...(await Promise.all(Array.from({ length: clientCount - 1 }, enter)))];
  const speaking = new Set<string>();
  await Promise.all(
    clients.map(async (client, at) => {
      client.onShutdown(() => (told += 1));
      const sessionId = sessionIds[at % MEMBERS] ?? "";
      await client.subscribe(sessionId, { epoch: 0, seq: 0 }, (events) => {
        if (events.some((event) => event.type === "text_delta")) speaking.add(sessionId);
      });
    }),
  );
  const tell = () => (told += 1);
  await Promise.all(
    Array.from({ length: streamCount }, (_, at) =>
      openStream(`${url}/v1/sessions/${sessionIds[at % MEMBERS]}/events?after=0`, token, tell),
    ),
  );
  await Promise.all(
    sessionIds.map((id) => first.command(id, { type: "send", text: "/try hang", clientMessageId: `m-${id}` })),
  );
  await until("every member speaks", () => speaking.size === MEMBERS);
  return { child, ended, told: () => told };
}

/** Server-sent events, read as bytes; resolves when the stream has begun. */
function openStream(url: string, token: string, onShutdown: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, headers: { authorization: `Bearer ${token}` } }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`the stream was refused with ${response.statusCode}`));
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        resolve();
      });
      response.on("close", () => /^event: ?shutdown$/m.test(text) && onShutdown());
      // Cut in the end, as it should be; whether it was told before is what counts.
      response.on("error", () => {});
    });
    request.on("error", reject);
  });
}

function turnEnds(home: LoneHome): number {
  const logs = readdirSync(join(home.dataDir, "logs")).filter((name) => name.endsWith(".jsonl"));
  const lines = logs.flatMap((name) => readFileSync(join(home.dataDir, "logs", name), "utf8").split("\n"));
  return lines.filter((line) => line.includes('"type":"turn_end"')).length;
}

describe("the end of a server", () => {
  test("SIGTERM with 250 WebSockets, 250 event streams and 20 streaming members: all are notified, every turn ends, exit 0 within 2 s", async () => {
    const home = createLoneHome();
    const { child, ended, told } = await busyHost(home, CLIENTS, STREAMS);
    const ownMs = startOwnTime(child.pid ?? 0);
    child.kill("SIGTERM");
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(ownMs()).toBeLessThan(2_000);
    await until("every client was told", () => told() === CLIENTS + STREAMS);
    expect(turnEnds(home)).toBe(MEMBERS);
    expect(home.record()).toBe(undefined);
  });

  test("a second signal while the first is being obeyed ends it within 100 ms, with 130 and without a record", async () => {
    const tookMs: number[] = [];
    // The machine may be busy with something else for longer than that, but not every time.
    while (tookMs.length < 3 && !tookMs.some((ms) => ms < 100)) {
      const home = createLoneHome();
      const { child, ended } = await busyHost(home, MEMBERS);
      // Two different ones: of the same kind the kernel would keep only one.
      child.kill("SIGINT");
      const ownMs = startOwnTime(child.pid ?? 0);
      child.kill("SIGTERM");
      expect(await ended).toEqual({ code: 130, signal: null });
      tookMs.push(ownMs());
      expect(home.record()).toBe(undefined);
    }
    expect(Math.min(...tookMs)).toBeLessThan(100);
  });

  test("with stdout and stderr closed or broken it keeps serving, does not spin, and exits 0 on request", async () => {
    for (const how of ["closed", "broken"]) {
      const home = createLoneHome();
      const line = how === "closed" ? 'exec "$0" "$@" >&- 2>&-' : 'exec "$0" "$@"';
      const child = spawn("/bin/sh", ["-c", line, process.execPath, mainFile, "serve"], {
        cwd: home.project,
        env: home.env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const ended = new Promise((resolve) => child.on("exit", (code, signal) => resolve({ code, signal })));
      child.stdout.destroy();
      child.stderr.destroy();
      await until("the server is found", () => home.record() !== undefined);
      const pid = home.record()?.pid ?? 0;
      await comesToRest(pid);
      expect((await fetch(`${home.record()?.url}/v1/health`)).status).toBe(200);
      expect(isAlive(pid)).toBe(true);
      child.kill("SIGTERM");
      expect([how, await ended]).toEqual([how, { code: 0, signal: null }]);
    }
  });
});

/** Its start is work, and takes longer on a slow machine; what spins never rests. */
async function comesToRest(pid: number): Promise<void> {
  let [before, atMs] = [-Infinity, performance.now()];
  await until("the server rests", () => {
    if (performance.now() - atMs < 400) return false;
    const now = cpuTicks(pid);
    // Hundredths of a second, of at least 40.
    const isResting = now - before < 10;
    [before, atMs] = [now, performance.now()];
    return isResting;
  });
}

function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}
