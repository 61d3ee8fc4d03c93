import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { agentContract } from "../agent.contract.ts";
import { makeDataDir, markedProcesses, removeDataDir } from "../process/start-fake.ts";
import { createFakeClaude } from "./start-claude.ts";

const dataDir = makeDataDir();
afterAll(() => removeDataDir(dataDir));

agentContract("claude", {
  create: () => Promise.resolve(createFakeClaude({ dataDir })),
  createUnable: () => Promise.resolve(createFakeClaude({ dataDir, command: [path.join(dataDir, "nothing-here")] })),
  says: { short: "hello", endless: "a long one", endlessTool: "tool", request: "ask", steerable: "a long one" },
});

agentContract("claude that has forgotten its session", {
  create: () => Promise.resolve(createFakeClaude({ dataDir, nativeSessionId: "forgotten" })),
  createUnable: () => Promise.resolve(createFakeClaude({ dataDir, command: [path.join(dataDir, "nothing-here")] })),
  says: { short: "hello", endless: "a long one", endlessTool: "tool", request: "approve", steerable: "a long one" },
});

test("[A50] after every contract test nothing that it started runs", () => {
  expect(markedProcesses(dataDir)).toEqual([]);
});
