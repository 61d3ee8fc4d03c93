/** A member's environment as configured for a directory. Values are secrets and are never shown. */
import type { MemberEnvironment } from "../../agents/index.ts";
import type { Setting } from "./environment.ts";
import { loadConfig } from "./load-config.ts";
import type { Environment } from "./paths.ts";
import type { AgentConfig } from "./schema.ts";

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
