/** The agent contract on scout, with the real clock. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAgentFactory } from "../../../src/agents/index.ts";
import { embedded, embeddedMembers } from "../../../src/cli/edges.ts";
import { MemberSpec } from "../../../src/protocol/index.ts";
import { agentContract } from "../../../test/agents/agent.contract.ts";
import { scratchTree } from "../../../test/agents/scratch-tree.ts";
import { startAgent } from "../../../test/agents/agent-probe.ts";

const createAgent = createAgentFactory(embedded);

const scout = { name: "scout", kind: "embedded" } as const;

agentContract("scout", {
  async create() {
    return createAgent(scout, { sessionId: "session", cwd: await scratchTree({ "a.txt": "hello" }), writable: false });
  },
  async createUnable() {
    const cwd = join(await scratchTree(), "not-there");
    return createAgent(scout, { sessionId: "session", cwd, writable: false });
  },
  says: {
    short: "help",
    endless: "/try hang",
    endlessTool: "/try tools",
    request: "/try confirm",
    steerable: "/try slow",
  },
});

test.each([
  ["by its name", { name: "scout", kind: "embedded" }],
  ["by the model, under another name", { name: "pathfinder", kind: "embedded", model: "scout" }],
  ["by its name when the model is unknown", { name: "scout", kind: "embedded", model: "large" }],
] as const)("an embedded member is found %s", async (_how, spec) => {
  const table = await startAgent(
    createAgent(spec, { sessionId: "session", cwd: await scratchTree(), writable: false }),
  );
  expect((await table.run("help")).outcome).toBe("completed");
  expect(table.text()).toMatch(/^\*\*I am scout\*\*/);
  await table.agent.close();
});

test("the embedded members are valid specs", () => {
  expect(embeddedMembers.map((spec) => MemberSpec.parse(spec))).toEqual(
    ["scout", "historian", "critic"].map((name) => ({ name, kind: "embedded" })),
  );
});
