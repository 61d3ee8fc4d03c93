import { describe, expect, test } from "vitest";
import { createManualClock } from "../../test/host/manual-clock.ts";
import {
  PROTOCOL_VERSION,
  RoundtableError,
  type ClientConnection,
  type ClientFrame,
  type Cursor,
  type HostConnection,
  type SessionEvent,
} from "../protocol/index.ts";
import type { ConnectionState } from "./client-port.ts";
import { createConnectionPair } from "./connections.ts";
import { createLastingClient, retryDelayMs } from "./lasting-client.ts";

const SESSION = "01J00000000000000000000000";
const START: Cursor = { epoch: 1, seq: 0 };
const MIB = 1024 * 1024;

function event(seq: number): SessionEvent {
  return { seq, epoch: 1, id: `e${seq}`, ts: seq, sessionId: SESSION, type: "session_renamed", title: `t${seq}` };
}

async function settle(): Promise<void> {
  for (let step = 0; step < 60; step += 1) await Promise.resolve();
}

/** A scripted host end of one connection, after the handshake. */
class Wire {
  readonly near: ClientConnection;
  readonly far: HostConnection;
  readonly #said: ClientFrame[] = [];

  constructor({ protocol = PROTOCOL_VERSION, greets = true } = {}) {
    [this.near, this.far] = createConnectionPair();
    this.far.onFrame((frame) => {
      if (frame.frame !== "hello") this.#said.push(frame);
      else if (greets) this.far.send({ frame: "welcome", protocol, version: "1", hostId: "H" });
    });
  }

  /** Frames of the client since the last read, without liveness probes. */
  async take(): Promise<ClientFrame[]> {
    await settle();
    return this.#said.splice(0).filter((frame) => frame.frame !== "page" || frame.sessionId !== "");
  }

  /** Answers the client's liveness probe. */
  async answerLook(): Promise<void> {
    await settle();
    const [frame, ...more] = this.#said.splice(0);
    expect([frame, more]).toMatchObject([{ frame: "page", sessionId: "" }, []]);
    const error = { code: "unknown_session" as const, message: "none" };
    this.far.send({ frame: "reply", id: (frame as { id: string }).id, ok: false, error });
    await settle();
  }

  /** Answers the next subscribe and returns its cursor. */
  async acceptSubscribe(): Promise<Cursor> {
    const [frame] = await this.take();
    if (frame?.frame !== "subscribe") throw new Error(`expected a subscribe, got ${JSON.stringify(frame)}`);
    this.far.send({ frame: "reply", id: frame.id, ok: true, result: { epoch: 1, seq: 9 } });
    await settle();
    return frame.cursor;
  }

  async feed(...seqs: number[]): Promise<void> {
    this.far.send({ frame: "events", sessionId: SESSION, events: seqs.map(event) });
    await settle();
  }

  async cut(): Promise<void> {
    this.far.close("cut");
    await settle();
  }
}

/** A client on a series of connections; a string is a failing attempt. After the last one every attempt fails. */
async function open(...ways: (Wire | string | Promise<ClientConnection>)[]) {
  const clock = createManualClock();
  const states: ConnectionState[] = [];
  let tries = 0;
  const connect = async (): Promise<ClientConnection> => {
    const way = ways[tries++] ?? "nobody there";
    if (typeof way === "string") throw new RoundtableError("closed", way);
    return way instanceof Wire ? way.near : way;
  };
  const client = await createLastingClient(connect, { clientId: "me", clock, random: () => 0.5 });
  client.onState((state) => states.push(state));
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settle();
  };
  return { client, states, pass, tries: () => tries };
}

