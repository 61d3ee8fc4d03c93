import { expect, test } from "vitest";
import { created, SETTINGS } from "../../../../test/generate/drafts.ts";
import { stamped } from "../../../../test/generate/stamped.ts";
import { createManualClock } from "../../../../test/host/manual-clock.ts";
import type { Client, PlannedSession, StoreNotice } from "../../../client/index.ts";
import { RoundtableError, type Cursor, type SeenAs, type SessionEvent } from "../../../protocol/index.ts";
import { empty, fold, toSnapshot } from "../../../transcript/index.ts";
import { Conversation } from "./conversation.ts";

const introduce = async () => ({
  defaults: { cwd: "/project", settings: SETTINGS, members: [{ name: "ada", kind: "openai" as const }] },
  lines: [],
});

/** A host whose sessions have their id as title; it notes what it is told, and who follows what. */
function pretendHost(...unreadable: string[]) {
  const told: string[] = [];
  const hidden = new Set(unreadable);
  const slow = new Map<string, Promise<void>>();
  const followed = new Map<string, { seq: number; take: (events: readonly SessionEvent[]) => void }>();
  const client = {
    clientId: "me",
    onClose() {},
    onStore() {},
    async snapshot(sessionId: string) {
      await slow.get(sessionId);
      for (const [title, follower] of followed) {
        const renamed = { type: "session_renamed" as const, title: `${title} while ${sessionId} is read` };
        follower.take(stamped([renamed], follower.seq++));
      }
      if (hidden.has(sessionId)) throw new Error(`${sessionId} cannot be read`);
      const { pages: _, ...snapshot } = toSnapshot(
        fold(empty(sessionId), stamped([created({ title: sessionId, memberCount: 0 })])),
      );
      return snapshot;
    },
    async subscribe(sessionId: string, cursor: Cursor, take: (events: readonly SessionEvent[]) => void) {
      if (followed.has(sessionId)) throw new Error(`${sessionId} is followed already`);
      followed.set(sessionId, { seq: cursor.seq, take });
      return { cursor, head: cursor, close: () => void followed.delete(sessionId) };
    },
    async command(sessionId: string, body: { type: string; text?: string }) {
      told.push(`${sessionId} ${body.type} ${body.text ?? ""}`);
      return { commandId: "c", ok: true, seq: 1 };
    },
  };
  return { told, hidden, slow, followed, client: client as unknown as Client };
}

/** Seated there; `returned` are the sessions that came back because another could not be opened. */
async function sitAt({ client }: ReturnType<typeof pretendHost>) {
  const created: string[] = [];
  const plans: PlannedSession[] = [];
  const returned: (string | undefined)[] = [];
  const conversation = new Conversation({
    connect: async () => ({ client, label: "", outlivesScreen: false }),
    createSession: async (_client, text, planned) => {
      plans.push(planned);
      return `new:${created.push(text)}`;
    },
    introduce,
    onChange() {},
    onError() {},
    onBegun() {},
    onReturned: (sessionId) => returned.push(sessionId),
    onLost() {},
  });
  await conversation.connect();
  return { conversation, created, returned, plans };
}

test("what is written before there is a host or a session goes to the session that is then shown", async () => {
  const host = pretendHost("known");
  const connection = Promise.withResolvers<{ client: Client; label: string; outlivesScreen: boolean }>();
  const created: string[] = [];
  const conversation = new Conversation({
    connect: () => connection.promise,
    createSession: async (_client, text) => `new:${created.push(text)}`,
    introduce,
    onChange() {},
    onError() {},
    onBegun() {},
    onLost() {},
  });
  const sent = conversation.send("early", "send");
  const sitting = conversation.connect();
  connection.resolve({ client: host.client, label: "", outlivesScreen: false });
  await sitting;
  expect(host.told).toEqual([]);
  // Following fails here; what is sent does not depend on it.
  await conversation.open("known").catch(() => {});
  await sent;
  expect([host.told, created]).toEqual([["known send early"], []]);
});

