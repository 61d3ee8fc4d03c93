import { mkdtempSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { SETTINGS } from "../../../test/generate/drafts.ts";
import { createManualClock } from "../../../test/host/manual-clock.ts";
import { newDataDir, openHost } from "../../../test/host/open-host.ts";
import { created } from "../../../test/log/drafts.ts";
import { stamp } from "../../../test/team/events.ts";
import { newId } from "../../kit/ids.ts";
import { granted, NO_CAPABILITIES, type MemberSpec } from "../../protocol/index.ts";
import type { RunnerFrame } from "../frames.ts";
import type { NodeLink } from "./node-link.ts";
import { Runner, type RunnerOptions, type RunnerState } from "./runner.ts";

const tick = () => new Promise((resolve) => setImmediate(resolve));

/** A connection that the test ends. */
function createLink() {
  const sent: RunnerFrame[] = [];
  const listeners: ((reason: string) => void)[] = [];
  const link: NodeLink = {
    send: (frame) => void sent.push(frame),
    onFrame: () => {},
    onClose: (listener) => void listeners.push(listener),
    close: (reason) => {
      for (const listener of listeners.splice(0)) listener(reason);
    },
  };
  return { link, sent };
}

test("a configuration that cannot be read leaves no connection behind, and is read again", async () => {
  const host = await openHost(newDataDir());
  const clock = createManualClock();
  const links: ReturnType<typeof createLink>[] = [];
  const states: RunnerState[] = [];
  const failure = { reason: "roundtable.json is damaged." as string | undefined };
  const runner = new Runner({
    host,
    dataDir: newDataDir(),
    connect: async () => {
      const one = createLink();
      links.push(one);
      return one.link;
    },
    name: "box",
    version: "0",
    journal: { stateOf: () => "new", begin: async () => {}, end: async () => {}, close: async () => {} },
    isShared: () => false,
    unshared: () => [],
    offers: async () => {
      if (failure.reason !== undefined) throw new Error(failure.reason);
      return [];
    },
    rules: { areMessagesOnly: false, areAnswersOpen: () => false, isOwnerOf: () => false },
    onState: (state) => states.push(state),
    warn: () => {},
    clock,
  });
  await runner.start();
  await expect.poll(() => states).toMatchObject([{ state: "offline", reason: failure.reason }]);
  expect(links).toEqual([]);
  failure.reason = undefined;
  clock.advance(60_000);
  await expect.poll(() => links.flatMap(({ sent }) => sent.map(({ frame }) => frame))).toEqual(["hello"]);
  // One connection is lost, and one is made.
  links[0]?.link.close("the server went away");
  await tick();
  clock.advance(4_000);
  await expect.poll(() => links.length).toBe(2);
  await tick();
  expect(links).toHaveLength(2);
  runner.close();
  await host.close();
});

/** A runner that has connected, and what the server says to it. */
async function startRunner(changed: Partial<RunnerOptions> = {}) {
  const dataDir = newDataDir();
  const host = await openHost(dataDir);
  const states: RunnerState[] = [];
  const { link, sent } = createLink();
  const received = Promise.withResolvers<(frame: unknown) => void>();
  const runner = new Runner({
    host,
    dataDir,
    connect: async () => ({ ...link, onFrame: received.resolve }),
    name: "box",
    version: "0",
    journal: { stateOf: () => "new", begin: async () => {}, end: async () => {}, close: async () => {} },
    isShared: () => false,
    unshared: () => [],
    offers: async () => [],
    rules: { areMessagesOnly: false, areAnswersOpen: () => false, isOwnerOf: () => false },
    onState: (state) => states.push(state),
    warn: () => {},
    clock: createManualClock(),
    ...changed,
  });
  await runner.start();
  const close = async (): Promise<void> => {
    runner.close();
    await host.close();
  };
  return { host, receive: await received.promise, sent, states, close };
}

test("a frame of the server that nests without end ends the connection, and the runner makes another one", async () => {
  const { receive, states, close } = await startRunner();
  const result = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as unknown;
  const command = { type: "answer", commandId: "c", requestId: "r", result };
  receive({ frame: "command", sessionId: "", sender: "ada", command });
  expect(states).toMatchObject([{ state: "offline", reason: expect.stringContaining("does not understand") }]);
  await close();
});

test("why a session could not be started leaves without the paths that are redacted", async () => {
  const { receive, sent, close } = await startRunner({ isRedacted: true });
  receive({ frame: "welcome", runnerId: "r", person: "ada", personId: "p", version: "0" });
  const command = { type: "start", commandId: "c", cwd: path.join(homedir(), "elsewhere"), title: "" };
  receive({ frame: "command", sessionId: "", sender: "ada", command });
  const done = () => sent.find(({ frame }) => frame === "done");
  await expect.poll(done).toMatchObject({
    ack: { commandId: "c", error: { message: "~/elsewhere is not a folder that this machine shares." } },
  });
  await close();
});

test("a copy brings no program, whatever the server says of its members", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "rt-copy-"));
  const scout: MemberSpec = { name: "scout", kind: "embedded", model: "scout" };
  const offers = async () => [{ folder, settings: SETTINGS, members: [scout] }];
  const { host, receive, sent, close } = await startRunner({ offers });
  receive({ frame: "welcome", runnerId: "r", person: "ada", personId: "p", version: "0" });
  const original = newId();
  const spec: MemberSpec = { name: "evil", kind: "acp", command: ["touch", path.join(folder, "owned")] };
  const evil = { type: "member_joined", member: "evil", spec, capabilities: NO_CAPABILITIES } as const;
  const events = [
    stamp(original, 1, 1, created()),
    stamp(original, 2, 1, evil),
    // After the last one that is copied.
    stamp(original, 3, 1, { type: "member_left", member: "evil" }),
  ];
  const answered = new Set<number>();
  const copy = async (commandId: string, members?: MemberSpec[]) => {
    const from = { sessionId: original, seq: 2 };
    const command = { type: "start", commandId, cwd: folder, title: "", from, ...(members && { members }) };
    receive({ frame: "command", sessionId: "", sender: "bob", command });
    const done = () => {
      for (const frame of sent) {
        if (frame.frame !== "read" || answered.has(frame.id)) continue;
        answered.add(frame.id);
        receive({ frame: "page", id: frame.id, events: frame.after.seq === 0 ? events : [] });
      }
      return sent.find((frame) => frame.frame === "done" && frame.command.commandId === commandId);
    };
    await expect.poll(done).toBeDefined();
    const { ack } = done() as Extract<RunnerFrame, { frame: "done" }>;
    return ack;
  };
  expect(await copy("1", [])).toMatchObject({
    ok: false,
    error: { message: "A copy needs a member of this machine." },
  });
  expect(await host.listSessions()).toEqual([]);
  const { sessionId } = granted(await copy("2")).result as { sessionId: string };
  const { members } = await host.readFacts(sessionId);
  expect(members.map(({ name, kind }) => [name, kind])).toEqual([
    ["evil", "embedded"],
    ["scout", "embedded"],
  ]);
  await close();
});
