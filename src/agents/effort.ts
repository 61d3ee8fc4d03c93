/** How hard each kind of agent can be told to think, in its own words. */
import path from "node:path";
import type { AgentKind, MemberSpec } from "../protocol/index.ts";

const BY_KIND: Readonly<Record<AgentKind, readonly string[] | null>> = {
  claude: ["low", "medium", "high", "xhigh", "max"],
  // Each model of Codex takes some of these and says so when it does not.
  codex: ["none", "minimal", "low", "medium", "high", "xhigh"],
  pi: ["off", "minimal", "low", "medium", "high", "xhigh", "max"],
  openai: ["none", "minimal", "low", "medium", "high", "xhigh"],
  // Which there are depends on its model, and is told with its session.
  opencode: [],
  acp: [],
  // With Cursor the effort is a part of the model's name.
  cursor: null,
  embedded: null,
};

/** ACP agents that are known to offer no choice. */
const WITHOUT = new Set(["gemini", "agent", "cursor-agent"]);

/** Null where there is nothing to tell; none named where only its program knows them. */
export function effortLevels({ kind, command = [] }: Pick<MemberSpec, "kind" | "command">): readonly string[] | null {
  const name = path.basename(command[0] ?? "").replace(/\.(exe|com|cmd)$/i, "");
  return kind === "acp" && WITHOUT.has(name) ? null : BY_KIND[kind];
}

/** The effort of a member, where its kind knows it. */
export function knownEffort(spec: MemberSpec): string | undefined {
  const { effort } = spec;
  return effort !== undefined && effortLevels(spec)?.includes(effort) === true ? effort : undefined;
}
