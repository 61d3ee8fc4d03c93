import { expect, test } from "vitest";
import { created, joined } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../../src/protocol/index.ts";
import { empty, fold } from "../../../src/transcript/index.ts";
import { agentOf, mergePatch, modelsOf, toAssistantSession } from "./session-summary.ts";

const summary = {
  sessionId: "01",
  title: "Title",
  cwd: "/src",
  members: ["ada"],
  messages: 1,
  turns: 1,
  createdTs: 0,
  updatedTs: 1e3,
  archived: false,
  status: "idle" as const,
  seq: 5,
};

test("a session is listed with its only member as agent, ISO timestamps and the client's own data", () => {
  const marks = { pinnedAt: "then", attributes: { a: 1 }, hiddenName: "Title" };
  const times = { createdAt: "1970-01-01T00:00:00.000Z", updatedAt: "1970-01-01T00:00:01.000Z" };
  expect(toAssistantSession("theirs", summary, marks)).toStrictEqual({
    sessionId: "theirs",
    agentId: "ada",
    ...times,
    pinnedAt: "then",
    attributes: {
      core: { workingDir: "/src" },
      a: 1,
    },
  });
  expect(toAssistantSession("theirs", summary).name).toBe("Title");
  expect([agentOf([]), agentOf(["a", "b"])]).toStrictEqual(["roundtable", "roundtable"]);
});

test("a patch merges objects, replaces everything else, removes by null, and never touches a prototype", () => {
  const patch = JSON.parse('{"a":{"b":null,"c":[2]},"__proto__":{"x":1}}') as Record<string, never>;
  const merged = mergePatch({ a: { b: 1, c: [1], d: 3 }, e: 4 }, patch);
  expect(merged["a"]).toStrictEqual({ c: [2], d: 3 });
  expect(merged["e"]).toBe(4);
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  expect(Object.hasOwn(merged, "__proto__")).toBe(true);
});

test("the models of a session are those its only member can be switched to, the one it uses first", () => {
  const models = [{ id: "large" }, { id: "small" }];
  const offered: EventDraft[] = [{ type: "member_models", member: "ada", models }];
  const headOf = (members: readonly string[], drafts: readonly EventDraft[] = []) =>
    fold(empty("session"), stamped([created(), ...members.map((name) => joined(name)), ...drafts])).head;
  expect(modelsOf(headOf(["ada"]))).toStrictEqual({ available: [] });
  expect(modelsOf(headOf(["ada"], offered))).toStrictEqual({ available: ["large", "small"] });
  const switched: EventDraft = { type: "model_switched", member: "ada", model: "small" };
  expect(modelsOf(headOf(["ada"], [switched]))).toStrictEqual({ current: "small", available: ["small"] });
  const both = { current: "small", available: ["small", "large"] };
  expect(modelsOf(headOf(["ada"], [...offered, switched]))).toStrictEqual(both);
  expect(modelsOf(headOf(["ada", "bob"], offered))).toStrictEqual({ available: [] });
});
