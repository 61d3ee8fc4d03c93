/** Environment and sandbox of a member's programs, as configured for a directory. Values of variables are secrets. */
import { homedir } from "node:os";
import path from "node:path";
import type { MemberEnvironment, MemberSandbox } from "../../agents/index.ts";
import type { Setting } from "./environment.ts";
import { loadConfig, type Config } from "./load-config.ts";
import type { Environment } from "./paths.ts";
import type { AgentConfig } from "./schema.ts";
import { sandboxSettings } from "./sandbox-keys.ts";

const SECRET = /key|token|secret|password|credential/i;

/** Throws when the configuration is invalid. Only overrides of agents are used. */
export function memberEnvironmentFor(
  { cwd, member }: { cwd: string; member: string },
  env: Environment,
  overrides: readonly Setting[] = [],
): MemberEnvironment {
  const own = overrides.filter(({ path }) => path.split(".")[0] === "agents");
  const { agents } = loadConfig({ cwd, env, overrides: own }).config;
  const agent = agents[member];
  const changes = agent?.env === undefined || Array.isArray(agent.env) ? undefined : agent.env;
  return {
    ...(agent?.environment === "clean" ? { isClean: true } : {}),
    ...(changes === undefined ? {} : { changes }),
    withheld: withheldFrom(member, agents),
    ...(agent?.baseUrl === undefined ? {} : { baseUrl: agent.baseUrl }),
  };
}

/** Secrets that the configuration grants to other members only. */
function withheldFrom(member: string, agents: Readonly<Record<string, AgentConfig>>): string[] {
  const namesOf = ({ env = [] }: AgentConfig): string[] => (Array.isArray(env) ? env : Object.keys(env));
  const mine = new Set(agents[member] === undefined ? [] : namesOf(agents[member]));
  const others = Object.entries(agents).flatMap(([name, agent]) => (name === member ? [] : namesOf(agent)));
  return others.filter((name) => SECRET.test(name) && !mine.has(name));
}

/** Throws when the configuration is invalid. Only overrides of agents and the sandbox are used. */
export function memberSandboxFor(
  { cwd, member }: { cwd: string; member: string },
  env: Environment,
  overrides: readonly Setting[] = [],
): MemberSandbox {
  const own = overrides.filter((setting) => ["agents", "sandbox"].includes(setting.path.split(".")[0] ?? ""));
  return sandboxOf(loadConfig({ cwd, env, overrides: own }).config, member, env);
}

/** True when the user turned it off for everyone; an unreadable configuration does not. */
export function isSandboxOff(cwd: string, env: Environment, overrides: readonly Setting[] = []): boolean {
  try {
    return memberSandboxFor({ cwd, member: "" }, env, overrides).settings.mode === "off";
  } catch {
    return false;
  }
}

export function sandboxOf(config: Config, member: string, env: Environment): MemberSandbox {
  const agent = Object.hasOwn(config.agents, member) ? config.agents[member] : undefined;
  const {
    mode = "auto",
    write = [],
    sockets = [],
  } = { ...sandboxSettings(config.sandbox), ...sandboxSettings(agent?.sandbox) };
  const fromHome = (written: string): string => homePath(written, env);
  return {
    settings: { mode, write: write.map(fromHome), sockets: sockets.map(fromHome) },
    mayWorkUnguarded: agent?.unguarded === "allow",
  };
}

function homePath(written: string, env: Environment): string {
  return /^~(?:\/|$)/.test(written) ? path.join(env["HOME"] ?? homedir(), written.slice(1)) : written;
}
