/**
 * Agent programs on PATH, by name. A search starts none of them: a version number is not worth running a program that
 * merely has the right name.
 */
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { MemberSpec } from "../../protocol/index.ts";
import { checkoutTest } from "../process/launch/checkout.ts";
import { programCandidates } from "../process/launch/find-program.ts";
import { isKeySet } from "./api-keys.ts";

export interface AgentProgram {
  readonly spec: MemberSpec;
  /** The names it goes by, the surest first. */
  readonly commands: readonly string[];
  /** Tells the program from others of the same name by where its file really lies. */
  readonly isIt?: (realPath: string) => boolean;
  /**
   * Variables that log it in, and those that say which server the key is for: a key without its server would be shown
   * to another one. By name only.
   */
  readonly variables: readonly string[];
}

const ANTHROPIC = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"];
const OPENAI = ["OPENAI_API_KEY", "OPENAI_BASE_URL"];
/** Those that bring no model of their own take whichever of these is there. */
const ANY_PROVIDER = [...ANTHROPIC, ...OPENAI, "GEMINI_API_KEY", "OPENROUTER_API_KEY"];

export const agentPrograms: readonly AgentProgram[] = [
  {
    spec: { name: "claude", kind: "claude" },
    commands: ["claude"],
    variables: [...ANTHROPIC, "CLAUDE_CODE_OAUTH_TOKEN"],
  },
  { spec: { name: "codex", kind: "codex" }, commands: ["codex"], variables: [...OPENAI, "CODEX_API_KEY"] },
  {
    spec: { name: "cursor", kind: "cursor" },
    commands: ["cursor-agent", "agent"],
    isIt: isCursor,
    variables: ["CURSOR_API_KEY", "CURSOR_AUTH_TOKEN"],
  },
  { spec: { name: "pi", kind: "pi" }, commands: ["pi"], variables: ANY_PROVIDER },
  { spec: { name: "opencode", kind: "opencode" }, commands: ["opencode"], variables: ANY_PROVIDER },
  {
    spec: { name: "gemini", kind: "acp", command: ["gemini", "--acp"] },
    commands: ["gemini"],
    variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"],
  },
];

/** How it is seated when nothing is configured: with the variables that are set here and that it may see. */
export function discoveredSpec(program: AgentProgram, env: Readonly<Record<string, string | undefined>>): MemberSpec {
  const named = program.variables.filter((variable) => isKeySet(variable, env));
  return named.length === 0 ? program.spec : { ...program.spec, env: named };
}

/** The program behind a member; undefined for members without one, and for ACP agents that nothing is known of. */
export function programOf(spec: MemberSpec): AgentProgram | undefined {
  if (spec.kind !== "acp") return agentPrograms.find((program) => program.spec.kind === spec.kind);
  return agentPrograms.find((program) => isNameOf(program, spec.command?.[0] ?? ""));
}

export function isNameOf(program: AgentProgram, command: string): boolean {
  return program.commands.includes(path.basename(command).replace(/\.(exe|com)$/i, ""));
}

/** `agent` may be anybody's, and the package `cursor-agent` of the npm registry is an unrelated project. */
function isCursor(realPath: string): boolean {
  return /cursor/i.test(realPath) && !/[\\/]node_modules[\\/]/.test(realPath);
}

/**
 * Null when it is not there. What lies in the checkout around `cwd` is not there. Never rejects; a folder that does not
 * answer keeps it waiting.
 */
export async function findAgentProgram(
  program: AgentProgram,
  env: Readonly<Record<string, string | undefined>>,
  cwd?: string,
): Promise<string | null> {
  const searchPath = { PATH: env["PATH"], PATHEXT: env["PATHEXT"] };
  const isInCheckout = cwd === undefined ? () => false : checkoutTest(cwd);
  const candidates = program.commands.flatMap((command) => programCandidates(command, searchPath));
  // All at once: one after the other they would take the whole time of the search on a busy machine.
  const checks = candidates.map((candidate) => isRunnable(candidate, program.isIt));
  for (const [at, candidate] of candidates.entries()) {
    if ((await checks[at]) && !isInCheckout(candidate)) return candidate;
  }
  return null;
}

async function isRunnable(candidate: string, isIt: AgentProgram["isIt"]): Promise<boolean> {
  try {
    await access(candidate, constants.X_OK);
    return (await stat(candidate)).isFile() && (isIt === undefined || isIt(await realpath(candidate)));
  } catch {
    // Not there or not to be run: the next folder may have it.
    return false;
  }
}
