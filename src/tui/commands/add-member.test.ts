import { afterEach, expect, test } from "vitest";
import { openSessionScreen, type SessionScreen } from "../../../test/tui/command-screen.ts";
import type { MemberSpec } from "../../protocol/index.ts";
import { completeArguments, runCommandLine } from "./run-command.ts";

let screen: SessionScreen | undefined;
afterEach(() => screen?.close());

const SEATABLE: MemberSpec[] = [
  { name: "judge", kind: "embedded", model: "critic", prompt: "Be brief.", color: "#ff0000" },
  { name: "scout", kind: "embedded", model: "scout" },
];

async function sit() {
  const table = (screen = await openSessionScreen());
  table.state.seatable = SEATABLE;
  const specs = () => Object.values(table.transcript?.head.members ?? {}).map(({ spec }) => spec);
  return { table, specs, isMember: (name: string) => specs().some((spec) => spec.name === name) };
}

test("/add NAME adds a configured or discovered member, and another of its kind under another name", async () => {
  const { table, specs, isMember } = await sit();
  await runCommandLine(table, "/add judge");
  await table.until("judge", () => isMember("judge"));
  expect(specs()).toContainEqual(SEATABLE[0]);
  await runCommandLine(table, "/add @eve judge historian");
  await table.until("eve", () => isMember("eve"));
  expect(specs()).toContainEqual({ ...SEATABLE[0], name: "eve", model: "historian" });
  await runCommandLine(table, "/add nobody");
  expect(table.messages.at(-1)).toMatch(/^There is no agent "nobody"\. Available: judge, scout\. Kinds: claude, /);
  expect(table.state.draft).toBe("/add nobody");
});

test("/add completes names that are not members yet, and after a name all of them", async () => {
  const { table, isMember } = await sit();
  const names = async (prefix: string) => (await completeArguments(table, "add", prefix)).map(({ value }) => value);
  expect(await names("")).toEqual([
    "judge",
    "scout",
    "claude",
    "codex",
    "cursor",
    "pi",
    "opencode",
    "acp",
    "openai",
    "embedded",
  ]);
  await runCommandLine(table, "/add judge");
  await table.until("judge", () => isMember("judge"));
  expect(await names("j")).toEqual([]);
  expect(await names("eve j")).toEqual(["eve judge"]);
  expect(await completeArguments(table, "add", "eve s")).toEqual([
    { value: "eve scout", label: "scout", description: "embedded scout" },
  ]);
});
