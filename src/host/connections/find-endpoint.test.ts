import { afterEach, expect, test } from "vitest";
import { connect, createSession, newDataDir, openHost } from "../../../test/host/open-host.ts";
import { quickClock } from "../../../test/quick-clock.ts";
import { systemClock, type Clock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import { acquireLock, type Holder, type Lock } from "../../log/index.ts";
import type { Host } from "../host.ts";

const hosts: Host[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

async function setUp(clock: Clock): Promise<{ dataDir: string; sessionId: string; host: Host }> {
  const dataDir = newDataDir();
  const maker = await openHost(dataDir);
  const sessionId = await createSession(await connect(maker), dataDir);
  await maker.close();
  const host = await openHost(dataDir, { clock });
  hosts.push(host);
  return { dataDir, sessionId, host };
}

async function lockFor(dataDir: string, sessionId: string, holder: Omit<Holder, "pid">): Promise<Lock> {
  return (await acquireLock({ dataDir, sessionId, holder: { pid: process.pid, ...holder } })) as Lock;
}

test("a host that finds its own record beside a lock reports the session as locked, and does not connect to itself", async () => {
  const { dataDir, sessionId, host } = await setUp(quickClock(20));
  const lock = await lockFor(dataDir, sessionId, { socket: host.socketPath, hostId: host.hostId });
  const client = await connect(host);
  const ack = await client.command(sessionId, { type: "rename", title: "x" });
  expect(ack).toMatchObject({
    ok: false,
    error: { code: "locked", message: expect.stringContaining("its lock names this process") },
  });
  await expect(client.deleteSession(sessionId)).rejects.toMatchObject({ code: "locked" });
  lock.release();
  expect(await client.command(sessionId, { type: "rename", title: "x" })).toMatchObject({ ok: true });
});

test("a holder that listens nowhere, as an import or a repair, is waited for; what only a holder can do is refused", async () => {
  const waited = Promise.withResolvers<void>();
  let isAsked = false;
  const clock: Clock = {
    ...systemClock,
    after(ms, callback) {
      if (isAsked) waited.resolve();
      return systemClock.after(ms, callback);
    },
  };
  const { dataDir, sessionId, host } = await setUp(clock);
  const lock = await lockFor(dataDir, sessionId, { socket: "", hostId: newId() });
  const client = await connect(host);
  await expect(client.deleteSession(sessionId)).rejects.toMatchObject({
    code: "locked",
    message: `Another process holds session ${sessionId}, and it does not accept connections.`,
  });
  isAsked = true;
  const ack = client.command(sessionId, { type: "rename", title: "after it" });
  await Promise.race([waited.promise, ack]);
  lock.release();
  expect(await ack).toMatchObject({ ok: true });
});
