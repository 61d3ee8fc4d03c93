/**
 * Memory and open files of a server after load: `soak.ts LOAD_SECONDS IDLE_SECONDS`. Sessions are created, asked, read,
 * searched and listed, each by two dozen connections over HTTP, SSE and WebSocket; then the server is idle.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectWebSocket, createClient } from "../../src/client/index.ts";
import { rssMb } from "./process-cost.ts";
import { report } from "./product.ts";
import { SETTINGS } from "./session-drafts.ts";
import { startServing } from "./start-serving.ts";

const [loadSeconds = 600, idleSeconds = 600] = process.argv.slice(2).map(Number);
const SETTLE_MS = 3_000;
/** Interval of new sessions: 880 in ten minutes. */
const SESSION_MS = 680;
/** Concurrent sessions. */
const AT_ONCE = 4;
const READS = 10;
const STREAMS = 7;
const SOCKETS = 5;
const scratch = mkdtempSync(path.join(tmpdir(), "roundtable-bench-"));
const [dataDir, project] = [path.join(scratch, "data"), path.join(scratch, "project")];
const MEMBER = { name: "scout", kind: "embedded" } as const;

mkdirSync(project);
writeFileSync(path.join(project, "notes.md"), "# Notes\n\nThe answer is in the fourth file.\n");
const { pid, url, token, stop } = await startServing({ dataDir, home: scratch, cwd: project });
const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", connection: "close" };
const openFiles = () => readdirSync(`/proc/${pid}/fd`).length;

let sessions = 0;
let connections = 0;

async function ask(method: string, target: string, body?: object): Promise<unknown> {
  connections += 1;
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const answer = await fetch(`${url}${target}`, init);
  if (!answer.ok) throw new Error(`${target}: ${answer.status} ${await answer.text()}`);
  return await answer.json();
}

/** Reads a stream of events until the turn has ended. */
async function readStream(sessionId: string): Promise<void> {
  connections += 1;
  const stop = new AbortController();
  const answer = await fetch(`${url}/v1/sessions/${sessionId}/events?after=0`, { headers, signal: stop.signal });
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of answer.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.includes('"type":"turn_end"')) break;
  }
  stop.abort();
}

async function readSocket(sessionId: string): Promise<void> {
  connections += 1;
  const client = await createClient(() => connectWebSocket(url, token));
  const ended = Promise.withResolvers<void>();
  await client.subscribe(sessionId, { epoch: 0, seq: 0 }, (events) => {
    if (events.some(({ type }) => type === "turn_end")) ended.resolve();
  });
  await ended.promise;
  client.close();
}

async function oneSession(number: number): Promise<void> {
  const settings = { ...SETTINGS, order: [MEMBER.name] };
  const body = { cwd: project, title: `session ${number}`, settings, members: [MEMBER] };
  const { sessionId } = (await ask("POST", "/v1/sessions", body)) as { sessionId: string };
  const followed = [
    ...Array.from({ length: STREAMS }, () => readStream(sessionId)),
    ...Array.from({ length: SOCKETS }, () => readSocket(sessionId)),
  ];
  const id = `m${number}`;
  await ask("POST", `/v1/sessions/${sessionId}/commands`, {
    type: "send",
    commandId: id,
    clientMessageId: id,
    text: "where is the answer in notes.md?",
  });
  await Promise.all(followed);
  for (let read = 0; read < READS; read++) {
    const targets = [
      `/v1/sessions/${sessionId}`,
      "/v1/sessions",
      "/v1/search?q=answer",
      `/v1/sessions/${sessionId}/runs`,
    ];
    await ask("GET", targets[read % targets.length] ?? "");
  }
  sessions += 1;
}

await sleep(SETTLE_MS);
await ask("GET", "/v1/sessions");
const before = { mb: rssMb(pid), files: openFiles() };
const startedMs = performance.now();
let number = 0;
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (number * SESSION_MS < loadSeconds * 1_000) {
      const mine = (number += 1);
      await sleep(Math.max(0, startedMs + mine * SESSION_MS - performance.now()));
      await oneSession(mine);
    }
  }),
);
const loaded = { mb: rssMb(pid), files: openFiles() };
await sleep(idleSeconds * 1_000);
const after = { mb: rssMb(pid), files: openFiles() };
report({
  sessions,
  connections,
  startMb: before.mb,
  loadedMb: loaded.mb,
  afterMb: after.mb,
  moreMb: after.mb - before.mb,
  startFiles: before.files,
  loadedFiles: loaded.files,
  afterFiles: after.files,
});
await stop();
rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
process.exit(0);
