/** Commands that a model runs: their output, their environment, and that nothing of them is left. */
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { chooseProcessTable } from "../../../src/agents/process/table/choose-process-table.ts";
import { createProcessRecords, readProcessRecords } from "../../../src/agents/process/tracking/process-records.ts";
import { parseMarker } from "../../../src/agents/process/tracking/run-marker.ts";
import { calls, text } from "../fakes/model-server.ts";
import { scratchTree } from "../scratch-tree.ts";
import { seatOpenAi, type OpenAiTable, type Seating } from "./seat-openai.ts";

const RULES = [{ tool: "shell", verdict: "allow" }] as const;

async function seatShell(seating: Seating = {}): Promise<OpenAiTable> {
  return seatOpenAi({ ...seating, seat: { writable: true, ...seating.seat }, deps: { rules: RULES, ...seating.deps } });
}

async function runCommand(table: OpenAiTable, command: string, rest: object = {}): Promise<string> {
  table.server.play(calls({ name: "shell", args: { command, ...rest } }), text("done"));
  expect((await table.run("go", `turn-${table.server.asked.length}`)).outcome).toBe("completed");
  return table.server.asked.at(-1)?.messages.at(-1)?.content ?? "";
}

/** Processes whose command line holds the word. */
async function running(word: string): Promise<string[]> {
  const processes = chooseProcessTable();
  const commands = await Promise.all((await processes.rows()).map((row) => processes.commandOf(row.pid)));
  return commands.filter((command) => command.includes(word));
}

let words = 0;
/** A length of sleep that no other test uses, by which its process is found. */
const uniqueSleep = () => `9${process.pid}${++words}`;

test.skipIf(process.platform === "win32")(
  "a command runs in the session's directory, and its output streams and is its result",
  async () => {
    const table = await seatShell({ files: { "a.txt": "hello" } });
    expect(await runCommand(table, "pwd; cat a.txt; echo oops >&2; exit 3")).toContain("(exit code 3)");
    const [result] = table.all("tool_result");
    expect([result?.ok, result?.error]).toEqual([false, { code: "tool_error", message: "(exit code 3)" }]);
    const streamed = (name: string) =>
      table
        .all("tool_output_delta")
        .filter((one) => one.stream === name)
        .map((one) => one.text)
        .join("");
    expect([streamed("stdout"), streamed("stderr")]).toEqual([`${table.cwd}\nhello`, "oops\n"]);
    expect(await runCommand(table, "true")).toBe("(no output)");
    expect(await runCommand(table, "echo whole")).toBe("whole");
    expect(table.all("tool_result").map(({ truncated }) => truncated)).toEqual([undefined, undefined, undefined]);
  },
);

test.skipIf(process.platform === "win32")(
  "output above the limit is cut in the middle, with how much there was",
  async () => {
    const table = await seatShell({ deps: { limits: { resultBytesMax: 2_000, streamedBytesMax: 4_000 } } });
    const told = await runCommand(table, "echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last");
    expect(told.startsWith("first\n") && told.endsWith("last")).toBe(true);
    const [result] = table.all("tool_result");
    expect(result?.truncated?.totalBytes).toBe(3_000_012);
    expect(result?.truncated?.shownBytes).toBeLessThan(2_100);
    const streamed = table.all("tool_output_delta").reduce((sum, one) => sum + one.text.length, 0);
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
    const table = await seatShell({ spec: { env: ["MY_API_KEY", "CI", "GH_TOKEN"] }, deps: { env } });
    const told = await runCommand(table, "env");
    expect(table.server.asked[0]?.headers.authorization).toBe("Bearer canary-key-1");
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
    const table = await seatShell();
    const [one, other] = [uniqueSleep(), uniqueSleep()];
    const told = await runCommand(table, `sleep ${one} & setsid sleep ${other} > /dev/null 2>&1 & echo started`);
    expect(told).toMatch(/^started\n\(\d processes left running were ended\.\)$/);
    expect([await running(one), await running(other)]).toEqual([[], []]);
  },
);

test.skipIf(process.platform === "win32")(
  "a command out of time is ended with all its children, and says so",
  async () => {
    const table = await seatShell();
    const word = uniqueSleep();
    const told = await runCommand(table, `trap '' TERM INT; echo begun; sh -c 'sleep ${word}; true'`, {
      timeout_seconds: 1,
    });
    expect(told).toBe("begun\n(Timed out after 1 s.)");
    expect(await running(word)).toEqual([]);
  },
);

test.skipIf(process.platform === "win32")(
  "an interrupt ends a command before the turn is told to be over, and its record goes",
  async () => {
    const dataDir = await scratchTree();
    const records = createProcessRecords({ dataDir, table: chooseProcessTable() });
    const table = await seatShell({ seat: { records } });
    const word = uniqueSleep();
    table.server.play(
      calls({
        name: "shell",
        args: { command: `echo begun; trap '' TERM; sleep ${word} & setsid sleep ${word} & wait` },
      }),
      text("done"),
    );
    table.ask("go");
    await table.next("tool_output_delta");
    await expect.poll(() => readProcessRecords(dataDir).map(({ record }) => record.member)).toEqual(["local"]);
    table.agent.interrupt();
    await table.next("turn_done");
    expect(await running(word)).toEqual([]);
    expect(readProcessRecords(dataDir)).toEqual([]);
    expect(table.all("tool_result").map((one) => one.error?.code)).toEqual(["tool_interrupted"]);
  },
);

test.skipIf(process.platform === "win32")("closing ends a command too", async () => {
  const table = await seatShell();
  const word = uniqueSleep();
  table.server.play(calls({ name: "shell", args: { command: `echo begun; sleep ${word}` } }));
  table.ask("go");
  await table.next("tool_output_delta");
  await table.agent.close();
  expect(await running(word)).toEqual([]);
});

test.skipIf(process.platform === "win32")("a command has no input to wait for and no terminal", async () => {
  const table = await seatShell();
  expect(await runCommand(table, "cat; test -t 0 || echo none; touch made-it")).toBe("none");
  expect(existsSync(path.join(table.cwd, "made-it"))).toBe(true);
});