describe("a connection that is lost", () => {
  test("is followed by retries with growing delays until one succeeds, each reported with its reason", async () => {
    const wire = new Wire();
    const { client, states, pass } = await open(wire, "refused", "refused again", new Wire());
    await wire.cut();
    await pass(124);
    expect(states).toEqual([{ state: "offline", attempt: 1, nextInMs: 125, reason: "cut" }]);
    await pass(1);
    await pass(250);
    await pass(500);
    expect(states.slice(1)).toEqual([
      { state: "reconnecting", attempt: 1, nextInMs: 0, reason: "cut" },
      { state: "offline", attempt: 2, nextInMs: 250, reason: "refused" },
      { state: "reconnecting", attempt: 2, nextInMs: 0, reason: "refused" },
      { state: "offline", attempt: 3, nextInMs: 500, reason: "refused again" },
      { state: "reconnecting", attempt: 3, nextInMs: 0, reason: "refused again" },
      { state: "online", attempt: 0, nextInMs: 0, reason: "" },
    ]);
    expect(client.state.state).toBe("online");
  });

  test("resets the delays only when it was used or lasted 10 s", async () => {
    const wires = Array.from({ length: 6 }, () => new Wire());
    const { client, states, pass } = await open(...wires);
    const waits = () => states.filter(({ state }) => state === "offline").map(({ nextInMs }) => nextInMs);
    await wires[0]!.cut();
    await pass(125);
    await wires[1]!.cut();
    await pass(250);
    const list = client.list();
    const [asked] = await wires[2]!.take();
    wires[2]!.far.send({ frame: "reply", id: (asked as { id: string }).id, ok: true, result: [] });
    expect(await list).toEqual([]);
    await wires[2]!.cut();
    await pass(125);
    await wires[3]!.cut();
    await pass(250);
    await pass(10_000);
    await wires[4]!.cut();
    expect(waits()).toEqual([125, 250, 125, 250, 125]);
  });

  test("that never succeeded rejects the creation, without a retry", async () => {
    await expect(open("refused")).rejects.toMatchObject({ code: "closed", message: "refused" });
    const old = new Wire({ protocol: 99 });
    await expect(open(old)).rejects.toMatchObject({ code: "version_mismatch" });
  });

  test("an attempt without a hello within 10 s is dropped, and a late connection is closed", async () => {
    const [first, mute, late, last] = [new Wire(), new Wire({ greets: false }), new Wire(), new Wire()];
    const slow = Promise.withResolvers<ClientConnection>();
    const { client, states, pass } = await open(first, mute, slow.promise, last);
    const closed: string[] = [];
    mute.far.onClose((reason) => closed.push(`mute: ${reason}`));
    late.far.onClose((reason) => closed.push(`late: ${reason}`));
    await first.cut();
    await pass(125);
    await pass(10_000);
    await pass(250);
    await pass(10_000);
    slow.resolve(late.near);
    await pass(500);
    expect(closed).toEqual(["mute: no answer within 10 s", "late: no answer within 10 s"]);
    expect([client.state.state, states.filter(({ state }) => state === "online").length]).toEqual(["online", 1]);
  });

  test("a connection attempt may take as long as its caller allows, also more than the usual 10 s", async () => {
    const clock = createManualClock();
    const wire = new Wire({ greets: false });
    const opening = createLastingClient(async () => wire.near, { clock, openMs: 60_000 });
    await settle();
    clock.advance(59_999);
    await settle();
    wire.far.send({ frame: "welcome", protocol: PROTOCOL_VERSION, version: "1", hostId: "H" });
    expect((await opening).state.state).toBe("online");
  });
});

