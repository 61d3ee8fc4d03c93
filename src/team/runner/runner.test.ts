import { homedir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { createManualClock } from "../../../test/host/manual-clock.ts";
import { newDataDir, openHost } from "../../../test/host/open-host.ts";
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
  const host = await openHost(newDataDir());
  const states: RunnerState[] = [];
  const { link, sent } = createLink();
  const received = Promise.withResolvers<(frame: unknown) => void>();
  const runner = new Runner({
    host,
    dataDir: newDataDir(),
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
  return { receive: await received.promise, sent, states, close };
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
