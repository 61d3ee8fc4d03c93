/** Sandbox of a member's programs as configured for a directory. */
import { homedir } from "node:os";
import path from "node:path";
import type { MemberSandbox } from "../../agents/index.ts";
import type { Setting } from "./environment.ts";
import { loadConfig, type Config } from "./load-config.ts";
import type { Environment } from "./paths.ts";
import { sandboxSettings } from "./sandbox-keys.ts";

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
