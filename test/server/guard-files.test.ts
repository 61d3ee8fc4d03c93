/** Whatever a server writes in its life, nobody else on the machine may read. */
import { appendFileSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openSource } from "./event-source.ts";
import { startServing, type Serving } from "./serve-program.ts";

const running: Serving[] = [];
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill("SIGKILL");
    await ended;
  }
});

test("under umask 000, after a full run, a kill, a repair and an orderly end, no file or directory is open to others", async () => {
  const first = await startServing({ umask: "000" });
  running.push(first);
  const { home } = first;
  const sessionId = await create(first, "first");
  await say(first, sessionId, "/try tool-output 20");
  await say(first, sessionId, `a long one: ${"x".repeat(300_000)}`);
  const archived = await create(first, "second");
  await command(first, archived, { type: "archive", commandId: "a", archived: true });
  await home.run(["web"], { umask: "000" });
  const live = modesOf(home.dataDir);
  expect(openToOthers(live)).toEqual([]);
  first.child.kill("SIGKILL");
  await first.ended;
  appendFileSync(join(home.dataDir, "logs", `${sessionId}.jsonl`), '{"seq":');

  const second = await startServing({ home, umask: "000" });
  running.push(second);
  await say(second, sessionId, "/try silence");
  const repaired = modesOf(home.dataDir);
  expect(openToOthers(repaired)).toEqual([]);
  await second.stop();
  expect(openToOthers(modesOf(home.dataDir))).toEqual([]);

  const kinds = Object.keys({ ...live, ...repaired }).map((name) => name.replace(/[0-9A-HJKMNP-TV-Z]{26}/g, "ID"));
  for (const kind of ["logs/ID.jsonl", "logs/ID.lock", "server.json", "token", "run", "blobs/ID"])
    expect(kinds).toContain(kind);
});

async function create(serving: Serving, title: string): Promise<string> {
  const made = await post(serving, "/v1/sessions", { title });
  return ((await made.json()) as { sessionId: string }).sessionId;
}

async function command(serving: Serving, sessionId: string, body: object): Promise<void> {
  const done = await post(serving, `/v1/sessions/${sessionId}/commands`, body);
  expect([done.status, await done.json()]).toEqual([200, expect.objectContaining({ ok: true })]);
}

/** Until a turn has ended on it. */
async function say(serving: Serving, sessionId: string, text: string): Promise<void> {
  const headers = { authorization: `Bearer ${serving.token}` };
  const session = `${serving.url}/v1/sessions/${sessionId}`;
  const { seq } = (await (await fetch(session, { headers })).json()) as { seq: number };
  const source = await openSource(`${session}/events?after=${seq}`, headers);
  const id = `m${text.length}`;
  await command(serving, sessionId, { type: "send", commandId: id, text, clientMessageId: id });
  await source.next(({ data }) => (data as { type?: string } | null)?.type === "turn_end");
  source.close();
}

function post({ url, token }: Serving, path: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Every entry below, sockets too, by its name from there. */
function modesOf(directory: string): Record<string, number> {
  const names = [".", ...readdirSync(directory, { recursive: true }).map(String)];
  return Object.fromEntries(names.map((name) => [name, lstatSync(join(directory, name)).mode]));
}

function openToOthers(modes: Record<string, number>): string[] {
  const isDirectory = (mode: number) => (mode & 0o170_000) === 0o040_000;
  return Object.entries(modes)
    .filter(([, mode]) => (mode & 0o777) !== (isDirectory(mode) ? 0o700 : 0o600))
    .map(([name, mode]) => `${name}: ${(mode & 0o777).toString(8)}`);
}
