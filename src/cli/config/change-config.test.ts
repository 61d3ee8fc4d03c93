import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { addRule, changeMember, removeRule } from "./change-config.ts";
import { loadConfig } from "./load-config.ts";

function newHome(text?: string) {
  const home = mkdtempSync(path.join(tmpdir(), "rt-config-"));
  const env = { HOME: home, XDG_CONFIG_HOME: home };
  const file = path.join(home, "roundtable", "config.jsonc");
  if (text !== undefined) {
    mkdirSync(path.dirname(file), { mode: 0o700 });
    writeFileSync(file, text, { mode: 0o600 });
  }
  return { env, file, read: () => readFileSync(file, "utf8"), load: () => loadConfig({ cwd: home, env }).config };
}

test("a rule is added to a new, private file and removed again", async () => {
  const { env, file, load } = newHome();
  await Promise.all([addRule(env, "allow", "shell: pnpm test *"), addRule(env, "deny", "read: .env*")]);
  await addRule(env, "allow", "shell: pnpm test *");
  expect(load().approvals).toEqual({ allow: ["shell: pnpm test *"], deny: ["read: .env*"] });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await removeRule(env, "allow", "shell: pnpm test *");
  expect(load().approvals).toEqual({ allow: [], deny: ["read: .env*"] });
  await expect(removeRule(env, "allow", "shell: pnpm test *")).rejects.toThrow("There is no rule");
});

test("a model is changed in the file that defines its agent; comments and other keys stay", async () => {
  const before = `{
  // Mine.
  "agents": {
    "claude": { "kind": "claude", "model": "opus" }, // the best
  },
}
`;
  const { env, read, load } = newHome(before);
  const change = { member: "claude", kind: "claude", defaultMembers: ["claude"] } as const;
  await changeMember(env, { ...change, key: "model", value: "sonnet" });
  expect(read()).toBe(before.replace("opus", "sonnet"));
  await changeMember(env, { ...change, key: "effort", value: "high" });
  expect(load().agents["claude"]).toEqual({ kind: "claude", model: "sonnet", effort: "high" });
  await changeMember(env, { ...change, key: "model", value: null });
  expect(load().agents["claude"]).toEqual({ kind: "claude", effort: "high" });
  expect(read()).toContain("// Mine.");
});

test("a discovered agent gets an entry, and the other default members stay", async () => {
  const { env, load } = newHome();
  const change = { kind: "codex", defaultMembers: ["claude", "codex"] } as const;
  await changeMember(env, { ...change, member: "codex", key: "model", value: null });
  await changeMember(env, { ...change, member: "codex", key: "model", value: "gpt" });
  expect(load()).toMatchObject({
    agents: { codex: { kind: "codex", model: "gpt" } },
    council: { members: ["claude", "codex"] },
  });
});

test("a file that cannot be read is not overwritten", async () => {
  const { env, read } = newHome('{ "agents": ');
  await expect(addRule(env, "allow", "read")).rejects.toThrow("not valid JSON");
  expect(read()).toBe('{ "agents": ');
});
