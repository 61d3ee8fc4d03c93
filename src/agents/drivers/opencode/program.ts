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
import { ownAgent, permissionsFor } from "./agent-config.ts";

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
