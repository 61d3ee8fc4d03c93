import { expect, test } from "vitest";
import type { AvailableAgent } from "../store/available-agents.ts";
import { specToAdd } from "./member-commands.ts";
import { wantedAt } from "./use-completion.tsx";

const agent = (name: string, rest: Partial<AvailableAgent> = {}): AvailableAgent => ({
  name,
  kind: "embedded",
  foundBy: "built-in",
  where: "built in",
  canBeSeated: true,
  sitsDown: false,
  ...rest,
});
const here = [
  agent("scout"),
  agent("local", { kind: "openai", baseUrl: "http://127.0.0.1:9/v1" }),
  agent("gemini", { canBeSeated: false, whyNot: "it is too old" }),
];

test("an added member joins as configured, and an unknown one is rejected with the available names", () => {
  expect(specToAdd("local", here, ["scout"])).toEqual({
    name: "local",
    kind: "openai",
    baseUrl: "http://127.0.0.1:9/v1",
  });
  expect(() => specToAdd("scout", here, ["scout"])).toThrow("scout is already a member.");
  expect(() => specToAdd("eve", here, ["scout"])).toThrow('There is no "eve" on this machine. Available: local.');
  expect(() => specToAdd("gemini", here, ["scout", "local"])).toThrow(
    "gemini can't join: it is too old. No other members available.",
  );
});

test("a name is offered behind a command that needs one, and not behind its last letter and a space", () => {
  expect(wantedAt("/add lo", 7)).toMatchObject({ kind: "name", command: "add", word: "lo", from: 5, to: 7 });
  expect(wantedAt("/remove @", 9)).toMatchObject({ kind: "name", command: "remove", word: "", from: 8, to: 9 });
  expect(wantedAt("/add local ", 11)).toBeUndefined();
  expect(wantedAt("/retry lo", 9)).toBeUndefined();
});
