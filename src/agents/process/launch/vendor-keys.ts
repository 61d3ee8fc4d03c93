/** Which variables are keys of a model vendor, and whose keys an agent program may see without being told to. */
import path from "node:path";
import type { MemberSpec } from "../../../protocol/index.ts";

const VENDORS: Readonly<Record<string, RegExp>> = {
  anthropic: /^(ANTHROPIC_(API_KEY|AUTH_TOKEN|FOUNDRY_API_KEY)|CLAUDE_CODE_OAUTH_TOKEN|CLAUDE_API_KEY)$/,
  openai: /^(OPENAI_(API_KEY|ADMIN_KEY)|CODEX_(API_KEY|ACCESS_TOKEN)|AZURE_OPENAI_API_KEY)$/,
  google: /^(GEMINI_API_KEY|GOOGLE_API_KEY|GOOGLE_GENERATIVE_AI_API_KEY|ANTIGRAVITY_API_KEY)$/,
  cursor: /^CURSOR_(API_KEY|AUTH_TOKEN)$/,
  github: /^(COPILOT_GITHUB_TOKEN|GITHUB_COPILOT_TOKEN)$/,
  moonshot: /^(MOONSHOT|KIMI)_API_KEY$/,
  alibaba: /^(DASHSCOPE|QWEN|BAILIAN)_API_KEY$/,
  augment: /^AUGMENT_(API_TOKEN|SESSION_AUTH)$/,
  amp: /^AMP_API_KEY$/,
  others:
    /^(OPENROUTER|MISTRAL|GROQ|XAI|DEEPSEEK|TOGETHER|FIREWORKS|CEREBRAS|PERPLEXITY|COHERE|ZAI|ZHIPU|MINIMAX|AI_GATEWAY|OPENCODE|NVIDIA|SAMBANOVA|DEEPINFRA)_API_KEY$/,
};

/** A key of a vendor that is none of these. */
export function isVendorKey(name: string, except: readonly string[] | "all"): boolean {
  if (except === "all") return false;
  return Object.entries(VENDORS).some(([vendor, keys]) => !except.includes(vendor) && keys.test(name));
}

const BY_KIND: Readonly<Partial<Record<MemberSpec["kind"], readonly string[] | "all">>> = {
  claude: ["anthropic"],
  codex: ["openai"],
  cursor: ["cursor"],
  // They bring no model of their own and use whichever provider there is a key for.
  pi: "all",
  opencode: "all",
};

/** By what the file of an ACP agent is called. */
const BY_NAME: readonly (readonly [RegExp, readonly string[] | "all"])[] = [
  [/claude/, ["anthropic"]],
  [/codex/, ["openai"]],
  [/gemini|antigravity|^agy$/, ["google"]],
  [/cursor/, ["cursor"]],
  [/copilot/, ["github"]],
  [/kimi/, ["moonshot"]],
  [/qwen/, ["alibaba", "openai"]],
  [/auggie|augment/, ["augment"]],
  [/^amp/, ["amp"]],
  [/^(opencode|pi|pi-acp|goose|crush|cline|kilo)$/, "all"],
];

/** Whose keys the program of a member may see. An ACP agent that is not known sees none but those its `env` names. */
export function vendorsOf({ kind, command = [] }: Pick<MemberSpec, "kind" | "command">): readonly string[] | "all" {
  if (kind !== "acp") return BY_KIND[kind] ?? [];
  const name = path.basename(command[0] ?? "").replace(/\.(exe|com|cmd)$/i, "");
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? [];
}
