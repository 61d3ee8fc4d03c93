/** Commands that a model runs: their output, their environment, and that nothing of them is left. */
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { chooseProcessList } from "../../../src/agents/process/list/choose-process-list.ts";
import { createProcessRecords, readProcessRecords } from "../../../src/agents/process/tracking/process-records.ts";
import { parseMarker } from "../../../src/agents/process/tracking/run-marker.ts";
import { calls, text } from "../fakes/model-server.ts";
import { scratchTree } from "../scratch-tree.ts";
import { startOpenAi, type OpenAiProbe, type OpenAiOptions } from "./start-openai.ts";

const RULES = [{ tool: "shell", verdict: "allow" }] as const;

async function startShell(options: OpenAiOptions = {}): Promise<OpenAiProbe> {
  return startOpenAi({
    ...options,
    setup: { writable: true, ...options.setup },
    deps: { rules: RULES, ...options.deps },
  });
}

async function runCommand(probe: OpenAiProbe, command: string, rest: object = {}): Promise<string> {
  probe.server.play(calls({ name: "shell", args: { command, ...rest } }), text("done"));
  expect((await probe.run("go", `turn-${probe.server.requests.length}`)).outcome).toBe("completed");
  return probe.server.requests.at(-1)?.messages.at(-1)?.content ?? "";
}

/** Processes whose command line holds the word. */
async function running(word: string): Promise<string[]> {
  const processes = chooseProcessList();
  const commands = await Promise.all((await processes.rows()).map((row) => processes.commandOf(row.pid)));
  return commands.filter((command) => command.includes(word));
}

let sleeps = 0;
/** A length of sleep that no other test uses, by which its process is found. */
const uniqueSleep = () => `9${process.pid}${++sleeps}`;

test.skipIf(process.platform === "win32")(
  "a command runs in the session's directory, and its output streams and is its result",
  async () => {
    const probe = await startShell({ files: { "a.txt": "hello" } });
    expect(await runCommand(probe, "pwd; cat a.txt; echo oops >&2; exit 3")).toContain("(exit code 3)");
    const [result] = probe.all("tool_result");
    expect([result?.ok, result?.error]).toEqual([false, { code: "tool_error", message: "(exit code 3)" }]);
    const streamed = (name: string) =>
      probe
        .all("tool_output_delta")
        .filter((one) => one.stream === name)
        .map((one) => one.text)
        .join("");
    expect([streamed("stdout"), streamed("stderr")]).toEqual([`${probe.cwd}\nhello`, "oops\n"]);
    expect(await runCommand(probe, "true")).toBe("(no output)");
    expect(await runCommand(probe, "echo whole")).toBe("whole");
    expect(probe.all("tool_result").map(({ truncated }) => truncated)).toEqual([undefined, undefined, undefined]);
  },
);

test.skipIf(process.platform === "win32")(
  "output above the limit is cut in the middle, with how much there was",
  async () => {
    const probe = await startShell({ deps: { limits: { resultBytesMax: 2_000, streamedBytesMax: 4_000 } } });
    const told = await runCommand(probe, "echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last");
    expect(told.startsWith("first\n") && told.endsWith("last")).toBe(true);
    const [result] = probe.all("tool_result");
    expect(result?.truncated?.totalBytes).toBe(3_000_012);
    expect(result?.truncated?.shownBytes).toBeLessThan(2_100);
    const streamed = probe.all("tool_output_delta").reduce((sum, one) => sum + one.text.length, 0);
    expect(streamed).toBeLessThanOrEqual(4_000);
  },
);

test.skipIf(process.platform === "win32")(
  "a command sees the environment without the key and without another secret",
  async () => {
    const secret = {
      MY_API_KEY: "canary-key-1",
      OPENAI_API_KEY: "canary-key-2",
      AWS_SECRET_ACCESS_KEY: "canary-3",
      ROUNDTABLE_TOKEN: "canary-4",
      NODE_OPTIONS: "--canary-5",
      GH_TOKEN: "canary-6",
    };
    const env = { ...secret, PATH: process.env["PATH"], HOME: "/home/x", CI: "1", JAVA_HOME: "/java" };
    const probe = await startShell({ spec: { env: ["MY_API_KEY", "CI", "GH_TOKEN"] }, deps: { env } });
    const told = await runCommand(probe, "env");
    expect(probe.server.requests[0]?.headers.authorization).toBe("Bearer canary-key-1");
    expect(told).not.toContain("canary");
    const names = told.split("\n").map((line) => line.split("=")[0] ?? "");
    expect(names.filter((name) => !["PWD", "OLDPWD", "SHLVL", "_"].includes(name)).sort()).toEqual([
      "AI_AGENT",
      "CI",
      "HOME",
      "JAVA_HOME",
      "PATH",
      "ROUNDTABLE_RUN",
    ]);
    expect(parseMarker(/ROUNDTABLE_RUN=(.*)/.exec(told)?.[1] ?? "")?.member).toBe("local");
  },
);

test.skipIf(process.platform === "win32")(
  "what a command leaves in the background is ended with it, also out of its group",
  async () => {
    const probe = await startShell();
    const [one, other] = [uniqueSleep(), uniqueSleep()];
    const told = await runCommand(probe, `sleep ${one} & setsid sleep ${other} > /dev/null 2>&1 & echo started`);
    expect(told).toMatch(/^started\n\(Ended (?:1 process|\d processes) left running\.\)$/);
    expect([await running(one), await running(other)]).toEqual([[], []]);
  },
);

test.skipIf(process.platform === "win32")(
  "a command over its time limit is killed with its children, with a message",
  async () => {
    const probe = await startShell();
    const word = uniqueSleep();
    const told = await runCommand(probe, `trap '' TERM INT; echo begun; sh -c 'sleep ${word}; true'`, {
      timeout_seconds: 1,
    });
    expect(told).toBe("begun\n(Timed out after 1 s.)");
    expect(await running(word)).toEqual([]);
  },
);

test.skipIf(process.platform === "win32")(
  "an interrupt ends a command and removes its record before the turn ends",
  async () => {
    const dataDir = await scratchTree();
    const records = createProcessRecords({ dataDir, processes: chooseProcessList() });
    const probe = await startShell({ setup: { records } });
    const word = uniqueSleep();
    probe.server.play(
      calls({
        name: "shell",
        args: { command: `echo begun; trap '' TERM; sleep ${word} & setsid sleep ${word} & wait` },
      }),
      text("done"),
    );
    probe.ask("go");
    await probe.next("tool_output_delta");
    await expect.poll(() => readProcessRecords(dataDir).map(({ record }) => record.member)).toEqual(["local"]);
    probe.agent.interrupt();
    await probe.next("turn_done");
    expect(await running(word)).toEqual([]);
    expect(readProcessRecords(dataDir)).toEqual([]);
    expect(probe.all("tool_result").map((one) => one.error?.code)).toEqual(["tool_interrupted"]);
  },
);

test.skipIf(process.platform === "win32")("closing ends a command too", async () => {
  const probe = await startShell();
  const word = uniqueSleep();
  probe.server.play(calls({ name: "shell", args: { command: `echo begun; sleep ${word}` } }));
  probe.ask("go");
  await probe.next("tool_output_delta");
  await probe.agent.close();
  expect(await running(word)).toEqual([]);
});

test.skipIf(process.platform === "win32")("a command has no input to wait for and no terminal", async () => {
  const probe = await startShell();
  expect(await runCommand(probe, "cat; test -t 0 || echo none; touch made-it")).toBe("none");
  expect(existsSync(path.join(probe.cwd, "made-it"))).toBe(true);
});
