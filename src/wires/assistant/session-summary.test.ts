import { expect, test } from "vitest";
import { agentOf, mergePatch, toAssistantSession } from "./session-summary.ts";

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

test("[R155] a session is listed with its only member as agent, its times in ISO form and what the client keeps with it", () => {
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

test("[R156] a patch merges objects, replaces everything else, removes by null, and never touches a prototype", () => {
  const patch = JSON.parse('{"a":{"b":null,"c":[2]},"__proto__":{"x":1}}') as Record<string, never>;
  const merged = mergePatch({ a: { b: 1, c: [1], d: 3 }, e: 4 }, patch);
  expect(merged["a"]).toStrictEqual({ c: [2], d: 3 });
  expect(merged["e"]).toBe(4);
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  expect(Object.hasOwn(merged, "__proto__")).toBe(true);
});