describe("subscriptions", () => {
  async function follow(...ways: (Wire | string)[]) {
    const wire = new Wire();
    const { client, pass } = await open(wire, ...ways);
    const seqs: number[] = [];
    const resyncs: string[] = [];
    const waiting = client.subscribe(SESSION, START, (events) => seqs.push(...events.map(({ seq }) => seq)), {
      onResync: (reason) => resyncs.push(reason),
    });
    await wire.acceptSubscribe();
    const subscription = await waiting;
    return { client, pass, wire, seqs, resyncs, subscription };
  }

  test("[C32] continue from their own cursor on the next connection, without a gap or a repeat", async () => {
    const next = new Wire();
    const { pass, wire, seqs, subscription } = await follow(next);
    await wire.feed(1, 2);
    await wire.feed(3);
    await wire.cut();
    await pass(125);
    expect(await next.acceptSubscribe()).toEqual({ epoch: 1, seq: 3 });
    await next.feed(2, 3, 4);
    await next.feed(5);
    expect([seqs, subscription.cursor, subscription.head]).toEqual([
      [1, 2, 3, 4, 5],
      { epoch: 1, seq: 5 },
      { epoch: 1, seq: 9 },
    ]);
  });

  test("[C32] a gap after the reconnect is requested again from the last good seq", async () => {
    const next = new Wire();
    const { pass, wire, seqs } = await follow(next);
    await wire.feed(1);
    await wire.cut();
    await pass(125);
    await next.acceptSubscribe();
    await next.feed(3);
    expect(await next.acceptSubscribe()).toEqual({ epoch: 1, seq: 1 });
    await next.feed(2, 3);
    expect(seqs).toEqual([1, 2, 3]);
  });

  test("[C32] one that was closed while offline is not resumed", async () => {
    const next = new Wire();
    const { pass, wire, subscription } = await follow(next);
    await wire.cut();
    subscription.close();
    await pass(125);
    expect(await next.take()).toEqual([]);
  });

  test("one dropped before its answer releases the session at once and is not requested again", async () => {
    const [first, next] = [new Wire(), new Wire()];
    const { client, pass } = await open(first, next);
    const [asked, waiting] = [new AbortController(), new AbortController()];
    const one = client.subscribe(SESSION, START, () => {}, { signal: asked.signal });
    expect(await first.take()).toMatchObject([{ frame: "subscribe" }]);
    asked.abort();
    await expect(one).rejects.toMatchObject({ name: "AbortError" });
    expect(await first.take()).toEqual([{ frame: "unsubscribe", sessionId: SESSION }]);
    await first.cut();
    const two = client.subscribe(SESSION, START, () => {}, { signal: waiting.signal });
    two.catch(() => {});
    waiting.abort();
    void client.subscribe(SESSION, { epoch: 1, seq: 3 }, () => {});
    await expect(two).rejects.toMatchObject({ name: "AbortError" });
    await pass(125);
    expect(await next.take()).toMatchObject([{ frame: "subscribe", cursor: { epoch: 1, seq: 3 } }]);
  });

  test.each([
    ["a resync", { frame: "resync" as const, sessionId: SESSION, reason: "unknown cursor" }, "unknown cursor"],
    ["a refusal", undefined, "It is locked."],
  ])("%s after the reconnect ends the subscription and is surfaced", async (_what, frame, reason) => {
    const next = new Wire();
    const { client, pass, wire, seqs, resyncs } = await follow(next);
    await wire.cut();
    await pass(125);
    if (frame === undefined) {
      const [asked] = await next.take();
      const error = { code: "locked" as const, message: reason };
      next.far.send({ frame: "reply", id: (asked as { id: string }).id, ok: false, error });
    } else {
      await next.acceptSubscribe();
      next.far.send(frame);
    }
    await next.feed(1);
    expect([seqs, resyncs]).toEqual([[], [reason]]);
    const again = client.subscribe(SESSION, { epoch: 2, seq: 7 }, () => {});
    expect(await next.acceptSubscribe()).toEqual({ epoch: 2, seq: 7 });
    await again;
  });
});

describe("a store that is away after the reconnect", () => {
  test("is told once and asked again until the subscription continues", async () => {
    const [wire, next] = [new Wire(), new Wire()];
    const { client, pass } = await open(wire, next);
    const heard: unknown[] = [];
    client.onStore(({ state, message }) => heard.push([state, message]));
    const seqs: number[] = [];
    const onResync = () => expect.unreachable();
    const subscribing = client.subscribe(SESSION, START, (events) => seqs.push(...events.map(({ seq }) => seq)), {
      onResync,
    });
    await wire.acceptSubscribe();
    await subscribing;
    await wire.feed(1);
    await wire.cut();
    await pass(125);
    const error = { code: "store_unavailable" as const, message: "No database." };
    for (let time = 0; time < 2; time += 1) {
      const [asked, ...more] = await next.take();
      expect([asked, more]).toMatchObject([{ frame: "subscribe", cursor: { epoch: 1, seq: 1 } }, []]);
      next.far.send({ frame: "reply", id: (asked as { id: string }).id, ok: false, error });
      await settle();
      expect(heard).toEqual([["slow", "No database."]]);
      await pass(5_000);
    }
    expect(await next.acceptSubscribe()).toEqual({ epoch: 1, seq: 1 });
    await next.feed(2);
    expect([seqs, heard.at(-1)]).toEqual([
      [1, 2],
      ["ok", ""],
    ]);
  });
});

