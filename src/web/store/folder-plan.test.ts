import { expect, test } from "vitest";
import { changePlan, planSession } from "../../client/index.ts";
import { SETTINGS } from "../../../test/generate/drafts.ts";
import { choiceOf, planWith } from "./folder-plan.ts";

const defaults = {
  cwd: "/project",
  settings: { ...SETTINGS, order: ["opus", "gpt"] },
  members: [
    { name: "opus", kind: "claude", model: "opus", command: ["claude"] },
    { name: "gpt", kind: "codex" },
  ],
} as const satisfies Parameters<typeof planSession>[0];

const local = {
  name: "local",
  kind: "openai",
  baseUrl: "http://127.0.0.1:9/v1",
  foundBy: "server",
  where: "here",
  canBeSeated: true,
  sitsDown: false,
} as const;

test("choices for a folder have names, models and limits, and no command or address", () => {
  const plan = [
    { type: "switch_model", member: "opus", model: "sonnet" },
    { type: "add_member", spec: { name: "local", kind: "openai", baseUrl: "http://127.0.0.1:9/v1" } },
    { type: "remove_member", member: "gpt" },
    { type: "set_settings", settings: { writable: true, limits: { ...SETTINGS.limits, usd: 3 } } },
    { type: "mute", member: "local" },
  ] as const;
  const choice = choiceOf(plan.reduce((before, body) => changePlan(before, body), planSession(defaults)));
  expect(choice).toEqual({
    members: [{ name: "opus", model: "sonnet" }, { name: "local" }],
    muted: ["local"],
    writable: true,
    usd: 3,
  });
  expect(planWith(defaults, choice, [local])).toEqual({
    cwd: "/project",
    members: [
      { name: "opus", kind: "claude", model: "sonnet", command: ["claude"] },
      { name: "local", kind: "openai", baseUrl: "http://127.0.0.1:9/v1" },
    ],
    muted: ["local"],
    settings: {
      ...SETTINGS,
      order: ["opus", "local"],
      writable: true,
      limits: { ...SETTINGS.limits, usd: 3 },
    },
  });
});

test("a member that is gone is left out, and without any of those chosen the defaults answer", () => {
  const choice = { members: [{ name: "local" }, { name: "gpt" }], muted: ["local"], writable: false, usd: 5 };
  expect(planWith(defaults, choice, [])).toMatchObject({ members: [{ name: "gpt" }], muted: [] });
  const none = { ...choice, members: [{ name: "local" }] };
  expect(planWith(defaults, none, []).members).toEqual(defaults.members);
});
