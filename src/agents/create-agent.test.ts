import { expect, test } from "vitest";
import { settleDown, sitDown } from "../../test/agents/table-of-one.ts";
import { scratchTree } from "../../test/agents/scratch-tree.ts";
import { type AgentKind, MemberSpec } from "../protocol/index.ts";
import { createAgent } from "./create-agent.ts";
import { embeddedMembers } from "./embedded/members.ts";

const setup = { sessionId: "session", cwd: "/", writable: false };

/** A session of a later version may name a kind that this one does not know. */
const kind = "someday" as AgentKind;

test("a member of a kind that is not known cannot be seated: each turn ends errored and says so", async () => {
  const table = await sitDown(createAgent({ name: "someone", kind }, setup));
  expect(await table.run("hello")).toEqual({
    type: "turn_done",
    turnId: "turn-1",
    outcome: "errored",
    reason: "unsupported",
    error: {
      code: "unsupported",
      message: 'Member "someone" did not answer: kind someday cannot be seated by this version.',
      hint: "Seat an embedded member instead (scout, historian, critic).",
    },
  });
  await table.agent.close();
});

test("a member that cannot be seated keeps the port's contract: one end a turn, none after close", async () => {
  const table = await sitDown(createAgent({ name: "someone", kind }, setup));
  table.ask("one", "one");
  table.agent.interrupt();
  table.agent.answer("unknown", { result: null, error: null });
  expect(table.events).toEqual([]);
  await table.agent.close();
  await table.agent.close();
  table.ask("two", "two");
  await settleDown();
  expect(table.events.map((event) => event.type === "turn_done" && event.turnId)).toEqual(["one"]);
});

test("an unknown embedded member is told by name, with those there are", async () => {
  const table = await sitDown(createAgent({ name: "poet", kind: "embedded", model: "sonnet" }, setup));
  expect((await table.run("hello")).error).toEqual({
    code: "unsupported",
    message: 'Member "poet" (model "sonnet") did not answer: there is no embedded member of that name.',
    hint: "Embedded members are: scout, historian, critic. Name one as the member's name or model.",
  });
});

test.each([
  ["by its name", { name: "scout", kind: "embedded" }],
  ["by the model, under another name", { name: "pathfinder", kind: "embedded", model: "scout" }],
  ["by its name when the model is unknown", { name: "scout", kind: "embedded", model: "large" }],
] as const)("an embedded member is found %s", async (_how, spec) => {
  const table = await sitDown(createAgent(spec, { ...setup, cwd: await scratchTree() }));
  expect((await table.run("help")).outcome).toBe("completed");
  expect(table.text()).toMatch(/^\*\*I am scout\*\*/);
  await table.agent.close();
});

test("the embedded members are valid specs", () => {
  expect(embeddedMembers.map((spec) => MemberSpec.parse(spec))).toEqual(
    ["scout", "historian", "critic"].map((name) => ({ name, kind: "embedded" })),
  );
});
