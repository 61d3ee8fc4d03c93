import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { agentContract } from "../agent.contract.ts";
import { makeDataDir, markedProcesses, removeDataDir } from "../process/start-fake.ts";
import { createAcpFake } from "./start-acp-fake.ts";

const dataDir = makeDataDir();
afterAll(() => removeDataDir(dataDir));

const says = { short: "hello", endless: "a long one", endlessTool: "tool", request: "ask", steerable: null };
const missing = [path.join(dataDir, "nothing-here"), "acp"];

for (const kind of ["acp", "cursor", "opencode"] as const) {
  agentContract(`kind ${kind} on the fake program`, {
    create: () => Promise.resolve(createAcpFake(dataDir, { kind })),
    createUnable: () => Promise.resolve(createAcpFake(dataDir, { kind, command: missing })),
    says: { ...says, steerable: kind === "opencode" ? "a long one" : null },
  });
}

agentContract("a program that nobody can log in to", {
  create: () => Promise.resolve(createAcpFake(dataDir)),
  createUnable: () => Promise.resolve(createAcpFake(dataDir, { flags: ["--auth", "never"] })),
  says,
});

test("[A50] after every contract test nothing that it started runs", () => {
  expect(markedProcesses(dataDir)).toEqual([]);
});
