import { expect, test } from "vitest";
import { scratchTree } from "../../../test/agents/scratch-tree.ts";
import { agentPrograms, discoveredSpec, programFacts } from "./agent-programs.ts";
import { logInCommand, programLogin, serverLogin } from "./login-state.ts";

const CANARY = "canary-9c41-long-enough-for-a-credential";

async function loginOf(name: string, env: Record<string, string>): Promise<unknown> {
  const program = agentPrograms.find(({ spec }) => spec.name === name);
  const facts = programFacts[name];
  if (program === undefined || facts === undefined) throw new Error(`no program ${name}`);
  return programLogin(program, facts, env);
}

test("a discovered program joins with the names of its set variables, never their values", () => {
  const env = {
    ANTHROPIC_API_KEY: CANARY,
    ANTHROPIC_BASE_URL: "http://gateway",
    OPENAI_API_KEY: CANARY,
    GEMINI_API_KEY: CANARY,
    CURSOR_API_KEY: CANARY,
    CODEX_API_KEY: " ",
    AWS_SECRET_ACCESS_KEY: CANARY,
  };
  const specs = agentPrograms.map((program) => discoveredSpec(program, env));
  const provider = ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "GEMINI_API_KEY"];
  expect(specs).toEqual([
    { name: "claude", kind: "claude", env: ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"] },
    { name: "codex", kind: "codex", env: ["OPENAI_API_KEY"] },
    { name: "cursor", kind: "cursor", env: ["CURSOR_API_KEY"] },
    { name: "pi", kind: "pi", env: provider },
    { name: "opencode", kind: "opencode", env: provider },
    { name: "gemini", kind: "acp", command: ["gemini", "--acp"], env: ["GEMINI_API_KEY"] },
  ]);
  expect(JSON.stringify(specs)).not.toContain(CANARY);
  expect(agentPrograms.map((program) => discoveredSpec(program, {}))).toEqual(agentPrograms.map(({ spec }) => spec));
});

test("a login is recognised by a set variable or an existing credential file", async () => {
  const HOME = await scratchTree({
    ".codex/auth.json": CANARY,
    ".pi/agent/auth.json": "{}",
    "moved/.credentials.json": CANARY,
    "data/opencode/auth.json": CANARY,
  });
  expect(await loginOf("codex", { HOME })).toEqual({ state: "yes", by: `${HOME}/.codex/auth.json` });
  expect(await loginOf("pi", { HOME, OPENAI_API_KEY: CANARY })).toEqual({ state: "yes", by: "OPENAI_API_KEY" });
  expect(await loginOf("claude", { HOME, CLAUDE_CONFIG_DIR: `${HOME}/moved` })).toEqual({
    state: "yes",
    by: `${HOME}/moved/.credentials.json`,
  });
  expect(await loginOf("opencode", { HOME, XDG_DATA_HOME: `${HOME}/data` })).toEqual({
    state: "yes",
    by: `${HOME}/data/opencode/auth.json`,
  });
  expect(await loginOf("pi", { HOME })).toEqual({ state: "unknown" });
  expect(await loginOf("cursor", { HOME })).toEqual({ state: "unknown" });
  const nobody = { state: process.platform === "linux" ? "no" : "unknown" };
  expect(await loginOf("claude", { HOME, ANTHROPIC_BASE_URL: "http://gateway" })).toEqual(nobody);
  expect(await loginOf("gemini", { HOME })).toEqual(nobody);
});

test("a key in the settings of Claude or Gemini is a login; another provider makes it unknown", async () => {
  const HOME = await scratchTree({
    ".claude/settings.json": JSON.stringify({ env: { ANTHROPIC_API_KEY: CANARY } }),
    ".gemini/.env": `# mine\nGEMINI_API_KEY=${CANARY}\n`,
    "other/settings.json": JSON.stringify({ model: "opus" }),
    "helped/settings.json": JSON.stringify({ apiKeyHelper: "/bin/key" }),
  });
  expect(await loginOf("claude", { HOME })).toEqual({ state: "yes", by: `${HOME}/.claude/settings.json` });
  expect(await loginOf("gemini", { HOME })).toEqual({ state: "yes", by: `${HOME}/.gemini/.env` });
  const moved = (folder: string) => ({ HOME, CLAUDE_CONFIG_DIR: `${HOME}/${folder}` });
  expect(await loginOf("claude", moved("helped"))).toMatchObject({ state: "yes" });
  expect(await loginOf("claude", { ...moved("other"), CLAUDE_CODE_USE_BEDROCK: "1" })).toEqual({ state: "unknown" });
  const nobody = { state: process.platform === "linux" ? "no" : "unknown" };
  expect(await loginOf("claude", moved("other"))).toEqual(nobody);
});

test("Codex reads no key from a variable, so a set one is not a login but a way to log in", async () => {
  const HOME = await scratchTree({ "configured/config.toml": 'model_provider = "corp"\n' });
  const facts = programFacts["codex"];
  if (facts === undefined) throw new Error("no facts of codex");
  const env = { HOME, OPENAI_API_KEY: CANARY };
  expect(await loginOf("codex", env)).toEqual({ state: "no" });
  expect(await loginOf("codex", { ...env, CODEX_HOME: `${HOME}/configured` })).toEqual({ state: "unknown" });
  expect(logInCommand(facts, env)).toBe("printenv OPENAI_API_KEY | codex login --with-api-key");
  expect(logInCommand(facts, { HOME })).toBe("codex login");
});

test.each([
  [{ baseUrl: "http://127.0.0.1:1234/v1" }, { state: "not needed" }],
  [{ baseUrl: "http://localhost:1234/v1" }, { state: "not needed" }],
  [{ baseUrl: "https://127.evil.example/v1" }, { state: "unknown" }],
  [{ baseUrl: "https://models.example/v1" }, { state: "unknown" }],
  [{ env: ["THE_KEY"] }, { state: "yes", by: "THE_KEY" }],
  [{ env: ["OTHER_KEY"], baseUrl: "https://models.example/v1" }, { state: "no" }],
  [{}, { state: "unknown" }],
])("a model server with %j has the login %j", (about, login) => {
  expect(serverLogin({ name: "model", kind: "openai", ...about }, { THE_KEY: CANARY })).toEqual(login);
});
