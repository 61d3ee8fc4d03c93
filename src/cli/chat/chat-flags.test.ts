import { expect, test } from "vitest";
import { failureLine, toFailure } from "../../kit/failure.ts";
import { overrideOf } from "../config/command-line-keys.ts";
import {
  beginsNewSession,
  refuseKeysOfHost,
  refuseQuestionOptions,
  refuseSessionOptions,
  type QuestionFlags,
} from "./chat-flags.ts";

function refusal(flags: QuestionFlags): string {
  try {
    refuseQuestionOptions(flags);
    return "taken";
  } catch (error) {
    return failureLine(toFailure(error));
  }
}

test("--allow, --fork and -m without a question fail with a hint; files are accepted", () => {
  expect([refusal({ allow: ["shell"] }), refusal({ fork: true }), refusal({ model: ["x"] })]).toEqual([
    "roundtable: --allow only applies to a question with -p. In the terminal app you are asked; set approvals.allow to allow it always.\n",
    "roundtable: --fork only applies to a question with -p. In the terminal app, use /fork.\n",
    "roundtable: -m only applies to a question with -p. In the terminal app, use /model.\n",
  ]);
  expect(refusal({ file: ["a.png"], writable: true, name: "x" })).toBe("taken");
});

test.each([
  [{ config: ["council.timeout=5"] }, "--config"],
  [{ maxTurns: 1 }, "--max-turns"],
  [{ maxBudgetUsd: 1 }, "--max-budget-usd"],
  [{ maxTime: 1 }, "--max-time"],
])("%j begins a new session, and goes neither with another one nor with attach", (flags, option) => {
  const given: QuestionFlags = flags;
  expect(beginsNewSession(given, { isAnotherMeant: false })).toBe(true);
  expect(() => beginsNewSession(given, { isAnotherMeant: true })).toThrow(`${option} only applies to a new session`);
  expect(() => refuseSessionOptions(given)).toThrow(`${option} cannot be combined with attach`);
});

test("rules and tool servers are rejected while another process serves the session; other keys are accepted", () => {
  const refuse = (pair: string) => () => refuseKeysOfHost([overrideOf(pair)], "it is elsewhere");
  expect(refuse("approvals.deny=shell")).toThrow(
    "--config approvals.deny has no effect on the session: it is elsewhere",
  );
  expect(refuse('approvals={"ask":["shell"]}')).toThrow("--config approvals has no effect on the session");
  expect(refuse("mcpServers.files.command=x")).toThrow(
    "--config mcpServers.files.command has no effect on the session",
  );
  expect(refuse("council.timeout=5")).not.toThrow();
});

test("a member's environment is rejected there too; variable names are accepted", () => {
  const said = (value: object, origin: string) => () =>
    refuseKeysOfHost([{ path: "agents.claude", value: { kind: "claude", ...value }, origin }], "it is elsewhere");
  const [values, names] = [{ env: { A: "1" } }, { env: ["A"] }];
  expect(said(values, "file:1:1, --config agents.claude.env")).toThrow("--config agents.claude.env has no effect");
  expect(said({ environment: "clean" }, "--config agents.claude")).toThrow("--config agents.claude has no effect");
  expect(said(names, "--config agents.claude.env")).not.toThrow();
  expect(said(values, "file:1:1, --config agents.claude.model")).not.toThrow();
});
