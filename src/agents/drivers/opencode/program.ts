/**
 * opencode. It works as an agent of ours that is put into its configuration, with the last word on what it may do:
 * the user's settings and those of the project can widen every other agent. Where nothing may be written it is told to
 * deny by itself, because a permission that is denied from outside ends its turn.
 */
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { checkoutDirectories } from "../../../kit/files/checkout-directories.ts";
import type { AcpProgram, ProgramSession, Restraint } from "../acp/programs/program.ts";
import { createStartGate } from "../acp/programs/start-gate.ts";

export const opencodeProgram: AcpProgram = {
  stateOf: "opencode",
  setEnv: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
  restrain,
  silenceWarnMs: 20_000,
  loginHint: 'Run "opencode auth login" in a terminal and ask again.',
  canSteer: true,
  doToolsLeadGroups: true,
  // It takes this one without offering it.
  compactCommand: { name: "compact", acceptsInput: false },
  // It makes or converts its database then, and a second one finds it locked.
  startGate: createStartGate(),
};

const CONFIG = "OPENCODE_CONFIG_CONTENT";

function restrain(session: ProgramSession): Restraint {
  const { cwd, isSandboxed, isWritable, hostToolServer: agent, environment } = session;
  const projects = checkoutDirectories(cwd);
  const notes = isSandboxed
    ? []
    : projects.flatMap((folder) => firstOf(folder, ["AGENTS.md", "CLAUDE.md"])).slice(0, 1);
  const config = ownAgent(environment[CONFIG], { ...session, agent, notes });
  return {
    env: {
      // For a version that does not take the agent.
      OPENCODE_PERMISSION: JSON.stringify(permissionsFor(session)),
      // Tool servers of a project are started unasked, and its agents have permissions of their own.
      ...(isSandboxed ? {} : { OPENCODE_DISABLE_PROJECT_CONFIG: "1" }),
      ...(config === null ? {} : { [CONFIG]: config }),
    },
    mode: agent,
    guard: unaskedCode(projects, session) ?? { guard: isWritable ? "asks_first" : "own_mode" },
  };
}

/** Plug-ins run when it starts, whatever is disabled, and tools from files ask nobody. */
function unaskedCode(projects: readonly string[], { isWritable, environment }: ProgramSession): Restraint["guard"] {
  const planted = projects.flatMap((folder) => filesIn(path.join(folder, ".opencode"), ["plugin", "plugins"]));
  if (planted.length > 0) return { guard: "unguarded", detail: "it runs the opencode plug-ins of this project" };
  const { XDG_CONFIG_HOME, OPENCODE_CONFIG_DIR, HOME = homedir() } = environment;
  const own = [path.join(XDG_CONFIG_HOME ?? path.join(HOME, ".config"), "opencode"), path.join(HOME, ".opencode")];
  const folders = OPENCODE_CONFIG_DIR === undefined ? own : [...own, OPENCODE_CONFIG_DIR];
  const tools = isWritable ? folders.flatMap((folder) => filesIn(folder, ["tool", "tools", "plugin", "plugins"])) : [];
  return tools.length === 0 ? undefined : { guard: "unguarded", detail: "it runs your own opencode tools unasked" };
}

function firstOf(folder: string, names: readonly string[]): string[] {
  return names
    .map((name) => path.join(folder, name))
    .filter((file) => existsSync(file))
    .slice(0, 1);
}

function filesIn(folder: string, below: readonly string[]): string[] {
  return below.flatMap((name) => {
    try {
      return readdirSync(path.join(folder, name)).filter((file) => /\.[cm]?[jt]s$/.test(file));
    } catch {
      // Not there: then nothing of it runs.
      return [];
    }
  });
}

// The agent of ours that opencode works as, put into the configuration that it is given by the environment. Pure.

type Action = "allow" | "ask" | "deny";
type Permissions = Readonly<Record<string, Action | Readonly<Record<string, Action>>>>;

interface AgentSession {
  readonly isWritable: boolean;
  readonly isSandboxed: boolean;
  /** The name of the table's own tool server. */
  readonly hostToolServer: string;
}

/** Of two rules that fit, opencode goes by the later one. */
function permissionsFor({ isWritable, isSandboxed, hostToolServer }: AgentSession): Permissions {
  const isClosed = !isWritable && !isSandboxed;
  const secrets = isClosed ? "deny" : "ask";
  return {
    "*": isClosed ? "deny" : "ask",
    read: { "*": "allow", "*.env": secrets, "*.env.*": secrets, "*.env.example": "allow" },
    ...allow(["glob", "grep", "list", "todoread", "todowrite", "skill", "invalid"]),
    ...(isClosed ? { webfetch: "ask", websearch: "ask" } : {}),
    ...(isWritable ? {} : { edit: "deny" }),
    // What its subagents ask for is not passed on over ACP: one that had to ask would wait until the turn is stopped.
    task: "deny",
    // Nobody would see these questions, and a plan that is accepted goes on as another agent.
    question: "deny",
    plan_enter: "deny",
    plan_exit: "deny",
    [`${hostToolServer}_*`]: "allow",
  };
}

function allow(tools: readonly string[]): Permissions {
  return Object.fromEntries(tools.map((tool) => [tool, "allow"]));
}

/** The configuration as JSON; null when what is given is none. */
function ownAgent(
  given: string | undefined,
  session: AgentSession & { readonly agent: string; readonly notes: readonly string[] },
): string | null {
  const { agent, notes } = session;
  const config = parse(given ?? "{}");
  if (config === null) return null;
  const description = "At the table";
  const own = { mode: "primary", description, permission: permissionsFor(session) };
  const instructions = [...listOf(config["instructions"]), ...notes];
  return JSON.stringify({
    ...config,
    agent: { ...recordOf(config["agent"]), [agent]: own },
    default_agent: agent,
    // Else a denied call ends its turn, and why it was denied is not heard before the next one.
    experimental: { ...recordOf(config["experimental"]), continue_loop_on_deny: true },
    ...(instructions.length === 0 ? {} : { instructions }),
  });
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    // With comments, or broken: it stays as it is, and the agent is not offered.
    return null;
  }
}

function recordOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
