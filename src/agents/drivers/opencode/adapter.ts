/** Members of kind `opencode`: `opencode acp`, one process per member. */
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { MemberSpec } from "../../../protocol/index.ts";
import { createAcpProcessAgent, type AcpAgentOptions } from "../acp/acp-process-agent.ts";
import type { Agent, AgentSetup } from "../../port.ts";
import { readOwnFile } from "../../../kit/files/own-file.ts";
import { checkoutDirectories, hasGit } from "../../../kit/files/checkout-directories.ts";
import type { AcpProgram, ProgramSession, Restraint } from "../acp/programs/program.ts";
import { createStartGate } from "../acp/programs/start-gate.ts";

export function createOpencodeAgent(spec: MemberSpec, setup: AgentSetup, options: AcpAgentOptions = {}): Agent {
  const [command = "opencode", ...args] = spec.command ?? ["opencode", "acp"];
  return createAcpProcessAgent(
    spec,
    setup,
    { command, args: args.length === 0 ? ["acp"] : args, program: opencodeProgram },
    options,
  );
}

/**
 * opencode runs as an agent that we add to its configuration and whose permissions take precedence: settings of the
 * user and the project can widen those of every other agent. In a read-only session it is configured to deny by itself,
 * because a permission that is denied from outside ends its turn.
 */
export const opencodeProgram: AcpProgram = {
  stateOf: "opencode",
  setEnv: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
  restrain,
  silenceWarnMs: 20_000,
  loginHint: 'Run "opencode auth login" in a terminal and ask again.',
  canSteer: true,
  doToolsLeadGroups: true,
  // Accepted, though it is not listed.
  compactCommand: { name: "compact", acceptsInput: false },
  // It creates or migrates its database on the first start, and a second process finds it locked.
  startGate: createStartGate(),
};

const CONFIG = "OPENCODE_CONFIG_CONTENT";

function restrain(session: ProgramSession): Restraint {
  const { cwd, isSandboxed, isWritable, hostToolServer: agent, environment } = session;
  const projects = checkoutDirectories(cwd);
  const notes = projects.flatMap((folder) => firstOf(folder, ["AGENTS.md", "CLAUDE.md"])).slice(0, 1);
  const config = ownAgent(environment[CONFIG], { ...session, agent, notes });
  return {
    env: {
      // For a version that does not accept the agent.
      OPENCODE_PERMISSION: JSON.stringify(permissionsFor(session)),
      // A project's tool servers start unasked, and its agents have permissions of their own.
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
      ...(config === undefined ? {} : { [CONFIG]: config }),
    },
    mode: agent,
    // Inside the sandbox of a read-only session they can change nothing.
    startsUnasked: isSandboxed && !isWritable ? undefined : projectPlugin(projects, environment),
    guard: unaskedCode(session) ?? { guard: isWritable ? "asks_first" : "own_mode" },
  };
}

/**
 * Plug-ins of a checkout run when it starts, and no setting turns them off. Outside a git repository it searches all
 * parent directories.
 */
function projectPlugin(
  projects: readonly string[],
  { HOME = homedir() }: ProgramSession["environment"],
): string | undefined {
  const root = projects.at(-1) ?? "/";
  const folders = [...projects, ...(hasGit(root) ? [] : directoriesAbove(root))].filter((folder) => folder !== HOME);
  const configs = folders.flatMap((folder) =>
    ["opencode.json", "opencode.jsonc"].flatMap((name) => [
      path.join(folder, name),
      path.join(folder, ".opencode", name),
    ]),
  );
  const files = folders.flatMap((folder) =>
    ["plugin", "plugins"].flatMap((name) =>
      filesIn(path.join(folder, ".opencode"), [name]).map((file) => path.join(folder, ".opencode", name, file)),
    ),
  );
  return [...files, ...configs.filter((file) => PLUGIN_KEY.test(readText(file)))][0];
}

/** Also as JSON may spell it. */
const PLUGIN_KEY = /plugin|\\u/i;

/** What cannot be read by us is no configuration for it either. */
function readText(file: string): string {
  try {
    return readOwnFile(file);
  } catch {
    return "";
  }
}

function directoriesAbove(directory: string): string[] {
  const above = path.dirname(directory);
  return above === directory ? [] : [above, ...directoriesAbove(above)];
}

/** The user's own tools from files do not ask, and plug-ins may act. */
function unaskedCode({ isWritable, environment }: ProgramSession): Restraint["guard"] {
  const { XDG_CONFIG_HOME, OPENCODE_CONFIG_DIR, HOME = homedir() } = environment;
  const own = [path.join(XDG_CONFIG_HOME ?? path.join(HOME, ".config"), "opencode"), path.join(HOME, ".opencode")];
  const folders = OPENCODE_CONFIG_DIR === undefined ? own : [...own, OPENCODE_CONFIG_DIR];
  const tools = isWritable ? folders.flatMap((folder) => filesIn(folder, ["tool", "tools", "plugin", "plugins"])) : [];
  return tools.length === 0
    ? undefined
    : { guard: "unguarded", detail: "it runs your own opencode tools without asking" };
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
      // No such directory: no plug-ins.
      return [];
    }
  });
}

type Action = "allow" | "ask" | "deny";
type Permissions = Readonly<Record<string, Action | Readonly<Record<string, Action>>>>;

interface AgentSession {
  readonly isWritable: boolean;
  readonly isSandboxed: boolean;
  /** Name of the server with the host tools. */
  readonly hostToolServer: string;
}

/** Of two matching rules opencode uses the later one. */
function permissionsFor({ isWritable, isSandboxed, hostToolServer }: AgentSession): Permissions {
  const isClosed = !isWritable && !isSandboxed;
  const secrets = isClosed ? "deny" : "ask";
  return {
    "*": isClosed ? "deny" : "ask",
    read: { "*": "allow", "*.env": secrets, "*.env.*": secrets, "*.env.example": "allow" },
    ...allow(["glob", "grep", "list", "todoread", "todowrite", "skill", "invalid"]),
    ...(isClosed ? { webfetch: "ask", websearch: "ask" } : {}),
    ...(isWritable ? {} : { edit: "deny" }),
    // Requests of its subagents are not forwarded over ACP: one that had to ask would wait until the turn is stopped.
    task: "deny",
    // These questions would reach nobody, and an accepted plan continues as another agent.
    question: "deny",
    plan_enter: "deny",
    plan_exit: "deny",
    [`${hostToolServer}_*`]: "allow",
  };
}

function allow(tools: readonly string[]): Permissions {
  return Object.fromEntries(tools.map((tool) => [tool, "allow"]));
}

/** Configuration as JSON; undefined when the given one is invalid. */
function ownAgent(
  given: string | undefined,
  session: AgentSession & { readonly agent: string; readonly notes: readonly string[] },
): string | undefined {
  const { agent, notes } = session;
  const config = parse(given ?? "{}");
  if (config === undefined) return undefined;
  const description = "Roundtable member";
  const own = { mode: "primary", description, permission: permissionsFor(session) };
  const instructions = [...listOf(config["instructions"]), ...notes];
  return JSON.stringify({
    ...config,
    agent: { ...recordOf(config["agent"]), [agent]: own },
    default_agent: agent,
    // Otherwise a denied call ends its turn, and the reason is seen only in the next one.
    experimental: { ...recordOf(config["experimental"]), continue_loop_on_deny: true },
    ...(instructions.length === 0 ? {} : { instructions }),
  });
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    // JSON with comments, or invalid: left unchanged, and our agent is not added.
    return undefined;
  }
}

function recordOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
