import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { connect, createSession, listen, newDataDir, openHost } from "../../../test/host/open-host.ts";
import type { Client } from "../../client/index.ts";
import type { SessionNews } from "../../protocol/index.ts";
import type { Host } from "../host.ts";
import { readTranscript } from "../sessions/read-session.ts";
import { emptyTrash } from "./session-maintenance.ts";
import { patient } from "../../../test/patience.ts";

const WAIT = { timeout: patient(20_000) };
const hosts: Host[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

async function open(dataDir: string): Promise<{ host: Host; client: Client }> {
  const host = await openHost(dataDir);
  hosts.push(host);
  return { host, client: await connect(host) };
}

async function say(client: Client, sessionId: string, text: string): Promise<void> {
  const heard = await client.subscribe(sessionId, { epoch: 0, seq: 0 }, (events) => {
    if (events.some((event) => event.type === "turn_end" && event.seq > before)) ended.resolve();
  });
  const before = heard.head.seq;
  const ended = Promise.withResolvers<void>();
  const ack = await client.command(sessionId, { type: "send", text, clientMessageId: text });
  expect(ack).toMatchObject({ ok: true });
  await ended.promise;
  heard.close();
}

function namesIn(dataDir: string, sessionId: string): string[] {
  const names = readdirSync(dataDir, { recursive: true, encoding: "utf8" });
  return names.filter((name) => path.basename(name).startsWith(sessionId)).sort();
}

async function fork(client: Client, sessionId: string, seq?: number): Promise<string> {
  const ack = await client.command(sessionId, { type: "fork", ...(seq === undefined ? {} : { seq }) });
  expect(ack).toMatchObject({ ok: true });
  return (ack as unknown as { result: { sessionId: string } }).result.sessionId;
}

describe("a fork", () => {
  test("is a separate session with the same history, listed at once and independent of the original", async () => {
    const dataDir = newDataDir();
    const { client } = await open(dataDir);
    const news: SessionNews[] = [];
    await client.followList((one) => news.push(one));
    const sessionId = await createSession(client, dataDir);
    await say(client, sessionId, "hello");
    const { seq } = (await readTranscript(dataDir, sessionId)).head;
    const copyId = await fork(client, sessionId);
    await vi.waitFor(
      () => expect(news.flatMap(({ changed }) => changed.map((one) => one.sessionId))).toContain(copyId),
      WAIT,
    );
    await say(client, copyId, "only here");
    const copy = await client.snapshot(copyId);
    expect(JSON.stringify(copy.state)).toContain("only here");
    const original = (await client.list()).find((one) => one.sessionId === sessionId);
    const listed = (await client.list()).find((one) => one.sessionId === copyId);
    expect({ original: original?.seq, turns: listed?.turns, title: listed?.title, members: listed?.members }).toEqual({
      original: seq,
      turns: 2,
      title: "test (fork)",
      members: ["echo"],
    });
    expect(existsSync(path.join(dataDir, "forks")) ? readdirSync(path.join(dataDir, "forks")) : []).toEqual([]);
  });

  test("is refused at an invalid position, and is not archived when the original is", async () => {
    const dataDir = newDataDir();
    const { client } = await open(dataDir);
    const sessionId = await createSession(client, dataDir);
    expect(await client.command(sessionId, { type: "fork", seq: 99 })).toMatchObject({
      ok: false,
      error: { code: "bad_command", message: "There is no event 99: the session has 2." },
    });
    await client.command(sessionId, { type: "archive", archived: true });
    const copyId = await fork(client, sessionId, 2);
    expect((await client.list()).find((one) => one.sessionId === copyId)?.archived).toBe(false);
    await say(client, copyId, "it speaks");
  });

  test("shares blobs with the original, and keeps them when that is deleted", async () => {
    const dataDir = newDataDir();
    const { host, client } = await open(dataDir);
    const sessionId = await createSession(client, dataDir);
    const bytes = Buffer.from("a picture");
    const blob = await host.putBlob(sessionId, bytes, "image/png");
    await client.command(sessionId, {
      type: "send",
      text: "look",
      clientMessageId: "m",
      attachments: [{ name: "a.png", mime: "image/png", blob }],
    });
    const copyId = await fork(client, sessionId);
    await vi.waitFor(async () => expect((await host.readFacts(sessionId)).members[0]?.state).toBe("idle"), WAIT);
    await client.deleteSession(sessionId);
    await emptyTrash(dataDir, [sessionId]);
    expect(Buffer.from(await host.readBlob(copyId, blob.sha256)).equals(bytes)).toBe(true);
    expect(statSync(path.join(dataDir, "blobs", copyId, blob.sha256)).mode & 0o777).toBe(0o600);
  });

  test("left incomplete by a crash is never listed and is removed by the next host", async () => {
    const dataDir = newDataDir();
    await (await openHost(dataDir)).close();
    const halfId = "01J0000000000000000000000H";
    const directory = path.join(dataDir, "forks", halfId, "logs");
    mkdirSync(directory, { recursive: true });
    writeFileSync(path.join(directory, `${halfId}.jsonl`), '{"seq":1');
    mkdirSync(path.join(dataDir, "blobs", halfId), { recursive: true });
    const { client } = await open(dataDir);
    expect(await client.list()).toEqual([]);
    expect(namesIn(dataDir, halfId)).toEqual([]);
  });
});

describe("the trash", () => {
  test("[H164] a deleted session leaves the list with all its files, is listed in the trash, and is restored unchanged", async () => {
    const dataDir = newDataDir();
    const { host, client } = await open(dataDir);
    const news: SessionNews[] = [];
    await client.followList((one) => news.push(one));
    const sessionId = await createSession(client, dataDir);
    await say(client, sessionId, "hello");
    await host.putBlob(sessionId, Buffer.from("body"), "text/plain");
    const log = path.join(dataDir, "logs", `${sessionId}.jsonl`);
    const before = readFileSync(log);
    const follower = await listen(client, sessionId);
    const told = () => news.flatMap(({ changed }) => changed.map((one) => one.sessionId));
    await vi.waitFor(() => expect(told()).toContain(sessionId), WAIT);

    await client.deleteSession(sessionId);
    expect(follower.resyncs).toEqual(["the session was deleted; see `roundtable sessions trash`"]);
    expect(await client.list()).toEqual([]);
    await vi.waitFor(() => expect(news.flatMap(({ gone }) => gone)).toEqual([sessionId]), WAIT);
    const outside = namesIn(dataDir, sessionId).filter((name) => !name.startsWith("trash"));
    expect(outside).toEqual([]);
    await expect(client.snapshot(sessionId)).rejects.toMatchObject({ code: "unknown_session" });
    expect(await client.command(sessionId, { type: "rename", title: "x" })).toMatchObject({
      ok: false,
      error: { code: "unknown_session" },
    });
    const [trashed] = await client.trash();
    expect(trashed).toMatchObject({ summary: { sessionId, title: "test", turns: 1 }, deletedTs: expect.any(Number) });

    await client.restoreSession(sessionId);
    expect(await client.trash()).toEqual([]);
    expect(readFileSync(log).equals(before)).toBe(true);
    expect(existsSync(path.join(dataDir, "trash", sessionId))).toBe(false);
    await say(client, sessionId, "back again");
  });

  test("[H165] while a turn runs a session is not deleted; afterwards it is", async () => {
    const dataDir = newDataDir();
    const { client } = await open(dataDir);
    const sessionId = await createSession(client, dataDir);
    const heard = await listen(client, sessionId);
    await client.command(sessionId, { type: "send", text: "hold", clientMessageId: "m" });
    await vi.waitFor(() => expect(heard.events.some((event) => event.type === "text_delta")).toBe(true), WAIT);
    await expect(client.deleteSession(sessionId)).rejects.toMatchObject({ code: "busy" });
    await client.command(sessionId, { type: "interrupt", scope: "all" });
    await vi.waitFor(() => expect(heard.events.some((event) => event.type === "turn_end")).toBe(true), WAIT);
    await vi.waitFor(() => client.deleteSession(sessionId), WAIT);
    expect(await client.list()).toEqual([]);
  });

  test("a session to be deleted only when empty stays once it has or queues a message, whichever process holds it", async () => {
    const dataDir = newDataDir();
    const first = await open(dataDir);
    const second = await open(dataDir);
    const make = () => createSession(first.client, dataDir);
    const empty = await make();
    const spoken = await make();
    await say(first.client, spoken, "hello");
    const refusal = { code: "conflict", message: expect.stringContaining("is not empty") };
    await expect(second.client.deleteSession(spoken, { ifEmpty: true })).rejects.toMatchObject(refusal);
    await expect(first.client.deleteSession(spoken, { ifEmpty: true })).rejects.toMatchObject(refusal);
    await second.client.deleteSession(empty, { ifEmpty: true });
    expect((await first.client.list()).map((one) => one.sessionId)).toEqual([spoken]);
    await say(first.client, spoken, "it goes on");
  });

  test("another host that holds the session deletes and compresses it when asked through this one", async () => {
    const dataDir = newDataDir();
    const first = await open(dataDir);
    const second = await open(dataDir);
    const sessionId = await createSession(first.client, dataDir);
    const other = await createSession(first.client, dataDir);
    const follower = await listen(first.client, sessionId);
    await second.client.deleteSession(sessionId);
    expect(follower.resyncs).toHaveLength(1);
    expect((await second.client.trash()).map(({ summary }) => summary.sessionId)).toEqual([sessionId]);
    await first.client.command(other, { type: "archive", archived: true });
    expect(await second.client.compressSession(other)).toMatchObject({ bytes: expect.any(Number) });
    expect(namesIn(dataDir, other)).toContain(path.join("logs", `${other}.jsonl.zst`));
  });

  test("unknown and unrestorable ids are refused by name; only emptying removes sessions for good", async () => {
    const dataDir = newDataDir();
    const { client } = await open(dataDir);
    const unknown = "01J0000000000000000000000Z";
    await expect(client.deleteSession(unknown)).rejects.toMatchObject({ code: "unknown_session" });
    await expect(client.deleteSession("../logs")).rejects.toMatchObject({ code: "unknown_session" });
    await expect(client.restoreSession(unknown)).rejects.toMatchObject({
      code: "unknown_session",
      message: `There is no session ${unknown} in the trash.`,
    });
    const sessionId = await createSession(client, dataDir);
    await client.deleteSession(sessionId);
    await emptyTrash(dataDir, [sessionId]);
    expect(await client.trash()).toEqual([]);
    expect(namesIn(dataDir, sessionId)).toEqual([]);
    await expect(client.restoreSession(sessionId)).rejects.toMatchObject({ code: "unknown_session" });
  });

  test("an interrupted deletion is completed by the next host, wherever the log is", async () => {
    const dataDir = newDataDir();
    const first = await open(dataDir);
    const sessionId = await createSession(first.client, dataDir);
    await first.client.deleteSession(sessionId);
    await first.host.close();
    // As if interrupted after the log had moved: one file is still in its old location.
    writeFileSync(path.join(dataDir, "trash", sessionId, "moving"), "");
    writeFileSync(path.join(dataDir, "sessions", `${sessionId}.meta.json`), "{}");
    const { client } = await open(dataDir);
    expect(namesIn(dataDir, sessionId).filter((name) => !name.startsWith("trash"))).toEqual([]);
    expect((await client.trash()).map(({ summary }) => summary.sessionId)).toEqual([sessionId]);
    await client.restoreSession(sessionId);
    expect((await client.list()).map((one) => one.sessionId)).toEqual([sessionId]);
  });
});

describe("a compressed session", () => {
  test("lists and opens as before, is read without its lock, and is restored whole when it continues", async () => {
    const dataDir = newDataDir();
    const first = await open(dataDir);
    const sessionId = await createSession(first.client, dataDir);
    await say(first.client, sessionId, "hello");
    await expect(first.client.compressSession(sessionId)).rejects.toMatchObject({ code: "conflict" });
    await first.client.command(sessionId, { type: "archive", archived: true });
    const [before] = await first.client.list();
    const log = path.join(dataDir, "logs", `${sessionId}.jsonl`);
    await first.client.compressSession(sessionId);
    const picture = await first.client.snapshot(sessionId);
    expect(await first.client.list()).toEqual([before]);
    expect([existsSync(log), existsSync(`${log}.zst`)]).toEqual([false, true]);
    expect(JSON.stringify(picture.state)).toContain("answered [pid");
    await first.host.close();

    const second = await open(dataDir);
    expect(await second.client.list()).toEqual([before]);
    expect(await second.client.command(sessionId, { type: "archive", archived: false })).toMatchObject({ ok: true });
    expect([existsSync(log), existsSync(`${log}.zst`)]).toEqual([true, false]);
    await say(second.client, sessionId, "it goes on");
    await expect(second.client.compressSession(sessionId)).rejects.toMatchObject({ code: "conflict" });
  });

  test("opened and closed again, it is compressed with its new events", async () => {
    const dataDir = newDataDir();
    const first = await open(dataDir);
    const sessionId = await createSession(first.client, dataDir);
    await first.client.command(sessionId, { type: "archive", archived: true });
    await first.client.compressSession(sessionId);
    const heard = await listen(first.client, sessionId);
    await vi.waitFor(() => expect(heard.events.map(({ type }) => type)).toContain("session_archived"), WAIT);
    await first.client.command(sessionId, { type: "rename", title: "looked at" });
    await first.host.close();
    const logs = readdirSync(path.join(dataDir, "logs")).filter((name) => name.includes(".jsonl"));
    expect(logs).toEqual([`${sessionId}.jsonl.zst`]);
    const second = await open(dataDir);
    expect(await second.client.list()).toMatchObject([{ sessionId, title: "looked at", archived: true }]);
  });
});
