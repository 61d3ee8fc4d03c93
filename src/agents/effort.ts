/** Reasoning effort levels by agent kind. */
import path from "node:path";
import type { AgentKind, MemberSpec } from "../protocol/index.ts";

const BY_KIND: Readonly<Record<AgentKind, readonly string[] | undefined>> = {
  claude: ["low", "medium", "high", "xhigh", "max"],
  // Each Codex model supports some of these and rejects the others.
  codex: ["none", "minimal", "low", "medium", "high", "xhigh"],
  pi: ["off", "minimal", "low", "medium", "high", "xhigh", "max"],
  openai: ["none", "minimal", "low", "medium", "high", "xhigh"],
  // Depends on the model; reported when the session starts.
  opencode: [],
  acp: [],
  // Part of the model name.
  cursor: undefined,
  embedded: undefined,
};

/** ACP agents known to have no effort setting. */
const WITHOUT = new Set(["gemini", "agent", "cursor-agent"]);

/** Undefined: not supported. Empty: known only to the running program. */
export function effortLevels({
  kind,
  command = [],
}: Pick<MemberSpec, "kind" | "command">): readonly string[] | undefined {
  const name = path.basename(command[0] ?? "").replace(/\.(exe|com|cmd)$/i, "");
  return kind === "acp" && WITHOUT.has(name) ? undefined : BY_KIND[kind];
}

/** The member's effort, if its kind supports it. */
export function knownEffort(spec: MemberSpec): string | undefined {
  const { effort } = spec;
  return effort !== undefined && effortLevels(spec)?.includes(effort) === true ? effort : undefined;
}
