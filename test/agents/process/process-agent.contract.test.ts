import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { createPsList } from "../../../src/agents/process/list/choose-process-list.ts";
import { agentContract } from "../agent.contract.ts";
import { createFake, makeDataDir, markedProcesses, removeDataDir } from "./start-fake.ts";

const dataDir = makeDataDir();
afterAll(() => removeDataDir(dataDir));

const says = { short: "hello", endless: "a long one", endlessTool: "tool", request: "ask", steerable: "a long one" };

for (const lifetime of ["member", "turn"] as const) {
  agentContract(`a program that serves as ${lifetime}`, {
    create: () => Promise.resolve(createFake({ fake: "answers", dataDir, lifetime })),
    createUnable: () => {
      const command = path.join(dataDir, "nothing-here");
      return Promise.resolve(createFake({ fake: "answers", dataDir, lifetime, launch: { command } }));
    },
    says,
  });
}

agentContract("a program where there is no /proc", {
  create: () => Promise.resolve(createFake({ fake: "answers", dataDir, processes: createPsList() })),
  createUnable: () => {
    const command = path.join(dataDir, "nothing-here");
    return Promise.resolve(createFake({ fake: "answers", dataDir, launch: { command }, processes: createPsList() }));
  },
  says,
});

test("[A50] after every contract test nothing that it started runs", () => {
  expect(markedProcesses(dataDir)).toEqual([]);
});
