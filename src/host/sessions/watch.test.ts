import { rmSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { connect, createSession, newDataDir, openHost, until } from "../../../test/host/open-host.ts";
import { connectSocket, createClient } from "../../client/index.ts";
import { sessionPaths } from "../../log/index.ts";
import { empty, fromSnapshot } from "../../transcript/index.ts";
import { systemClock } from "../../kit/clock.ts";
import type { Host, HostOptions } from "../host.ts";
import type { SessionNews } from "../../protocol/index.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function hostOn(dataDir: string, options: Partial<HostOptions> = {}): Promise<Host> {
  const host = await openHost(dataDir, options);
  closing.push(() => host.close());
  return host;
}

function follow(host: Host): SessionNews[] {
  const heard: SessionNews[] = [];
  closing.push(host.followSessions((news) => heard.push(news)));
  return heard;
}

/** The latest reported state of a session. */
function lastOf(heard: readonly SessionNews[], sessionId: string) {
  return heard.flatMap((news) => news.changed).findLast((one) => one.sessionId === sessionId);
}

/** A closed client in this process has left by then. */
function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("following the list", () => {
  test("a listener first gets all sessions, then changes by this process, at once and never an empty one", async () => {
    const dataDir = newDataDir();
    // No time passes, so no full poll happens.
    const host = await hostOn(dataDir, { clock: { ...systemClock, monotonic: () => 0 } });
    const client = await connect(host);
    const first = await createSession(client, dataDir);
    const heard = follow(host);
    await until("the whole list", () => heard.length === 1);
    expect(heard[0]).toEqual({ isWhole: true, changed: await host.listSessions(), gone: [] });
    const second = await createSession(client, dataDir);
    await until("the new one", () => lastOf(heard, second) !== undefined);
    await client.command(first, { type: "rename", title: "renamed" });
    await until("the new title", () => lastOf(heard, first)?.title === "renamed");
    await client.command(first, { type: "archive", archived: true });
    await until("the archived one", () => lastOf(heard, first)?.archived === true);
    expect(heard.slice(1).filter((news) => news.isWhole || news.changed.length + news.gone.length === 0)).toEqual([]);
  });

  test("sessions that another process creates, renames and removes are reported too", async () => {
    const dataDir = newDataDir();
    const [near, far] = [await hostOn(dataDir), await hostOn(dataDir)];
    const heard = follow(near);
    await until("the whole list", () => heard.length === 1);
    const client = await connect(far);
    const sessionId = await createSession(client, dataDir);
    await until("the new one", () => lastOf(heard, sessionId) !== undefined);
    await client.command(sessionId, { type: "rename", title: "from afar" });
    await until("the new title", () => lastOf(heard, sessionId)?.title === "from afar");
    await far.close();
    const { log, meta } = sessionPaths(dataDir, sessionId);
    rmSync(log);
    rmSync(meta);
    await until("its end", () => heard.some((news) => news.gone.includes(sessionId)));
  });

  test("a session that only grows is reported at most once a second, and its end at once", async () => {
    const dataDir = newDataDir();
    const host = await hostOn(dataDir);
    const client = await connect(host);
    const sessionId = await createSession(client, dataDir);
    const heard = follow(host);
    await until("the whole list", () => heard.length === 1);
    const startMs = performance.now();
    await client.command(sessionId, { type: "send", text: "stream 900", clientMessageId: "m" });
    await until("it runs", () => lastOf(heard, sessionId)?.status === "running");
    await until("it is idle again", () => lastOf(heard, sessionId)?.status === "idle");
    const growing = heard.flatMap((news) => news.changed).filter((one) => one.status === "running");
    // Initial changes, then one per second.
    expect(growing.length).toBeLessThanOrEqual(3 + Math.ceil((performance.now() - startMs) / 1_000));
    const [now] = await host.listSessions();
    await until("where it ended", () => lastOf(heard, sessionId)?.seq === now?.seq);
  });
});

describe("activity of a host", () => {
  test("clients, also over the socket, followers of the list, running turns and waiting messages keep a host active", async () => {
    const dataDir = newDataDir();
    const host = await hostOn(dataDir);
    expect(host.isNeeded()).toBe(false);
    const stop = host.followSessions(() => {});
    expect(host.isNeeded()).toBe(true);
    stop();
    expect(host.isNeeded()).toBe(false);
    const client = await connect(host);
    expect(host.isNeeded()).toBe(true);
    const sessionId = await createSession(client, dataDir);
    client.close();
    await until("an idle session needs nobody", () => !host.isNeeded());
    const speaker = await connect(host);
    await speaker.command(sessionId, { type: "send", text: "hold", clientMessageId: "m1" });
    await speaker.command(sessionId, { type: "queue_add", text: "later", clientMessageId: "m2" });
    speaker.close();
    await turnOfTheLoop();
    expect(host.isNeeded()).toBe(true);
    const stopper = await createClient(() => connectSocket(host.socketPath));
    await stopper.command(sessionId, { type: "interrupt", scope: "all" });
    const { head } = fromSnapshot(await stopper.snapshot(sessionId)) ?? empty(sessionId);
    expect([head.openTurns, head.queue.length]).toEqual([{}, 1]);
    stopper.close();
    await turnOfTheLoop();
    expect(host.isNeeded()).toBe(true);
    const cleaner = await connect(host);
    await cleaner.command(sessionId, { type: "queue_remove", messageId: head.queue[0]?.messageId ?? "" });
    cleaner.close();
    await until("the queue is empty", () => !host.isNeeded());
    const guest = await createClient(() => connectSocket(host.socketPath));
    expect(host.isNeeded()).toBe(true);
    guest.close();
    await until("the guest has left", () => !host.isNeeded());
  });
});
