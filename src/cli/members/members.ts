/** Resolves member names to specs of known agents. */
import { withoutCredentials } from "../../kit/url-credentials.ts";
import type { MemberSpec, Settings } from "../../protocol/index.ts";
import type { Config } from "../config/load-config.ts";
import { nearestName } from "../../kit/text/nearest-name.ts";
import { usageFailure, type Failure } from "../../kit/failure.ts";

/** Configured agents first; others by name, unless an agent of that name is configured. */
export function knownMembers(config: Config, others: readonly MemberSpec[]): Map<string, MemberSpec> {
  const known = new Map(others.map((spec) => [spec.name, spec]));
  for (const [name, agent] of Object.entries(config.agents)) known.set(name, toSpec(name, agent));
  return known;
}

/** False when the members are left to the defaults. */
export function hasConfiguredMembers(config: Config): boolean {
  return config.council.members !== undefined || Object.keys(config.agents).length > 0;
}

/** The chosen members, else every configured agent. */
export function chooseMembers(config: Config, others: readonly MemberSpec[], origin: string): MemberSpec[] {
  const known = knownMembers(config, others);
  const names = config.council.members ?? Object.keys(config.agents);
  return [...new Set(names)].map((name) => {
    const spec = known.get(name);
    if (spec === undefined) throw unknownMember(name, [...known.keys()], origin);
    return spec;
  });
}

export function checkAddressees(to: readonly string[], memberNames: readonly string[]): void {
  checkMembers(
    to.filter((name) => name !== "all"),
    memberNames,
    "--to",
  );
}

export function checkMembers(names: readonly string[], memberNames: readonly string[], origin: string): void {
  const stranger = names.find((name) => !memberNames.includes(name));
  if (stranger !== undefined) throw unknownMember(stranger, memberNames, origin);
}

export function sessionSettings(config: Config, members: readonly MemberSpec[]): Settings {
  const { mode, auto_rounds, timeout, preamble, limits } = config.council;
  return {
    mode,
    auto_rounds,
    ...(config.council.rounds_need_model === true ? { rounds_need_model: true } : {}),
    timeout,
    request_timeout: config.requests.timeout,
    order: members.map((spec) => spec.name),
    limits,
    writable: config.council.writable ?? false,
    preamble,
    ...(config.prompts.council === undefined ? {} : { prompt: config.prompts.council }),
    ...(config.threads?.mirror === true ? { mirror: {} } : {}),
  };
}

export function unknownMember(name: string, known: readonly string[], origin: string): Failure {
  const near = nearestName(name, known);
  return usageFailure(
    `unknown member "${name}" in ${origin}`,
    `Known members: ${known.join(", ")}${near === undefined ? "" : `. Did you mean "${near}"?`}`,
  );
}

/** Names of variables only: the spec is written to the log, and values are secrets. */
function toSpec(name: string, agent: Config["agents"][string]): MemberSpec {
  const { prompts, env, environment: _environment, sandbox: _sandbox, unguarded: _unguarded, baseUrl, ...rest } = agent;
  // Credentials are read again when the agent starts, so that no log and no frame contains them.
  const address = baseUrl === undefined ? {} : { baseUrl: withoutCredentials(baseUrl) };
  const names = env === undefined || Array.isArray(env) ? env : Object.keys(env).filter((one) => env[one] !== null);
  const named = names === undefined || names.length === 0 ? {} : { env: names };
  return JSON.parse(JSON.stringify({ name, ...rest, ...address, ...named, prompts })) as MemberSpec;
}