test("when a session cannot be opened, the one before is shown as it is by now, gets what is sent, and the other can be picked again", async () => {
  const host = pretendHost("b");
  const { conversation, returned } = await sitAt(host);
  const shown = () => [conversation.sessionId, conversation.transcript?.head.title, [...host.followed.keys()]];
  await conversation.open("a");
  await expect(conversation.open("b")).rejects.toThrow("b cannot be read");
  expect([shown(), returned]).toEqual([["a", "a while b is read", ["a"]], ["a"]]);
  await conversation.send("hello", "send");
  expect(host.told).toEqual(["a send hello"]);
  host.hidden.clear();
  await conversation.open("b");
  expect([shown(), returned]).toEqual([["b", "b", ["b"]], ["a"]]);
});

test("what was said about the store of the session shown is over when it works again", async () => {
  const { client } = pretendHost();
  let report = (_notice: StoreNotice): void => {};
  const seen: string[] = [];
  const conversation = new Conversation({
    connect: async () => {
      const reporting = { ...client, onStore: (listener: typeof report) => (report = listener) };
      return { client: reporting as unknown as Client, label: "", outlivesScreen: false };
    },
    createSession: async () => "",
    introduce,
    onChange() {},
    onError: (message) => seen.push(message),
    onOver: (message) => seen.push(`over: ${message}`),
    onBegun() {},
    onLost() {},
  });
  await conversation.connect();
  await conversation.open("a");
  report({ sessionId: "b", state: "slow", message: "elsewhere" });
  report({ sessionId: "a", state: "slow", message: "The disk is slow." });
  report({ sessionId: "a", state: "full", message: "The disk is full." });
  report({ sessionId: "a", state: "ok", message: "" });
  report({ sessionId: "b", state: "ok", message: "" });
  expect(seen).toEqual([
    "The disk is slow.",
    "over: The disk is slow.",
    "The disk is full.",
    "over: The disk is full.",
  ]);
});

test("of several sessions that were picked at once the last one counts, and a failure of the others takes nothing away", async () => {
  const host = pretendHost("b");
  const { conversation, returned } = await sitAt(host);
  const shown = () => [conversation.sessionId, conversation.transcript?.head.title, [...host.followed.keys()]];
  await conversation.open("a");
  const both = await Promise.allSettled([conversation.open("b"), conversation.open("c")]);
  expect([both.map(({ status }) => status), shown()]).toEqual([
    ["fulfilled", "fulfilled"],
    ["c", "c", ["c"]],
  ]);
  const back = await Promise.allSettled([conversation.open("b"), conversation.open("c")]);
  expect([back.map(({ status }) => status), shown(), returned]).toEqual([
    ["fulfilled", "fulfilled"],
    ["c", "c", ["c"]],
    [],
  ]);
  await Promise.all([conversation.open("d"), conversation.open("d")]);
  expect(shown()).toEqual(["d", "d", ["d"]]);
});

test("a session that was left while it was on its way can be picked again and is followed once", async () => {
  const host = pretendHost();
  const { conversation, returned } = await sitAt(host);
  const gate = Promise.withResolvers<void>();
  host.slow.set("a", gate.promise);
  host.slow.set("b", gate.promise);
  const opening = [conversation.open("a"), conversation.open("b"), conversation.open("a")];
  gate.resolve();
  await Promise.all(opening);
  expect([conversation.sessionId, [...host.followed.keys()], returned]).toEqual(["a", ["a"], []]);
  host.followed
    .get("a")
    ?.take(stamped([{ type: "session_renamed", title: "alive" }], host.followed.get("a")?.seq ?? 0));
  expect(conversation.transcript?.head.title).toBe("alive");
});

test("a session that has begun and could not be followed is followed with the next message, and no other is made", async () => {
  const host = pretendHost("new:1");
  const { conversation, created } = await sitAt(host);
  await conversation.open(undefined);
  await expect(conversation.send("first", "send")).rejects.toThrow("new:1 cannot be read");
  host.hidden.clear();
  await conversation.send("again", "send");
  expect([created, host.told, conversation.transcript?.head.title]).toEqual([["first"], ["new:1 send again"], "new:1"]);
});

