/** API keys in the environment: whether one is set, never what it is. */
import type { MemberSpec } from "../../protocol/index.ts";

export const apiKeys: readonly { readonly variable: string; readonly spec: MemberSpec }[] = [
  key("ANTHROPIC_API_KEY", "anthropic-api", "https://api.anthropic.com/v1"),
  key("OPENAI_API_KEY", "openai-api", "https://api.openai.com/v1"),
  key("OPENROUTER_API_KEY", "openrouter-api", "https://openrouter.ai/api/v1"),
  key("GEMINI_API_KEY", "gemini-api", "https://generativelanguage.googleapis.com/v1beta/openai"),
];

function key(variable: string, name: string, baseUrl: string): (typeof apiKeys)[number] {
  return { variable, spec: { name, kind: "openai", baseUrl, env: [variable] } };
}

export function isKeySet(variable: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return (env[variable] ?? "").trim() !== "";
}
