/** The agents' contract on the built-in agent, over real HTTP. */
import { afterAll, beforeAll } from "vitest";
import { createModelAgent } from "../../../src/agents/model/model-agent.ts";
import type { MemberSpec } from "../../../src/protocol/index.ts";
import { agentContract } from "../agent.contract.ts";
import {
  calls,
  delta,
  startModelServer,
  text,
  type ModelRequest,
  type ModelServer,
  type Step,
} from "../fakes/model-server.ts";
import { scratchTree } from "../scratch-tree.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ isOfTest: false });
  server.answer(script);
});
afterAll(() => server.close());

function script({ messages }: ModelRequest): readonly Step[] {
  const asked = messages.findLast((message) => message.role === "user")?.content ?? "";
  const hasResult = messages.at(-1)?.role === "tool";
  if (asked.includes("endless") || (asked.includes("steerable") && hasResult))
    return [delta({ content: "on" }), { hang: true }];
  if (hasResult) return text("done");
  if (asked.includes("tool")) return calls({ name: "shell", args: { command: "sleep 60" } });
  if (asked.includes("request")) return calls({ name: "shell", args: { command: "true" } });
  if (asked.includes("steerable")) return [delta({ content: "I look. " }), ...calls({ name: "list" })];
  return text("hel", "lo");
}

const spec: MemberSpec = { name: "local", kind: "openai", model: "m1" };
/** The command is allowed by a rule, so that one text can end in a tool and another in a request. */
const deps = { rules: [{ tool: "shell", match: "sleep 60", verdict: "allow" }] } as const;

agentContract("openai", {
  async create() {
    const cwd = await scratchTree({ "a.txt": "hello" });
    return createModelAgent({ ...spec, baseUrl: server.url }, { sessionId: "session", cwd, writable: true }, deps);
  },
  async createUnable() {
    const cwd = await scratchTree();
    return createModelAgent({ ...spec, baseUrl: "ftp://127.0.0.1/v1" }, { sessionId: "session", cwd, writable: false });
  },
  says: { short: "short", endless: "endless", endlessTool: "tool", request: "request", steerable: "steerable" },
});
