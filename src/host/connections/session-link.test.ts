import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Client } from "../../client/index.ts";
import { listenLineSocket, type LineSocket } from "../../kit/io/line-socket.ts";
import { acquireLock, type Lock } from "../../log/index.ts";
import { PROTOCOL_VERSION, type ClientFrame, type HostFrame } from "../../protocol/index.ts";
import { connect, createSession, newDataDir, openHost, until } from "../../../test/host/open-host.ts";
import type { Host } from "../host.ts";
import { PENDING_BYTES_MAX } from "./served-connection.ts";

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A scripted holder of a session's lock: sends a welcome, records all frames, and replies as scripted. */
async function playHolder(dataDir: string, sessionId: string, protocol = PROTOCOL_VERSION) {
  const socketPath = path.join(dataDir, "holder.sock");
  const sockets: LineSocket[] = [];
  const heard: ClientFrame[] = [];
  const names: string[] = [];
  let closed = 0;
  const server = await listenLineSocket(socketPath, (socket) => {
    sockets.push(socket);
    socket.onClose(() => (closed += 1));
    socket.onValue((value) => {
      const frame = value as ClientFrame;
      if (frame.frame === "hello") {
        names.push(frame.clientId);
        say({ frame: "welcome", protocol, version: "6.6.6", hostId: "FAKE" });
      } else heard.push(frame);
    });
  });
  function say(frame: HostFrame): void {
    for (const socket of sockets) socket.send(frame);
  }
  const lock = (await acquireLock({
    dataDir,
    sessionId,
    holder: { pid: process.pid, socket: socketPath, hostId: "FAKE" },
  })) as Lock;
  return {
    heard,
    names,
    closed: () => closed,
    say,
    async die() {
      await server.close();
      for (const socket of sockets) socket.close("died");
      lock.release();
    },
  };
}

async function setUp(protocol?: number) {
  const dataDir = newDataDir();
  const maker = await openHost(dataDir);
  const sessionId = await createSession(await connect(maker), dataDir);
  await maker.close();
  const holder = await playHolder(dataDir, sessionId, protocol);
  const host: Host = await openHost(dataDir);
  closers.push(() => host.close());
  const client: Client = await connect(host, "far");
  return { dataDir, sessionId, holder, client };
}

describe("a session held elsewhere", () => {
  test("[H29] commands lost with the holder are repeated only when that is safe; the others report the loss", async () => {
    const { sessionId, holder, client } = await setUp();
    const acks = [
      client.command(sessionId, { type: "rename", title: "kept" }),
      client.command(sessionId, { type: "send", text: "kept too", clientMessageId: "m1" }),
      client.command(sessionId, { type: "clear" }),
      client.command(sessionId, { type: "mute", member: "echo" }),
    ];
    await until("the commands", () => holder.heard.length === 4);
    const [, , , mute] = holder.heard;
    const commandId = mute?.frame === "command" ? mute.command.commandId : "";
    holder.say({ frame: "ack", sessionId, ack: { commandId, ok: true, seq: 77 } });
    expect(await acks[3]).toEqual({ commandId, ok: true, seq: 77 });
    await holder.die();
    expect(await Promise.all(acks.slice(0, 3))).toMatchObject([
      { ok: true },
      { ok: true },
      { ok: false, error: { code: "closed", message: expect.stringContaining("may or may not have taken effect") } },
    ]);
    const events: string[] = [];
    await client.subscribe(sessionId, { epoch: 0, seq: 0 }, (batch) => events.push(...batch.map(({ type }) => type)));
    await until("the events", () => events.includes("turn_end"));
    expect(
      events.filter((type) => ["session_renamed", "user_message", "session_clear", "member_muted"].includes(type)),
    ).toEqual(["session_renamed", "user_message"]);
  });

  test("pending commands of all sessions together are limited in bytes", async () => {
    const { sessionId, holder, client } = await setUp();
    const text = "x".repeat(Math.floor(PENDING_BYTES_MAX / 4));
    const send = (clientMessageId: string) => client.command(sessionId, { type: "send", text, clientMessageId });
    const waiting = ["m1", "m2", "m3"].map(send);
    const ack = await send("m4");
    expect(ack).toMatchObject({ ok: false, error: { code: "busy", hint: "Wait for pending requests to finish." } });
    await until("the commands", () => holder.heard.length === 3);
    for (const frame of holder.heard) {
      const commandId = frame.frame === "command" ? frame.command.commandId : "";
      holder.say({ frame: "ack", sessionId, ack: { commandId, ok: true, seq: 7 } });
    }
    expect(await Promise.all(waiting)).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
    // Answered commands no longer count.
    const last = send("m5");
    await until("the next command", () => holder.heard.length === 4);
    await holder.die();
    client.close();
    await last.catch(() => {});
  });

  test("a refused or resynced subscription at the holder is refused or resynced here", async () => {
    const { sessionId, holder, client } = await setUp();
    const refused = client.subscribe(sessionId, { epoch: 1, seq: 1 }, () => {});
    await until("the subscribe", () => holder.heard.length === 1);
    const [ask] = holder.heard as { id: string }[];
    const error = { code: "store_unavailable" as const, message: "the disk is gone" };
    holder.say({ frame: "reply", id: ask!.id, ok: false, error });
    await expect(refused).rejects.toMatchObject(error);
    const resyncs: string[] = [];
    const seqs: number[] = [];
    const accepted = client.subscribe(
      sessionId,
      { epoch: 1, seq: 1 },
      (events) => seqs.push(...events.map(({ seq }) => seq)),
      {
        onResync: (reason) => resyncs.push(reason),
      },
    );
    await until("the subscribe", () => holder.heard.filter(({ frame }) => frame === "subscribe").length === 2);
    const again = holder.heard.findLast((frame) => frame.frame === "subscribe");
    holder.say({
      frame: "reply",
      id: again!.frame === "subscribe" ? again!.id : "",
      ok: true,
      result: { epoch: 1, seq: 9 },
    });
    expect((await accepted).head).toEqual({ epoch: 1, seq: 9 });
    holder.say({ frame: "resync", sessionId, reason: "too far behind" });
    await until("the resync", () => resyncs.length === 1);
    expect([resyncs, seqs]).toEqual([["too far behind"], []]);
  });

  test("a holder of another protocol version is reported, not waited for", async () => {
    const { sessionId, client, holder } = await setUp(99);
    const ack = await client.command(sessionId, { type: "clear" });
    expect(ack).toMatchObject({
      ok: false,
      error: { code: "version_mismatch", message: expect.stringContaining("6.6.6") },
    });
    await holder.die();
  });

  test("the link uses the client's own name with the holder and disconnects when nothing is pending", async () => {
    const { sessionId, holder, client } = await setUp();
    const ack = client.command(sessionId, { type: "rename", title: "x" });
    await until("the command", () => holder.heard.length === 1);
    const [frame] = holder.heard;
    expect(frame).toMatchObject({ frame: "command", sessionId, command: { type: "rename", title: "x" } });
    const commandId = frame?.frame === "command" ? frame.command.commandId : "";
    holder.say({ frame: "ack", sessionId, ack: { commandId, ok: true, seq: 3 } });
    expect(await ack).toEqual({ commandId, ok: true, seq: 3 });
    await until("the close", () => holder.closed() === 1);
    expect(holder.names).toEqual(["far"]);
    await holder.die();
    expect(await client.command(sessionId, { type: "rename", title: "y" })).toMatchObject({ ok: true });
  });
});
