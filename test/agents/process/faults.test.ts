/** Each fake agent, under the supervisor: what comes up, and that nobody is left. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test, type TestContext } from "vitest";
import type { AgentEvent } from "../../../src/agents/index.ts";
import { processLimits } from "../../../src/agents/process/limits.ts";
import { createHandClock, type HandClock } from "../hand-clock.ts";
import { settle } from "../agent-probe.ts";
import { impatient, markedProcesses, startFake, survivors, type FakeOptions, type FakeProbe } from "./start-fake.ts";

/** Seats the fake for one test; whatever the test does, nobody may be left after it. */
async function start(
  options: FakeOptions,
  context: Pick<TestContext, "onTestFinished"> = { onTestFinished },
): Promise<FakeProbe> {
  const started = await startFake(options);
  context.onTestFinished(async () => {
    await started.agent.close();
    expect(await survivors(started.dataDir)).toEqual([]);
    await started.leave();
  });
  return started;
}

function warnings(events: readonly AgentEvent[]): { code: string; detail?: string | undefined }[] {
  return events.flatMap((event) => (event.type === "warning" ? [{ code: event.code, detail: event.detail }] : []));
}

const STEP_MS = 50;

/** Moves the clock, as long as somebody waits for it, until nobody carries the mark of the directory. */
async function passTimeUntilGone(clock: HandClock, dataDir: string): Promise<void> {
  for (const { pid } of markedProcesses(dataDir)) {
    while (isAlive(pid)) {
      if (clock.waiting() > 0) clock.advance(STEP_MS);
      await settle();
    }
  }
  expect(markedProcesses(dataDir)).toEqual([]);
}

