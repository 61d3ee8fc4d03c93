import { expect, test } from "vitest";
import type { Block } from "../../transcript/index.ts";
import { closingLines, openingLines } from "./block-lines.ts";

const request: Extract<Block, { kind: "request" }> = {
  kind: "request",
  requestId: "r1",
  member: "qwen",
  request: {
    method: "approval",
    title: "qwen: Run ls",
    tool: "shell",
    call: JSON.stringify({ args: { command: "ls" }, cwd: "/w", member: "qwen", tool: "shell" }),
    callHash: "h",
    options: [
      { label: "Allow once", value: "once" },
      { label: "Deny", value: "refuse" },
    ],
  },
  state: "answered",
};
const lines = (block: Block) => [...openingLines(block), ...closingLines(block)].map(({ text }) => text);
const answered = (result: string, more: object = {}) => lines({ ...request, ...more, answer: { result, error: null } });

test("a request is printed as one line for the question and one for the outcome", () => {
  expect(answered("once")).toEqual(["◆ asks: $ ls", "  allowed once"]);
  expect(answered("refuse")).toEqual(["◆ asks: $ ls", "  denied"]);
});

test("a call's approval is printed below it; a denied call is not a failure", () => {
  const error = { code: "tool_denied", message: "A rule denies it. Do not try again." } as const;
  const tool: Block = {
    kind: "tool",
    toolCallId: "c1",
    name: "shell",
    args: { command: "ls", env: { A: "1" } },
    state: "error",
    output: "",
    outputDropped: 0,
    error,
    startTs: 0,
  };
  expect(lines(tool)).toEqual(["· shell command=ls env.A=1", "  ⊘ denied: A rule denies it"]);
  const approval = { kind: "denied", text: "denied: use pnpm" } as const;
  expect(lines({ ...tool, approval }).at(-1)).toBe("  ⊘ denied: use pnpm");
  const { error: _error, ...done } = tool;
  const allowed: Block = { ...done, state: "success", approval: { kind: "allowed", text: "allowed once" } };
  expect(lines(allowed).at(-1)).toBe("  ✓ allowed once");
});