test("what is decided before a session begins is what it is created with", async () => {
  const host = pretendHost();
  const { conversation, plans } = await sitAt(host);
  const early = conversation.command({ type: "mute", member: "ada" });
  await conversation.open(undefined);
  await early;
  await conversation.command({ type: "set_settings", settings: { writable: true } });
  await conversation.command({ type: "switch_effort", member: "ada", effort: "high" });
  await conversation.command({ type: "add_member", spec: { name: "bob", kind: "codex" } });
  expect([conversation.planned?.settings.writable, host.told]).toEqual([true, []]);
  await conversation.send("hello", "send");
  await conversation.send("again", "send");
  expect(host.told).toEqual(["new:1 send hello", "new:1 send again"]);
  const settings = { ...SETTINGS, writable: true };
  const members = [
    { name: "ada", kind: "openai", effort: "high" },
    { name: "bob", kind: "codex" },
  ];
  expect(plans).toEqual([{ cwd: "/project", settings, members, muted: ["ada"] }]);
  await conversation.open(undefined);
  expect(conversation.planned).toMatchObject({ settings: SETTINGS, muted: [] });
  expect(await conversation.command({ type: "continue" })).toMatchObject({
    ok: false,
    error: { message: "Send a message first to start a session." },
  });
});

test("a command that comes while the first message creates the session goes to that session", async () => {
  const host = pretendHost();
  const { conversation } = await sitAt(host);
  await conversation.open(undefined);
  await Promise.all([conversation.send("hello", "send"), conversation.command({ type: "mute", member: "ada" })]);
  expect(host.told.toSorted()).toEqual(["new:1 mute ", "new:1 send hello"]);
});

test("what is decided before it is known which session is shown is for that one", async () => {
  const host = pretendHost();
  const { conversation } = await sitAt(host);
  const early = conversation.command({ type: "mute", member: "ada" });
  await conversation.open("one");
  await early;
  expect(host.told).toEqual(["one mute "]);
});

test("the people of a team are read again while a session of it is shown, and no longer once it is left", async () => {
  const { client } = pretendHost();
  const clock = createManualClock();
  const ada = { id: "01J000000000000000000000AD", name: "ada" };
  const read: string[] = [];
  let people = [ada];
  let changes = 0;
  const seenAs = async (sessionId: string): Promise<SeenAs> => {
    read.push(sessionId);
    return { me: ada.id, owner: ada, people };
  };
  const conversation = new Conversation({
    clock,
    connect: async () => ({ client, label: "", outlivesScreen: true, seenAs }),
    createSession: async () => "",
    introduce,
    onChange: () => (changes += 1),
    onError() {},
    onBegun() {},
    onLost() {},
  });
  const minute = async (): Promise<void> => {
    clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await conversation.connect();
  await conversation.open("a");
  const before = changes;
  people = [ada, { id: "01J000000000000000000000B2", name: "bob" }];
  await minute();
  expect([conversation.seenAs?.people, changes]).toEqual([people, before + 1]);
  await conversation.open("b");
  await minute();
  expect(read).toEqual(["a", "a", "b", "b"]);
  conversation.close();
  await minute();
  expect(read).toEqual(["a", "a", "b", "b"]);
});

test("a session that is not there any more, and a connection that is over, are reported in sentences", async () => {
  const { client } = pretendHost();
  const seen: string[] = [];
  let resync = (): void => {};
  let end = (_reason: string): void => {};
  const lasting = {
    ...client,
    state: { state: "online" },
    onState: () => {},
    onClose: (listener: typeof end) => (end = listener),
    async subscribe(_: string, cursor: Cursor, __: unknown, { onResync }: { onResync: () => void }) {
      resync = onResync;
      return { cursor, head: cursor, close: () => {} };
    },
  };
  const conversation = new Conversation({
    connect: async () => ({ client: lasting as unknown as Client, label: "", outlivesScreen: true }),
    createSession: async () => "",
    introduce,
    onChange() {},
    onError: (message) => seen.push(message),
    onBegun() {},
    onLost: ({ message }) => seen.push(message),
  });
  await conversation.connect();
  await conversation.open("a");
  lasting.snapshot = () => Promise.reject(new RoundtableError("unknown_session", "There is no session a."));
  resync();
  await new Promise((resolve) => setImmediate(resolve));
  end("This device is not signed in here.");
  expect(seen).toEqual([
    "This session can no longer be followed: it was deleted, or you no longer have access to it.",
    "This device is not signed in here.",
  ]);
});