/** One that has ended, and was not collected yet, has no environment any more. */
function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`).length > 0;
  } catch {
    // Nobody has that number any more.
    return false;
  }
}

describe.concurrent("a program that will not go", () => {
  test("a one-turn program that does not exit after its answer is killed, and its turn is complete", async (context) => {
    const fake = await start({ fake: "never-exits", lifetime: "turn", limits: impatient }, context);
    expect(await fake.run("hello")).toEqual({ type: "turn_done", turnId: "turn-1", outcome: "completed" });
    expect(fake.text()).toBe("my answer");
    expect(markedProcesses(fake.dataDir)).toEqual([]);
  });

  test("[A52] an unresponsive program: the turn is interrupted within 200 ms, the kill sequence ends the program", async (context) => {
    const clock = createHandClock();
    const fake = await start({ fake: "ignores-signals", limits: impatient, clock }, context);
    fake.ask("hello");
    await fake.next("text_delta");
    fake.agent.interrupt();
    await settle();
    clock.advance(150);
    expect(fake.all("turn_done")).toMatchObject([{ outcome: "interrupted", reason: "interrupted" }]);
    expect(markedProcesses(fake.dataDir)).toHaveLength(1);
    await passTimeUntilGone(clock, fake.dataDir);
    expect(clock.monotonic()).toBe(3 * 150);
  });

  test("[A52] with its real limits the kill sequence ends an unresponsive program within 7 s", async (context) => {
    const clock = createHandClock();
    const fake = await start(
      { fake: "ignores-signals", limits: { killSequence: processLimits.killSequence }, clock },
      context,
    );
    fake.ask("hello");
    await fake.next("text_delta");
    fake.agent.interrupt();
    await settle();
    await passTimeUntilGone(clock, fake.dataDir);
    expect(clock.monotonic()).toBe(6_000);
    // By then it was killed; what the system may take after that is the rest.
    expect(processLimits.killSequence.sigkillMs).toBe(1_000);
  });

  test("[A52] a turn sent while the one before is still being stopped waits, and is answered by a new process", async (context) => {
    const fake = await start({ fake: "slow", isDeafToProtocol: true }, context);
    fake.ask("1000");
    await fake.next("text_delta");
    fake.agent.interrupt();
    await fake.next("turn_done");
    const from = fake.events.length;
    fake.ask("2", "turn-2");
    const end = await fake.next("turn_done", from);
    expect(end).toEqual({ type: "turn_done", turnId: "turn-2", outcome: "completed" });
    expect(fake.events.slice(from).filter((event) => event.type === "text_delta")).toHaveLength(2);
  });

  test("a program that obeys its protocol's interrupt keeps running and serves the next turn", async (context) => {
    const fake = await start({ fake: "slow", clock: createHandClock() }, context);
    fake.ask("1000");
    await fake.next("text_delta");
    const [before] = markedProcesses(fake.dataDir);
    fake.agent.interrupt();
    await fake.next("turn_done");
    await fake.run("1", "turn-2");
    expect(markedProcesses(fake.dataDir)).toEqual([before]);
    expect(fake.all("turn_done").map((end) => end.outcome)).toEqual(["interrupted", "completed"]);
  });

  test("[A52] a stopped (SIGSTOP) program can be interrupted and is ended", async (context) => {
    const fake = await start({ fake: "slow", limits: impatient }, context);
    fake.ask("1000");
    await fake.next("text_delta");
    for (const { pid } of markedProcesses(fake.dataDir)) process.kill(pid, "SIGSTOP");
    fake.agent.interrupt();
    expect(await fake.next("turn_done")).toMatchObject({ outcome: "interrupted" });
    expect(await survivors(fake.dataDir)).toEqual([]);
  });
});

describe("pipes", () => {
  test("a program that closes its output and keeps running ends its turn errored, without a busy loop", async () => {
    const fake = await start({ fake: "closes-stdout", limits: { ...impatient, drainMs: 1_500 } });
    fake.ask("hello");
    await fake.next("text_delta");
    const before = process.cpuUsage();
    const end = await fake.next("turn_done");
    const { user, system } = process.cpuUsage(before);
    expect(end).toMatchObject({ outcome: "errored", reason: "output_closed" });
    expect((user + system) / 1000).toBeLessThan(500);
  });

  test("a program that closes its input: the broken pipe is handled and the turn ends errored", async () => {
    const fake = await start({ fake: "closes-stdin", limits: impatient });
    expect(await fake.run("x".repeat(3_000_000))).toMatchObject({ outcome: "errored", reason: "input_closed" });
  });

  test("a program that closes its input and exits has crashed, also while another process holds its pipes", async () => {
    const clock = createHandClock();
    const script = "exec 0<&-; while [ ! -e may-leave ]; do sleep 0.02; done; sleep 600 & exit 3";
    const launch = { command: "sh", args: () => ["-c", script] };
    const fake = await start({ fake: "none", launch, clock, limits: { drainMs: 300 } });
    fake.ask("x".repeat(3_000_000));
    const waiters = async (count: number) => {
      while (clock.waiting() !== count) await settle();
    };
    // The two limits of the turn, and the time to leave that began with the broken pipe.
    await waiters(3);
    clock.advance(200);
    writeFileSync(path.join(fake.dataDir, "may-leave"), "");
    // It has left, and each of its two pipes may be held for a while.
    await waiters(5);
    clock.advance(100);
    await waiters(4);
    clock.advance(200);
    expect(await fake.next("turn_done")).toMatchObject({
      reason: "crashed",
      error: { message: "fake exited before its answer was complete (exit code 3)." },
    });
  });

  test("[A62] a prompt of 2 MB and one of hostile text arrive byte for byte, and never as an argument", async () => {
    const fake = await start({ fake: "shows-what-it-got" });
    const prompts = [
      "--dangerously-skip-permissions",
      "-p; rm -rf / $(id) `id` 'x' \"y\" \\ \r\n\u2028\u0000\u001b[2J ß€😀",
      "ü".repeat(1_000_000),
    ];
    for (const [at, prompt] of prompts.entries()) {
      const from = fake.events.length;
      await fake.run(prompt, `turn-${at}`);
      const said = fake.events.slice(from).flatMap((event) => (event.type === "text_delta" ? [event.text] : []));
      const got: unknown = JSON.parse(said.join(""));
      expect(got).toMatchObject({ argv: [] });
      expect((got as { text: string }).text === prompt).toBe(true);
    }
  });
});

describe("what a program leaves behind", () => {
  test("a daemon is killed when the turn ends, while the program keeps running", async (context) => {
    const fake = await start({ fake: "forks-a-daemon" }, context);
    expect(await fake.run("hello")).toMatchObject({ outcome: "completed" });
    expect(markedProcesses(fake.dataDir).map((one) => path.basename(one.command))).toEqual(["forks-a-daemon.mjs"]);
  });

  test("a daemon of a one-turn program is killed when the turn ends", async (context) => {
    const fake = await start({ fake: "forks-a-daemon", lifetime: "turn" }, context);
    expect(await fake.run("hello")).toMatchObject({ outcome: "completed" });
    expect(markedProcesses(fake.dataDir)).toEqual([]);
  });

  test.for(["member", "turn"] as const)(
    "what was declared background work outlives its turn, and ends when the member leaves (%s)",
    async (lifetime, context) => {
      const fake = await start({ fake: "starts-a-server", lifetime }, context);
      await fake.run("background please", "turn-1");
      const kept = Number(fake.text().split(" ")[1]);
      expect(markedProcesses(fake.dataDir).map((one) => one.pid)).toContain(kept);
      await fake.run("another", "turn-2");
      const commands = markedProcesses(fake.dataDir).filter((one) => one.command === "sleep 600");
      expect(commands).toEqual([{ pid: kept, command: "sleep 600" }]);
    },
  );

  test("the agent's own helper processes do not count as started by a turn", async (context) => {
    const fake = await start(
      { fake: "starts-a-server", launch: { isHelper: (command) => command === "sleep 600" } },
      context,
    );
    await fake.run("one");
    expect(markedProcesses(fake.dataDir).filter((one) => one.command === "sleep 600")).toHaveLength(1);
  });

  test("what a turn started in the program's own group lives on when the tools lead groups of their own, until the member leaves", async (context) => {
    const servers = (dataDir: string) => markedProcesses(dataDir).filter((one) => one.command === "sleep 600");
    const known = await start({ fake: "starts-a-server", launch: { doToolsLeadGroups: true } }, context);
    await known.run("a helper", "turn-1");
    const [helper] = servers(known.dataDir);
    expect(known.text()).toBe(`server ${helper?.pid}`);
    await known.run("a tool", "turn-2");
    expect(servers(known.dataDir)).toEqual([helper]);
    await known.agent.close();
    expect(await survivors(known.dataDir)).toEqual([]);
    const unknown = await start({ fake: "starts-a-server" }, context);
    await unknown.run("a helper");
    expect(servers(unknown.dataDir)).toEqual([]);
  });

  test("a grandchild that holds the pipe does not hold the turn when the answer is there", async (context) => {
    const fake = await start(
      { fake: "own-session-grandchild", lifetime: "turn", limits: { drainMs: 20_000 } },
      context,
    );
    expect(await fake.run("with result")).toMatchObject({ outcome: "completed" });
    expect(fake.text()).toBe("last words");
    expect(markedProcesses(fake.dataDir)).toEqual([]);
  });
});

describe.concurrent("a program that dies or cannot start", () => {
  test("[A57] a crash in mid-line ends the turn errored with the reason and sanitised stderr", async (context) => {
    const fake = await start({ fake: "dies-mid-line", clock: createHandClock() }, context);
    expect(await fake.run("hello")).toEqual({
      type: "turn_done",
      turnId: "turn-1",
      outcome: "errored",
      reason: "crashed",
      error: {
        code: "crashed",
        message: "fake exited before its answer was complete (exit code 1).",
        hint: "Run its command in a terminal to check that it works, then ask again.",
        detail: "panic: out of cheese^G",
        exitCode: 1,
      },
    });
    expect(fake.text()).toBe("so far so good");
    expect(warnings(fake.events)).toEqual([{ code: "unfinished_line", detail: '{"say":"and then' }]);
  });

  test("a program that is not logged in fails with the login command, and no secret is printed", async (context) => {
    const dies = (line: string): Promise<FakeProbe> => {
      const script = `console.error(${JSON.stringify(line)} + process.env.FAKE_API_KEY); process.exit(1);`;
      const launch = { args: () => ["-e", script], setEnv: { FAKE_API_KEY: "sk-not-for-screens" } };
      return start({ fake: "answers", launch: { ...launch, loginHint: 'Run "fake login".' } }, context);
    };
    const loggedOut = await dies("boom: not logged in, key ");
    expect((await loggedOut.run("hello")).error).toEqual({
      code: "crashed",
      message: "fake exited before its answer was complete (exit code 1).",
      hint: 'fake is not logged in. Run "fake login".',
      detail: "boom: not logged in, key •••",
      exitCode: 1,
    });
    const unset = await dies("Missing environment variable: `AZURE_OPENAI_API_KEY`. ");
    expect((await unset.run("hello")).error?.hint).toBe(
      "Set AZURE_OPENAI_API_KEY in the terminal that starts Roundtable. If it is set there, add it to agents.fake.env in the configuration.",
    );
  });

  test("[A57] a program killed from outside ends its turn errored, and the next turn starts a new one", async (context) => {
    const fake = await start({ fake: "slow", clock: createHandClock() }, context);
    fake.ask("1000");
    await fake.next("text_delta");
    for (const { pid } of markedProcesses(fake.dataDir)) process.kill(pid, "SIGKILL");
    const end = await fake.next("turn_done");
    expect(end.error?.message).toBe("fake exited before its answer was complete (signal SIGKILL).");
    expect(await fake.run("1", "turn-2")).toMatchObject({ turnId: "turn-2", outcome: "completed" });
  });

  test("a crash loop is stopped after 3 starts in 60 s, with an error", async (context) => {
    const fake = await start({ fake: "crash-loop", clock: createHandClock() }, context);
    const ends = [];
    for (const turnId of ["1", "2", "3", "4", "5"]) ends.push(await fake.run("hello", turnId));
    expect(ends.map((end) => end.reason)).toEqual(["crashed", "crashed", "crashed", "crash_loop", "crash_loop"]);
    expect(ends[0]?.error?.detail).toBe("cannot find my configuration");
    expect(ends[3]?.error?.message).toMatch(
      /^fake was started 3 times in 60 s and exited each time\. Try again in \d+ s\.$/,
    );
    expect(ends[3]?.error).toMatchObject({ detail: "cannot find my configuration", exitCode: 3 });
  });

  test("turns that end well, and interrupts, do not use up the budget", async (context) => {
    const fake = await start({ fake: "answers", lifetime: "turn" }, context);
    for (const turnId of ["1", "2", "3", "4", "5"]) {
      expect(await fake.run("hello", turnId)).toMatchObject({ outcome: "completed" });
    }
  });

  test("a program that is missing, a directory or not executable ends the turn errored with the reason", async (context) => {
    const { dataDir } = await start({ fake: "answers" }, context);
    mkdirSync(path.join(dataDir, "folder"));
    writeFileSync(path.join(dataDir, "text"), "no program");
    chmodSync(path.join(dataDir, "text"), 0o600);
    const ends = [];
    for (const command of [
      "no-such-agent-anywhere",
      path.join(dataDir, "folder"),
      path.join(dataDir, "text"),
      "./here",
    ]) {
      const fake = await start({ fake: "answers", dataDir, launch: { command } }, context);
      ends.push((await fake.run("hello")).error);
    }
    const hint = 'See "roundtable agents" for available agents.';
    const text = path.join(dataDir, "text");
    expect(ends).toEqual([
      {
        code: "not_found",
        message:
          'fake did not start: "no-such-agent-anywhere" was not found on PATH. Install it, or give its absolute path.',
        hint,
      },
      {
        code: "not_found",
        message: `fake did not start: ${path.join(dataDir, "folder")} is a directory, not a program. Give the path of the program itself.`,
        hint,
      },
      {
        code: "not_found",
        message: `fake did not start: ${text} is not executable. Run chmod +x on it, or install it again.`,
        hint,
      },
      {
        code: "not_found",
        message:
          'fake did not start: "./here" is a relative path. Give an absolute path or a bare name that is on PATH.',
        hint,
      },
    ]);
  });

  test("a start that the system refuses is an errored turn with the reason", async (context) => {
    const noProgram = await start({ fake: "answers", launch: { cwd: "/no/such/place" } }, context);
    const tooMuch = await start({ fake: "answers", launch: { args: () => ["x".repeat(3_000_000)] } }, context);
    expect((await noProgram.run("hello")).error?.message).toMatch(
      /^fake did not start: the program or its working directory does not exist .* ENOENT\)\.$/,
    );
    expect((await tooMuch.run("hello")).error?.message).toMatch(
      /^fake did not start: its arguments and environment are too large .* E2BIG\)\.$/,
    );
  });

  test("an executable of another platform ends the turn errored", async (context) => {
    const fake = await start({ fake: "answers" }, context);
    const file = path.join(fake.dataDir, "wrong-arch");
    writeFileSync(file, Buffer.concat([Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]), Buffer.alloc(200, 0x99)]));
    chmodSync(file, 0o700);
    const other = await start({ fake: "answers", dataDir: fake.dataDir, launch: { command: file } }, context);
    expect(await other.run("hello")).toMatchObject({ outcome: "errored" });
  });
});

describe.concurrent("what a program writes", () => {
  test("valid text is exact, also split at every byte", async (context) => {
    const fake = await start({ fake: "split-at-every-byte" }, context);
    await fake.run("hello");
    expect(fake.all("text_delta")).toEqual([{ type: "text_delta", text: "ß € 😀 ü" }]);
    expect(warnings(fake.events)).toEqual([]);
  });

  test("only bytes that were bad become U+FFFD; CRLF, a byte order mark and U+2028 do no harm", async (context) => {
    const fake = await start({ fake: "bad-utf8" }, context);
    await fake.run("hello");
    expect(fake.all("text_delta").map((event) => event.text)).toEqual([
      "a\ufffd\ufffdb",
      "\ufffd@",
      "\ufffd",
      "lone \ud83d half",
      "line\u2028separator",
      "good ✓",
    ]);
    expect(warnings(fake.events)).toEqual([{ code: "unreadable_line", detail: '{"say":"\u0000"}' }]);
  });

  test("unreadable lines are kept and shown, 20 one by one and the rest as a number; the protocol is warned of once", async (context) => {
    const fake = await start({ fake: "noise-between-lines" }, context);
    expect(await fake.run("50")).toMatchObject({ outcome: "completed" });
    expect(fake.text()).toBe("one two");
    const told = warnings(fake.events);
    expect(told.slice(0, 4)).toEqual([
      { code: "unreadable_line", detail: "Welcome to NoisyAgent 1.0!" },
      { code: "unreadable_line", detail: "\u001b[2J\u001b]0;owned\u0007npm WARN deprecated" },
      { code: "protocol", detail: '{"surprise":1,"turn":"turn-1"}' },
      { code: "unreadable_line", detail: "noise 0" },
    ]);
    expect(told.filter((one) => one.code === "unreadable_line")).toHaveLength(20);
    expect(told.filter((one) => one.code === "protocol")).toHaveLength(1);
    expect(fake.all("warning").at(-1)?.message).toBe("fake wrote 32 more lines that are not part of its protocol.");
  });

  test("lines in the wrong order: tools begin once and end once, the turn ends once", async (context) => {
    const fake = await start({ fake: "wrong-order", lifetime: "turn" }, context);
    await fake.run("hello");
    const order = fake.events.map((event) => event.type);
    expect(order.filter((type) => type !== "warning")).toEqual([
      "tool_call_start",
      "tool_result",
      "text_delta",
      "turn_done",
    ]);
    expect(warnings(fake.events)).toEqual([
      { code: "protocol", detail: '{"result":"out of nowhere","id":"t1","turn":"turn-1"}' },
    ]);
    expect(fake.text()).toBe("answer");
  });

  test("output outside a turn is warned of once and joins no turn", async (context) => {
    const fake = await start({ fake: "wrong-order" }, context);
    await fake.run("one", "turn-1");
    await fake.run("two", "turn-2");
    expect(fake.all("turn_done").map(({ turnId, outcome }) => [turnId, outcome])).toEqual([
      ["turn-1", "completed"],
      ["turn-2", "completed"],
    ]);
    expect(fake.text()).toBe("answeranswer");
  });
});

describe.concurrent("time", () => {
  test("[A66] a silent program is warned of, then stopped, and its turn ends errored", async (context) => {
    const limits = { ...impatient, silenceWarnMs: 600, silenceMs: 1_800 };
    const fake = await start({ fake: "silent", limits }, context);
    const end = await fake.run("hello");
    expect(end).toMatchObject({ outcome: "errored", reason: "silent" });
    expect(end.error?.message).toMatch(/^fake produced no output for \d+(\.\d)? s and was stopped\.$/);
    expect(warnings(fake.events)).toEqual([{ code: "silent", detail: undefined }]);
    expect(await survivors(fake.dataDir)).toEqual([]);
  });

  test("the warning of silence includes the last line of output", async (context) => {
    const script = `process.stderr.write("waiting for the provider\\n"); setInterval(() => {}, 1000);`;
    const limits = { ...impatient, silenceWarnMs: 600, silenceMs: 60_000 };
    const fake = await start({ fake: "answers", limits, launch: { args: () => ["-e", script] } }, context);
    fake.ask("hello");
    expect(await fake.next("warning")).toMatchObject({ code: "silent", detail: "waiting for the provider" });
  });

  test("[A66] a program with occasional output is not silent, however long it takes", async (context) => {
    const clock = createHandClock();
    const fake = await start({ fake: "answers", clock, limits: { silenceWarnMs: 1_500, silenceMs: 2_000 } }, context);
    fake.ask("a long one");
    for (let word = 0; word < 10; word++) {
      const from = fake.events.length;
      await fake.next("text_delta", word === 0 ? 0 : from);
      clock.advance(1_400);
      fake.agent.send({ kind: "steer", messageId: `m${word}`, text: "and" });
    }
    expect(fake.all("turn_done")).toEqual([]);
    expect(warnings(fake.events)).toEqual([]);
  });

  test("[A66] a turn that takes longer than the total limit is stopped", async (context) => {
    const fake = await start({ fake: "slow", limits: { totalMs: 400 } }, context);
    expect(await fake.run("1000")).toMatchObject({ outcome: "errored", reason: "too_long" });
  });

  test("waiting for the user's answer is no silence, and the answer reaches the program", async (context) => {
    const clock = createHandClock();
    const limits = { silenceWarnMs: 1_000, silenceMs: 1_500 };
    const fake = await start({ fake: "asks-and-waits", clock, limits }, context);
    fake.ask("hello");
    const { callId } = await fake.next("request");
    for (const ms of [1_000, 1_500, 5_000]) clock.advance(ms);
    await settle();
    expect(fake.events.map(({ type }) => type)).toEqual(["request"]);
    fake.agent.answer(callId, { result: null, error: "expired" });
    expect(await fake.next("turn_done")).toMatchObject({ outcome: "completed" });
    expect(fake.text()).toBe('answer: null, error: "expired"');
  });

  test("an idle program is stopped after the idle time, and the next turn starts it again", async (context) => {
    const fake = await start({ fake: "answers", limits: { idleMs: 100 } }, context);
    await fake.run("one", "turn-1");
    expect(await survivors(fake.dataDir)).toEqual([]);
    expect(await fake.run("two", "turn-2")).toMatchObject({ turnId: "turn-2", outcome: "completed" });
  });

  test("an eager program runs before its first turn and serves many turns", async (context) => {
    const fake = await start({ fake: "answers", launch: { isEager: true } }, context);
    const before = markedProcesses(fake.dataDir);
    expect(before).toHaveLength(1);
    await fake.run("one", "turn-1");
    await fake.run("two", "turn-2");
    expect(markedProcesses(fake.dataDir)).toEqual(before);
  });
});
