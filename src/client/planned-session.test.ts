import { expect, test } from "vitest";
import { SETTINGS } from "../../test/generate/drafts.ts";
import { changePlan, planSession } from "./planned-session.ts";

const plan = planSession({
  cwd: "/project",
  settings: SETTINGS,
  members: [
    { name: "scout", kind: "embedded" },
    { name: "opus", kind: "openai", model: "large" },
  ],
});

test("settings made before the first message are those of the new session", () => {
  const writable = changePlan(plan, { type: "set_settings", settings: { writable: true } });
  const switched = changePlan(writable, { type: "switch_model", member: "opus", model: "small" });
  const harder = changePlan(switched, { type: "switch_effort", member: "opus", effort: "high" });
  const added = changePlan(harder, { type: "add_member", spec: { name: "gpt", kind: "codex" } });
  const muted = changePlan(changePlan(added, { type: "mute", member: "gpt" }), { type: "mute", member: "scout" });
  expect(changePlan(muted, { type: "remove_member", member: "scout" })).toEqual({
    cwd: "/project",
    settings: { ...SETTINGS, writable: true },
    members: [
      { name: "opus", kind: "openai", model: "small", effort: "high" },
      { name: "gpt", kind: "codex" },
    ],
    muted: ["gpt"],
  });
  expect(changePlan(harder, { type: "switch_effort", member: "opus" })).toEqual(switched);
});

test("commands that need a session are refused with a message", () => {
  expect(() => changePlan(plan, { type: "mute", member: "eve" })).toThrow(/no member "eve"\. Members: scout, opus\./);
  expect(() => changePlan(plan, { type: "switch_model", member: "scout", model: "x" })).toThrow("no model to switch");
  expect(() => changePlan(plan, { type: "switch_effort", member: "scout" })).toThrow("no reasoning effort to set");
  expect(() => changePlan(plan, { type: "add_member", spec: { name: "opus", kind: "codex" } })).toThrow(/already/);
  expect(() => changePlan(plan, { type: "remove_member", member: "eve" })).toThrow(/no member "eve"/);
  expect(() => changePlan(plan, { type: "retry" })).toThrow("Send a message first to start a session.");
});
