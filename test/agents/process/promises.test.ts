import { describe, expect, test } from "vitest";
import { createPsList } from "../../../src/agents/process/list/choose-process-list.ts";
import { CANARIES, nobodyIsLeft, nothingLeaks, turnEndsWithItsProgram } from "./promises.ts";

describe("the promises", () => {
  test("a turn ends soon after its program, even if the pipe is held open", async () => {
    expect(await turnEndsWithItsProgram({})).toEqual([]);
  });

  test("[A50] one second after a member has left, nothing that it started runs", async () => {
    expect(await nobodyIsLeft({})).toEqual([]);
  });

  test("[A50] nor where there is no /proc", async () => {
    expect(await nobodyIsLeft({ processes: createPsList() })).toEqual([]);
  });

  test("[A69] of 20 secrets in our environment none reaches a program whose environment is clean", async () => {
    expect(Object.keys(CANARIES)).toHaveLength(20);
    expect(await nothingLeaks({})).toEqual([]);
  });

  test("[A69] a variable named in the member's env does, except those that are never passed", async () => {
    const env = ["ANTHROPIC_API_KEY", "ROUNDTABLE_TOKEN", "CLAUDECODE", "CODEX_THREAD_ID"];
    expect(await nothingLeaks({ env })).toEqual(["ANTHROPIC_API_KEY"]);
  });
});

describe("the checks notice", () => {
  test("a supervisor that waits for close", async () => {
    expect(await turnEndsWithItsProgram({ defect: "wait-for-close" })).toEqual([
      expect.stringMatching(/^the turn still ran \d+ ms after its program had left$/),
    ]);
  });

  test("a supervisor that kills the group only", async () => {
    expect(await nobodyIsLeft({ defect: "kill-group-only" })).toEqual([
      "forks-a-daemon left: sleep 600",
      "own-session-grandchild left: sleep 600",
    ]);
  });

  test("a supervisor that hands on its environment", async () => {
    expect(await nothingLeaks({ defect: "inherit-environment" })).toContain("AWS_SECRET_ACCESS_KEY");
  });
});
