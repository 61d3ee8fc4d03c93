/**
 * Time from sending a message until the first client receives it over WebSocket: `first-broadcast.ts ours|bare`.
 * Messages are delivered after their sync, so bare is a loop that writes and syncs as much.
 */
import { closeSync, fdatasync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { openTable } from "./fan-out-table.ts";
import { percentile, report } from "./product.ts";

const MESSAGES = 120;
const WARM_UP = 20;
const RECORD_BYTES = 300;

function reportTimes(times: readonly number[]): void {
  const sorted = times.slice(WARM_UP).toSorted((a, b) => a - b);
  report({ p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) });
}

async function bare(): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), "roundtable-bench-"));
  const file = openSync(path.join(directory, "file"), "a");
  const sync = promisify(fdatasync);
  const record = Buffer.alloc(RECORD_BYTES, "x");
  const times: number[] = [];
  for (let count = 0; count < MESSAGES; count++) {
    const startedMs = performance.now();
    writeSync(file, record);
    await sync(file);
    times.push(performance.now() - startedMs);
  }
  closeSync(file);
  rmSync(directory, { recursive: true });
  reportTimes(times);
}

type Frame = { frame: string; events?: { type: string; text?: string }[] };

async function openSocket(port: number, token: string, clientId: string, onFrame: (frame: Frame) => void) {
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/ws`, { headers } as unknown as string[]);
  socket.addEventListener("message", ({ data }) => onFrame(JSON.parse(String(data)) as Frame));
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
  const send = (frame: object) => socket.send(JSON.stringify(frame));
  send({ frame: "hello", protocol: 1, clientId });
  return send;
}

async function ours(): Promise<void> {
  const table = await openTable((up, turnId) => {
    queueMicrotask(() => up({ type: "turn_done", turnId, outcome: "completed" }));
  });
  const { port, token, sessionId } = table;
  let seen: ((atMs: number) => void) | undefined;
  let settled: (() => void) | undefined;
  const listen = await openSocket(port, token, "listener", ({ events = [] }) => {
    for (const { type } of events) {
      if (type === "user_message") seen?.(performance.now());
      if (type === "turn_end") settled?.();
    }
  });
  listen({ frame: "subscribe", id: "s", sessionId, cursor: { epoch: 0, seq: 0 } });
  const speak = await openSocket(port, token, "speaker", () => {});
  const times: number[] = [];
  for (let count = 0; count < MESSAGES; count++) {
    const isSeen = new Promise<number>((resolve) => (seen = resolve));
    const isSettled = new Promise<void>((resolve) => (settled = resolve));
    const id = `m${count}`;
    const startedMs = performance.now();
    const command = { type: "send", commandId: id, text: "hello", clientMessageId: id };
    speak({ frame: "command", sessionId, command });
    times.push((await isSeen) - startedMs);
    await isSettled;
  }
  table.remove();
  reportTimes(times);
}

await (process.argv[2] === "bare" ? bare() : ours());
process.exit(0);
