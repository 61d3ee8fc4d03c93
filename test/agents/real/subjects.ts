/** How each agent is pointed at the model server: its files, its variables, and how it is seated. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { MemberSpec } from "../../../src/protocol/index.ts";
import type { AgentName } from "./pins.ts";

export interface Subject {
  readonly spec: Omit<MemberSpec, "name">;
  /** For the program that seats it; the member's `env` names what it may see of them. */
  readonly env: Readonly<Record<string, string>>;
  prepare(home: string): void;
}

const KEY = "nothing-secret";

export function subjectOf(name: AgentName, command: readonly string[], server: string): Subject {
  return makers[name]([...command], server);
}

const makers: Readonly<Record<AgentName, (command: string[], server: string) => Subject>> = {
  claude(command, server) {
    const env = {
      ANTHROPIC_BASE_URL: server,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "2",
    };
    return { spec: { kind: "claude", command, env: Object.keys(env) }, env, prepare: () => {} };
  },
  codex(command, server) {
    return {
      spec: { kind: "codex", command, env: ["FAKE_API_KEY"] },
      env: { FAKE_API_KEY: KEY },
      prepare(home) {
        mkdirSync(path.join(home, ".codex"));
        writeFileSync(path.join(home, ".codex", "config.toml"), codexConfig(server));
      },
    };
  },
  pi(command, server) {
    return {
      spec: { kind: "pi", command, model: "fake/fake-text" },
      env: { PI_OFFLINE: "1" },
      prepare(home) {
        const folder = path.join(home, ".pi", "agent");
        mkdirSync(folder, { recursive: true });
        writeFileSync(path.join(folder, "models.json"), JSON.stringify(piModels(server)));
        // So that a short conversation has something to compact.
        writeFileSync(path.join(folder, "settings.json"), JSON.stringify({ compaction: { keepRecentTokens: 1 } }));
      },
    };
  },
  gemini(command, server) {
    const env = { GOOGLE_GEMINI_BASE_URL: server, GEMINI_API_KEY: KEY };
    return {
      spec: { kind: "acp", command: [...command, "--acp"], env: Object.keys(env), model: "gemini-2.5-flash" },
      env,
      // It uses tool servers only in folders that the user has called trusted.
      prepare(home) {
        mkdirSync(path.join(home, ".gemini"));
        const trusted = JSON.stringify({ [path.join(home, "project")]: "TRUST_FOLDER" });
        writeFileSync(path.join(home, ".gemini", "trustedFolders.json"), trusted);
      },
    };
  },
  opencode(command, server) {
    return {
      spec: { kind: "opencode", command: [...command, "acp"], env: ["OPENCODE_CONFIG_CONTENT"] },
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(server)) },
      prepare: () => {},
    };
  },
};

function codexConfig(server: string): string {
  return `
model = "gpt-5.5"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "${server}/v1"
wire_api = "responses"
env_key = "FAKE_API_KEY"
request_max_retries = 0
stream_max_retries = 2
stream_idle_timeout_ms = 5000
`;
}

function piModels(server: string): object {
  const model = {
    id: "fake-text",
    name: "fake-text",
    reasoning: true,
    input: ["text"],
    cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0 },
    contextWindow: 128_000,
    maxTokens: 8192,
  };
  const fake = { baseUrl: `${server}/v1`, api: "openai-completions", apiKey: KEY, models: [model] };
  return { providers: { fake } };
}

function opencodeConfig(server: string): object {
  const models = { "fake-text": { name: "Fake", limit: { context: 128_000, output: 8_000 }, reasoning: true } };
  const options = { baseURL: `${server}/v1`, apiKey: KEY };
  return {
    model: "fake/fake-text",
    provider: { fake: { npm: "@ai-sdk/openai-compatible", name: "Fake", options, models } },
  };
}