describe("calls", () => {
  test("pending reads and subscribes are repeated and answered on the next connection", async () => {
    const [first, next] = [new Wire(), new Wire()];
    const { client, pass } = await open(first, next);
    const calls = [client.list(), client.snapshot(SESSION), client.page(SESSION, 3)];
    const subscribing = client.subscribe(SESSION, START, () => {});
    const shapes = (frames: ClientFrame[]) => frames.map((frame) => ({ ...frame, id: "" }));
    const asked = shapes(await first.take());
    expect(asked.map(({ frame }) => frame)).toEqual(["list", "snapshot", "page", "subscribe"]);
    await first.cut();
    await pass(125);
    const again = await next.take();
    expect(shapes(again)).toEqual(asked);
    for (const [at, frame] of again.entries()) {
      next.far.send({ frame: "reply", id: (frame as { id: string }).id, ok: true, result: { epoch: 1, seq: at } });
    }
    expect(await Promise.all(calls)).toMatchObject([{ seq: 0 }, { seq: 1 }, { seq: 2 }]);
    expect((await subscribing).head).toEqual({ epoch: 1, seq: 3 });
  });

  test("[C35] commands that may be repeated are, unchanged and in order; others may or may not have taken effect", async () => {
    const [first, next] = [new Wire(), new Wire()];
    const { client, pass } = await open(first, next);
    const message = (id: string) => ({ text: id, clientMessageId: id });
    const kept = [
      client.command(SESSION, { type: "send", ...message("a") }),
      client.command(SESSION, { type: "steer", ...message("b") }),
      client.command(SESSION, { type: "queue_add", ...message("c") }),
      client.command(SESSION, { type: "rename", title: "t" }),
    ];
    const lost = [
      client.command(SESSION, { type: "interrupt", scope: "all" }),
      client.command(SESSION, { type: "continue" }),
      client.create({ cwd: "/", title: "", settings: {} as never, members: [] }),
    ];
    const settled = Promise.allSettled(lost);
    const asked = await first.take();
    await first.cut();
    expect(await settled).toMatchObject(
      lost.map(() => ({
        reason: { code: "closed", message: expect.stringContaining("may or may not have taken effect") },
      })),
    );
    await pass(125);
    const again = await next.take();
    expect(again).toEqual(asked.slice(0, kept.length));
    for (const frame of again) {
      if (frame.frame !== "command") continue;
      const { commandId } = frame.command;
      next.far.send({ frame: "ack", sessionId: SESSION, ack: { commandId, ok: true, seq: 1 } });
    }
    expect(await Promise.all(kept)).toMatchObject(kept.map(() => ({ ok: true })));
    await pass(60_000);
    expect(await next.take()).toEqual([]);
  });

  test("[C35] an answer received before the cut counts", async () => {
    const wire = new Wire();
    const { client } = await open(wire);
    const answer = client.command(SESSION, { type: "continue" });
    const [frame] = await wire.take();
    const { commandId } = (frame as Extract<ClientFrame, { frame: "command" }>).command;
    wire.far.send({ frame: "ack", sessionId: SESSION, ack: { commandId, ok: true, seq: 4 } });
    await wire.cut();
    expect(await answer).toEqual({ commandId, ok: true, seq: 4 });
  });

  test("a command given offline is sent on the next connection", async () => {
    const [first, next] = [new Wire(), new Wire()];
    const { client, pass } = await open(first, next);
    await first.cut();
    void client.command(SESSION, { type: "continue" });
    void client.command(SESSION, { type: "send", text: "x", clientMessageId: "x" });
    await pass(125);
    expect(await next.take()).toMatchObject([{ command: { type: "continue" } }, { command: { type: "send" } }]);
  });

  test("a command that must not be repeated is not sent after 30 s; a message waits without a limit", async () => {
    const [first, next] = [new Wire(), new Wire()];
    const { client, pass } = await open(first, ...Array.from({ length: 12 }, () => "down"), next);
    await first.cut();
    const stale = client.command(SESSION, { type: "interrupt", scope: "all" });
    stale.catch(() => {});
    void client.command(SESSION, { type: "send", text: "x", clientMessageId: "x" });
    for (let second = 0; second < 90; second += 1) await pass(1_000);
    await expect(stale).rejects.toMatchObject({ code: "closed", message: expect.stringContaining("was not sent") });
    expect(await next.take()).toMatchObject([{ command: { type: "send" } }]);
  });

  test("a command aborted while offline is rejected with the reason and never sent", async () => {
    const [first, next] = [new Wire(), new Wire()];
    const { client, pass } = await open(first, next);
    await first.cut();
    const givenUp = new AbortController();
    const body = { type: "send", text: "x", clientMessageId: "x" } as const;
    const taken = client.command(SESSION, body, { signal: givenUp.signal });
    void client.command(SESSION, { type: "continue" });
    givenUp.abort(new Error("not any more"));
    await expect(taken).rejects.toThrow("not any more");
    await pass(125);
    expect(await next.take()).toMatchObject([{ command: { type: "continue" } }]);
  });

  test("at most 1,000 calls and 8 MiB wait; one more is refused with busy, and there is room after an answer", async () => {
    const wire = new Wire();
    const { client } = await open(wire);
    const calls = Array.from({ length: 1_000 }, () => client.list());
    await expect(client.list()).rejects.toMatchObject({ code: "busy" });
    const frames = await wire.take();
    expect(frames.length).toBe(1_000);
    for (const frame of frames) {
      wire.far.send({ frame: "reply", id: (frame as { id: string }).id, ok: true, result: [] });
    }
    await Promise.all(calls);
    const send = (bytes: number, id: string) =>
      client.command(SESSION, { type: "send", text: "é".repeat(bytes / 2), clientMessageId: id });
    void send(5 * MIB, "a");
    await expect(send(4 * MIB, "b")).rejects.toMatchObject({ code: "busy" });
    await expect(send(9 * MIB, "c")).rejects.toMatchObject({ code: "too_large" });
    void send(2 * MIB, "d");
    const sent = await wire.take();
    expect(sent.map((frame) => (frame as { command: { clientMessageId: string } }).command.clientMessageId)).toEqual([
      "a",
      "d",
    ]);
  });
});

