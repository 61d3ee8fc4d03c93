import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { agentContract } from "../agent.contract.ts";
import { survivors } from "../process/start-fake.ts";
import { openHost } from "./codex-host.ts";

const host = openHost();
afterAll(() => host.close());

agentContract("codex, a thread at a shared app-server", {
  create: () => Promise.resolve(host.create()),
  createUnable: () => Promise.resolve(host.create({ command: [path.join(host.dataDir, "nothing-here")] })),
  says: {
    short: "hello",
    endless: "endless",
    endlessTool: "hanging tool",
    request: "approval",
    steerable: "endless",
  },
});

test("[A50] after every contract test nothing that it started runs", async () => {
  expect(await survivors(host.dataDir)).toEqual([]);
});
