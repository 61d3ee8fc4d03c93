/** What a dialect can rely on beyond single lines: the handshake, the exit as an end, and what outlives a process. */
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import type { Dialect, Known } from "../../../src/agents/process/dialect.ts";
import { createProcessAgent } from "../../../src/agents/process/process-agent.ts";
import { createProcessRecords } from "../../../src/agents/process/tracking/process-records.ts";
import { chooseProcessList } from "../../../src/agents/process/list/choose-process-list.ts";
import { startAgent, type AgentProbe } from "../agent-probe.ts";
import { CAPABILITIES, FAKES, makeDataDir, removeDataDir, shortLimits } from "./start-fake.ts";

interface Program {
  readonly command: string;
  readonly args: (known: Known) => readonly string[];
  readonly lifetime: "member" | "turn";
  readonly idleMs?: number;
}

async function start<State>(
  dialect: Dialect<State>,
  { command, args, lifetime, idleMs = 60_000 }: Program,
): Promise<AgentProbe> {
  const dataDir = makeDataDir();
  const records = createProcessRecords({ dataDir, processes: chooseProcessList() });
  const launch = { command, args, cwd: dataDir, env: [], lifetime };
  const limits = { ...shortLimits, idleMs };
  const probe = await startAgent(
    createProcessAgent({ member: "ada", capabilities: CAPABILITIES, dialect, launch, records, limits }),
  );
  onTestFinished(async () => {
    await probe.agent.close();
    removeDataDir(dataDir);
  });
  return probe;
}

/** A plain filter such as `cat`: the prompt is its whole input, its output is the answer, its exit is the end. */
const filterDialect: Dialect<null> = {
  begin: () => ({ state: null }),
  parse: (state, line) => ({ state, events: [{ type: "text_delta", text: line }] }),
  encodeTurn: (state, { text }) => ({ state, write: [text], endInput: true }),
  exited: (state, { code }) => ({ state, events: code === 0 ? [{ type: "turn_over", outcome: "completed" }] : [] }),
};

test("a program whose exit ends the turn gets its prompt as its whole input", async () => {
  const probe = await start(filterDialect, { command: "cat", args: () => [], lifetime: "turn" });
  expect(await probe.run("one\ntwo")).toEqual({ type: "turn_done", turnId: "turn-1", outcome: "completed" });
  expect(probe.all("text_delta").map((event) => event.text)).toEqual(["one", "two"]);
  const failing = await start(filterDialect, { command: "false", args: () => [], lifetime: "turn" });
  expect(await failing.run("one")).toMatchObject({ outcome: "errored", reason: "crashed" });
});

test("a turn is sent only after the program has said that it is ready", async () => {
  const shaking: Dialect<boolean> = {
    begin: () => ({ state: false, events: [{ type: "not_ready" }], write: ["hello\n"] }),
    parse: (isReady, line) =>
      isReady
        ? {
            state: true,
            events: [
              { type: "text_delta", text: line },
              { type: "turn_over", outcome: "completed" },
            ],
          }
        : { state: true, events: [{ type: "ready" }], write: ["thanks\n"] },
    encodeTurn: (state, { text }) => ({ state, write: [`${String(state)} ${text}\n`] }),
  };
  const script = 'read a; sleep 0.2; echo "ready"; read b; read c; echo "$a, $b, $c"; read d';
  const probe = await start(shaking, { command: "sh", args: () => ["-c", script], lifetime: "member" });
  await probe.run("go");
  expect(probe.text()).toBe("hello, thanks, true go");
});

test("the native session id is given to the next process, unless it could pass for a flag", async () => {
  const told: (string | undefined)[] = [];
  const sessionDialect: Dialect<null> = {
    begin: () => ({ state: null }),
    parse: (state, line) => {
      const { session } = JSON.parse(line) as { session: string };
      return {
        state,
        events: [
          { type: "member_session", nativeSessionId: session },
          { type: "turn_over", outcome: "completed" },
        ],
      };
    },
    encodeTurn: (state, { text }) => ({ state, write: [`${text}\n`], endInput: true }),
  };
  const args = ({ nativeSessionId }: Known): string[] => {
    told.push(nativeSessionId);
    return [];
  };
  const probe = await start(sessionDialect, { command: "cat", args, lifetime: "turn" });
  await probe.run('{"session":"--dangerous"}', "1");
  await probe.run('{"session":"abc-123"}', "2");
  await probe.run('{"session":"abc-123"}', "3");
  expect(told).toEqual([undefined, undefined, "abc-123"]);
});

test("[A57] a dialect that throws costs its line, not the turn", async () => {
  const clumsy: Dialect<null> = {
    ...filterDialect,
    parse: (state, line) => {
      if (line === "bad") throw new Error("clumsy");
      return { state, events: [{ type: "text_delta", text: line }] };
    },
  };
  const probe = await start(clumsy, { command: "cat", args: () => [], lifetime: "turn" });
  expect(await probe.run("one\nbad\ntwo\n")).toMatchObject({ outcome: "completed" });
  expect(probe.text()).toBe("onetwo");
  expect(probe.all("warning").map(({ code, detail }) => ({ code, detail }))).toEqual([
    { code: "unreadable_line", detail: "bad" },
  ]);
});

test("a dialect or launch that fails permanently ends the turn errored, and the agent stays usable", async () => {
  const broken = (): never => {
    throw new Error("no arguments today");
  };
  const probe = await start(filterDialect, { command: "cat", args: broken, lifetime: "turn" });
  expect(await probe.run("one", "1")).toMatchObject({ outcome: "errored", reason: "internal" });
  expect(await probe.run("one", "2")).toMatchObject({ outcome: "errored" });
});

test("turns of one process leave nothing of them in memory", async () => {
  const echo: Dialect<null> = {
    begin: () => ({ state: null }),
    parse: (state) => ({ state, events: [{ type: "turn_over", outcome: "completed" }] }),
    encodeTurn: (state) => ({ state, write: ["x\n"] }),
  };
  const probe = await start(echo, {
    command: process.execPath,
    args: () => [path.join(FAKES, "echoes-lines.mjs")],
    lifetime: "member",
  });
  for (let count = 0; count < 50; count++) await probe.run(bigText(), `turn-${count}`);
  const before = heldBytes();
  for (let count = 0; count < 100; count++) await probe.run(bigText(), `later-${count}`);
  expect(probe.all("turn_done")).toHaveLength(150);
  // The texts of the later turns are 30 MB.
  expect(heldBytes() - before).toBeLessThan(15_000_000);
});

/** What is in use, without what only waits to be collected. */
function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

/** A string of its own memory each time. */
function bigText(): string {
  return Buffer.alloc(300_000, "x").toString("latin1");
}