describe("liveness", () => {
  test("[C38] a connection that answers stays open, a silent one is closed and replaced", async () => {
    const [first, next] = [new Wire(), new Wire()];
    const { client, states, pass } = await open(first, next);
    for (let tick = 0; tick < 10; tick += 1) {
      await pass(15_000);
      await first.answerLook();
    }
    expect(states).toEqual([]);
    await pass(25_000);
    expect(states.map(({ state, reason }) => [state, reason])).toEqual([
      ["offline", "the host was silent for 25000 ms"],
    ]);
    await pass(125);
    expect(client.state.state).toBe("online");
  });

  test("a hint triggers the next attempt when offline, and a liveness probe when online", async () => {
    const [first, next] = [new Wire(), new Wire()];
    const { client, pass, tries } = await open(first, next);
    client.hint("visible");
    await first.answerLook();
    await first.cut();
    client.hint("online");
    client.hint("online");
    await settle();
    expect([client.state.state, tries()]).toEqual(["online", 2]);
    await pass(10_000);
    expect(tries()).toBe(2);
  });
});

describe("loss of the network", () => {
  test("a hint drops the connection at once, and the next attempt keeps its schedule", async () => {
    const [first, next] = [new Wire(), new Wire()];
    const { client, states, pass } = await open(first, next);
    client.hint("offline");
    await settle();
    expect(states).toEqual([{ state: "offline", attempt: 1, nextInMs: 125, reason: "the network is gone" }]);
    await pass(125);
    expect(client.state.state).toBe("online");
  });
});

