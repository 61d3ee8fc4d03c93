/** Commands of a model inside the sandbox: what they can change, and that nothing of them is left. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { chooseProcessTable } from "../../../src/agents/process/table/choose-process-table.ts";
import { probeSandbox } from "../../../src/agents/sandbox/probe.ts";
import { calls, text } from "../fakes/model-server.ts";
import { scratchTree } from "../scratch-tree.ts";
import { seatOpenAi, type OpenAiTable, type Seating } from "./seat-openai.ts";

const sandbox = { mode: "require", write: [], sockets: [] } as const;
const RULES = [{ tool: "shell", verdict: "allow" }] as const;
const { PATH } = process.env;
const isThere = (await probeSandbox({ PATH, cwd: "/" })).available;
if (!isThere) process.stdout.write("bwrap is missing: commands are not tried in a sandbox\n");

async function seatShell({ seat, deps, ...seating }: Seating = {}): Promise<OpenAiTable> {
  return seatOpenAi({
    ...seating,
    seat: { writable: true, sandbox, ...seat },
    deps: { rules: RULES, env: { PATH, HOME: await scratchTree() }, ...deps },
  });
}

async function runCommand(table: OpenAiTable, command: string, rest: object = {}): Promise<string> {
  table.server.play(calls({ name: "shell", args: { command, ...rest } }), text("done"));
  expect((await table.run("go", `turn-${table.server.asked.length}`)).outcome).toBe("completed");
  return table.server.asked.at(-1)?.messages.at(-1)?.content ?? "";
}

async function running(word: string): Promise<string[]> {
  const processes = chooseProcessTable();
  const commands = await Promise.all((await processes.rows()).map((row) => processes.commandOf(row.pid)));
  return commands.filter((command) => command.includes(word));
}

test.skipIf(!isThere)("a command changes files of the session and nothing else, and says how it ended", async () => {
  const home = await scratchTree({ "kept.txt": "mine" });
  const table = await seatShell({ deps: { rules: RULES, env: { PATH, HOME: home } }, files: { "AGENTS.md": "notes" } });
  expect(table.all("member_guard")).toEqual([{ type: "member_guard", guard: "sandbox" }]);
  expect(await runCommand(table, "echo made > made.txt; cat made.txt; exit 7")).toBe("made\n(exit code 7)");
  expect(existsSync(path.join(table.cwd, "made.txt"))).toBe(true);
  const tries = ["> ~/kept.txt", "touch ~/new.txt", "rm ~/kept.txt", "echo mine >> AGENTS.md", "mv AGENTS.md old.md"];
  for (const command of tries) expect(await runCommand(table, command)).toMatch(/exit code [1-9]/);
  expect(readFileSync(path.join(home, "kept.txt"), "utf8")).toBe("mine");
  expect(readFileSync(path.join(table.cwd, "AGENTS.md"), "utf8")).toBe("notes");
  expect(existsSync(path.join(home, "new.txt"))).toBe(false);
});

test.skipIf(!isThere)("daemons of a command end with it, with its time and with an interrupt", async () => {
  const table = await seatShell();
  const [first, second, third] = [1, 2, 3].map((n) => `8${process.pid}${n}`);
  await runCommand(table, `env -i setsid -f sleep ${first}; echo begun`);
  expect(await running(`sleep ${first}`)).toEqual([]);
  const late = await runCommand(table, `env -i setsid -f sleep ${second}; sleep 60`, { timeout_seconds: 1 });
  expect(late).toContain("Timed out after 1 s.");
  expect(await running(`sleep ${second}`)).toEqual([]);
  table.server.play(calls({ name: "shell", args: { command: `env -i setsid -f sleep ${third}; echo up; sleep 60` } }));
  table.ask("go", "last");
  await expect
    .poll(() =>
      table
        .all("tool_output_delta")
        .map((one) => one.text)
        .join(""),
    )
    .toContain("up");
  table.agent.interrupt();
  await table.next("turn_done", table.events.length - 1);
  await table.agent.close();
  expect(await running(`sleep ${third}`)).toEqual([]);
});

test("where a sandbox is required and there is none, no command is run", async () => {
  const empty = await scratchTree();
  mkdirSync(path.join(empty, "bin"));
  const table = await seatShell({ deps: { rules: RULES, env: { PATH: path.join(empty, "bin"), HOME: empty } } });
  expect(await runCommand(table, "echo > made.txt")).toContain("The command was not run: ");
  expect(existsSync(path.join(table.cwd, "made.txt"))).toBe(false);
  expect(table.all("member_guard").map(({ guard }) => guard)).toEqual(["asks_first"]);
});
