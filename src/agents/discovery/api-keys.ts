/** API keys in the environment: whether one is set, never its value. */
import type { MemberSpec } from "../../protocol/index.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface ApiKey {
  readonly variable: string;
  readonly spec: MemberSpec;
  /** The vendor's own program, by name in `agentPrograms`. */
  readonly program?: string;
  /** Variable that redirects the key to another server, and the path to append to its address. */
  readonly movedBy?: { readonly variable: string; readonly path: string };
}

/** Tried in this order: older accounts have older models only. */
const ANTHROPIC_MODELS = "claude-sonnet-5-5,claude-sonnet-4-5";
const OPENAI_MODELS = "gpt-5.6,gpt-5.1,gpt-5";
const OPENROUTER_MODELS = "openrouter/auto";
const GEMINI_MODELS = "gemini-3.5-flash,gemini-2.5-pro,gemini-2.5-flash";

export const apiKeys: readonly ApiKey[] = [
  {
    ...key("ANTHROPIC_API_KEY", "anthropic-api", "https://api.anthropic.com/v1", ANTHROPIC_MODELS),
    program: "claude",
    movedBy: { variable: "ANTHROPIC_BASE_URL", path: "/v1" },
  },
  {
    ...key("OPENAI_API_KEY", "openai-api", "https://api.openai.com/v1", OPENAI_MODELS),
    program: "codex",
    movedBy: { variable: "OPENAI_BASE_URL", path: "" },
  },
  key("OPENROUTER_API_KEY", "openrouter-api", "https://openrouter.ai/api/v1", OPENROUTER_MODELS),
  {
    ...key("GEMINI_API_KEY", "gemini-api", "https://generativelanguage.googleapis.com/v1beta/openai", GEMINI_MODELS),
    program: "gemini",
  },
];

function key(variable: string, name: string, baseUrl: string, model: string): ApiKey {
  return { variable, spec: { name, kind: "openai", baseUrl, model, env: [variable] } };
}

export function isKeySet(variable: string, env: Environment): boolean {
  return (env[variable] ?? "").trim() !== "";
}

/**
 * Undefined when the key is not set. A key for another server is never sent to the default one: if that address is not
 * plain http(s) or contains a secret, there is no member.
 */
export function keyHolder({ variable, spec, movedBy }: ApiKey, env: Environment): MemberSpec | undefined {
  if (!isKeySet(variable, env)) return undefined;
  if (movedBy === undefined || !isKeySet(movedBy.variable, env)) return spec;
  const address = (env[movedBy.variable] ?? "").trim();
  if (!URL.canParse(address)) return undefined;
  const { protocol, username, password, search, hash, href } = new URL(address);
  const isPlain = /^https?:$/.test(protocol) && username + password + search + hash === "";
  return isPlain ? { ...spec, baseUrl: href.replace(/\/+$/, "") + movedBy.path } : undefined;
}
