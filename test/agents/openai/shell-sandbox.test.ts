/** Commands of a model inside the sandbox: what they can change, and that nothing of them is left. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { chooseProcessList } from "../../../src/agents/process/list/choose-process-list.ts";
import { probeSandbox } from "../../../src/agents/sandbox/probe.ts";
import { calls, text } from "../fakes/model-server.ts";
import { scratchTree } from "../scratch-tree.ts";
import { startOpenAi, type OpenAiProbe, type OpenAiOptions } from "./start-openai.ts";

const sandbox = { mode: "require", write: [], sockets: [] } as const;
const RULES = [{ tool: "shell", verdict: "allow" }] as const;
const { PATH } = process.env;
const isThere = (await probeSandbox({ PATH, cwd: "/" })).available;
if (!isThere) process.stdout.write("bwrap is missing: commands are not tried in a sandbox\n");

async function startShell({ setup, deps, ...options }: OpenAiOptions = {}): Promise<OpenAiProbe> {
  return startOpenAi({
    ...options,
    setup: { writable: true, sandbox, ...setup },
    deps: { rules: RULES, env: { PATH, HOME: await scratchTree() }, ...deps },
  });
}

async function runCommand(probe: OpenAiProbe, command: string, rest: object = {}): Promise<string> {
  probe.server.play(calls({ name: "shell", args: { command, ...rest } }), text("done"));
  expect((await probe.run("go", `turn-${probe.server.requests.length}`)).outcome).toBe("completed");
  return probe.server.requests.at(-1)?.messages.at(-1)?.content ?? "";
}

async function running(word: string): Promise<string[]> {
  const processes = chooseProcessList();
  const commands = await Promise.all((await processes.rows()).map((row) => processes.commandOf(row.pid)));
  return commands.filter((command) => command.includes(word));
}

test.skipIf(!isThere)("a command changes files of the session and nothing else, and says how it ended", async () => {
  const home = await scratchTree({ "kept.txt": "mine" });
  const probe = await startShell({
    deps: { rules: RULES, env: { PATH, HOME: home } },
    files: { "AGENTS.md": "notes" },
  });
  expect(probe.all("member_guard")).toEqual([{ type: "member_guard", guard: "sandbox" }]);
  expect(await runCommand(probe, "echo made > made.txt; cat made.txt; exit 7")).toBe("made\n(exit code 7)");
  expect(existsSync(path.join(probe.cwd, "made.txt"))).toBe(true);
  const tries = ["> ~/kept.txt", "touch ~/new.txt", "rm ~/kept.txt", "echo mine >> AGENTS.md", "mv AGENTS.md old.md"];
  for (const command of tries) expect(await runCommand(probe, command)).toMatch(/exit code [1-9]/);
  expect(readFileSync(path.join(home, "kept.txt"), "utf8")).toBe("mine");
  expect(readFileSync(path.join(probe.cwd, "AGENTS.md"), "utf8")).toBe("notes");
  expect(existsSync(path.join(home, "new.txt"))).toBe(false);
});

test.skipIf(!isThere)("daemons of a command end with it, with its time and with an interrupt", async () => {
  const probe = await startShell();
  const [first, second, third] = [1, 2, 3].map((n) => `8${process.pid}${n}`);
  await runCommand(probe, `env -i setsid -f sleep ${first}; echo begun`);
  expect(await running(`sleep ${first}`)).toEqual([]);
  const late = await runCommand(probe, `env -i setsid -f sleep ${second}; sleep 60`, { timeout_seconds: 1 });
  expect(late).toContain("Timed out after 1 s.");
  expect(await running(`sleep ${second}`)).toEqual([]);
  probe.server.play(calls({ name: "shell", args: { command: `env -i setsid -f sleep ${third}; echo up; sleep 60` } }));
  probe.ask("go", "last");
  await expect
    .poll(() =>
      probe
        .all("tool_output_delta")
        .map((one) => one.text)
        .join(""),
    )
    .toContain("up");
  probe.agent.interrupt();
  await probe.next("turn_done", probe.events.length - 1);
  await probe.agent.close();
  expect(await running(`sleep ${third}`)).toEqual([]);
});

test("where a sandbox is required and there is none, no command is run", async () => {
  const empty = await scratchTree();
  mkdirSync(path.join(empty, "bin"));
  const probe = await startShell({ deps: { rules: RULES, env: { PATH: path.join(empty, "bin"), HOME: empty } } });
  expect(await runCommand(probe, "echo > made.txt")).toContain("The command was not run: ");
  expect(existsSync(path.join(probe.cwd, "made.txt"))).toBe(false);
  expect(probe.all("member_guard").map(({ guard }) => guard)).toEqual(["asks_first"]);
});
