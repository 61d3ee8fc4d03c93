/** The agents' contract on scout, seated through the door, with the real clock. */
import { join } from "node:path";
import { createAgent } from "../../src/agents/index.ts";
import { agentContract } from "./agent.contract.ts";
import { scratchTree } from "./scratch-tree.ts";

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
