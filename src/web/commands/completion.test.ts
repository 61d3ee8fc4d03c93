import { expect, test } from "vitest";
import { commandSuggestions } from "./use-completion.tsx";
import { findWebCommand, webCommands } from "./commands.ts";

test("on the page every command is offered, once, under the name of it that is typed, and /stop stops everything as in the terminal", async () => {
  expect(commandSuggestions("sto")).toMatchObject([{ label: "/stop", fact: "Stop everyone", value: "/stop" }]);
  expect(commandSuggestions("abo").map(({ value }) => value)).toEqual(["/abort"]);
  expect(commandSuggestions("").map(({ label }) => label)).toEqual(webCommands.map(({ usage }) => usage));
  expect(findWebCommand("abort")).toBe(findWebCommand("stop"));
});

test("what a command does is said as in the terminal: an order of at most 45 characters", () => {
  for (const { name, summary } of webCommands) expect(summary, name).toMatch(/^[A-Z][^.;]{3,44}$/);
});