describe("the end", () => {
  test("close rejects pending calls, stops retrying and notifies listeners once", async () => {
    const [first, next] = [new Wire(), new Wire()];
    const { client, states, pass, tries } = await open(first, next);
    const reasons: string[] = [];
    client.onClose((reason) => reasons.push(reason));
    const call = client.list();
    client.close();
    client.close();
    await expect(call).rejects.toMatchObject({ code: "closed" });
    await expect(client.list()).rejects.toMatchObject({ code: "closed" });
    await pass(100_000);
    client.hint("online");
    client.onClose((reason) => reasons.push(`late: ${reason}`));
    const reason = "the client closed the connection";
    expect([reasons, states, tries()]).toEqual([[reason, `late: ${reason}`], [], 1]);
  });

  test("close during an attempt closes the connection it makes", async () => {
    const [first, next] = [new Wire(), new Wire()];
    const { client, states, pass } = await open(first, next);
    const closed: string[] = [];
    next.far.onClose((reason) => closed.push(reason));
    await first.cut();
    const trying = pass(125);
    client.close();
    await trying;
    await settle();
    expect([closed, states.map(({ state }) => state)]).toEqual([
      ["the client closed the connection"],
      ["offline", "reconnecting"],
    ]);
  });

  test("a device that was signed out meanwhile ends it, with what to do", async () => {
    const first = new Wire();
    const signedOut = new RoundtableError("locked", "This device is not signed in here.", { hint: "Use a new link." });
    const refused = Promise.reject(signedOut);
    refused.catch(() => {});
    const { client, pass, tries } = await open(first, refused);
    const reasons: string[] = [];
    client.onClose((reason) => reasons.push(reason));
    await first.cut();
    await pass(125);
    await pass(100_000);
    expect([reasons, tries()]).toEqual([["This device is not signed in here. Use a new link."], 2]);
    await expect(client.list()).rejects.toMatchObject({ code: "locked" });
  });

  test("a host that returns with another protocol version ends it with version_mismatch", async () => {
    const [first, other] = [new Wire(), new Wire({ protocol: 99 })];
    const { client, pass, tries } = await open(first, other);
    const reasons: string[] = [];
    client.onClose((reason) => reasons.push(reason));
    await first.cut();
    const waiting = client.list();
    waiting.catch(() => {});
    await pass(125);
    await expect(waiting).rejects.toMatchObject({ code: "version_mismatch" });
    await pass(100_000);
    expect([reasons.length, tries()]).toEqual([1, 2]);
  });

  test("store and shutdown frames of every connection reach the listeners", async () => {
    const [first, next] = [new Wire(), new Wire()];
    const { client, pass } = await open(first, next);
    const heard: unknown[] = [];
    client.onStore((notice) => heard.push(notice));
    client.onShutdown((reason) => heard.push(reason));
    first.far.send({ frame: "shutdown", reason: "bye" });
    await first.cut();
    await pass(125);
    next.far.send({ frame: "store", sessionId: SESSION, state: "full", message: "no space" });
    await settle();
    expect(heard).toEqual(["bye", { sessionId: SESSION, state: "full", message: "no space" }]);
  });
});

test("the delay before attempt n is random below 250 ms doubled n - 1 times, and below 10 s", () => {
  const attempts = [1, 2, 3, 4, 5, 6, 7, 8, 1_000_000];
  expect(attempts.map((attempt) => retryDelayMs(attempt, 0.999_999))).toEqual([
    249, 499, 999, 1_999, 3_999, 7_999, 9_999, 9_999, 9_999,
  ]);
  expect(attempts.map((attempt) => retryDelayMs(attempt, 0))).toEqual(attempts.map(() => 0));
  expect(retryDelayMs(3, 0.5)).toBe(500);
});
