import { expect, test } from "vitest";
import { commandSuggestions } from "./use-completion.tsx";
import { findWebCommand, webCommands } from "./commands.ts";

test("on the page every command is offered, once, under the name of it that is typed, and /stop stops everything as in the terminal", async () => {
  expect(commandSuggestions("sto")).toMatchObject([
    { label: "/stop", fact: "stop everything that runs", value: "/stop" },
  ]);
  expect(commandSuggestions("abo").map(({ value }) => value)).toEqual(["/abort"]);
  expect(commandSuggestions("").map(({ label }) => label)).toEqual(webCommands.map(({ usage }) => usage));
  expect(findWebCommand("abort")).toBe(findWebCommand("stop"));
});
