/**
 * Members of a new session. Without configuration: the supported agents detected on this machine, else the embedded
 * members. Detection is skipped when all members are configured or built in, and is not awaited when it cannot add one.
 */
import { opendirSync } from "node:fs";
import { join } from "node:path";
import type { Findings } from "../../agents/index.ts";
import type { MemberSpec } from "../../protocol/index.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { userConfigFile, type Environment } from "../config/paths.ts";
import { embeddedMembers } from "../edges.ts";
import { chooseMembers, hasConfiguredMembers, knownMembers } from "./members.ts";
import { usageFailure } from "../../kit/failure.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";

export interface MemberResolver {
  /** Throws a Failure for an unknown member name. */
  members(): Promise<MemberSpec[]>;
  /** At the first start, once: prints detected agents and members, if detection has finished. */
  introduce(): void;
  /** The same, after detection. */
  introduceWhenSearched(): Promise<void>;
}

export interface MemberResolverOptions {
  loaded: LoadedConfig;
  env: Environment;
  dataDir: string;
  /** Receives lines for a person; absent for machine-readable output. */
  notify?: ((text: string) => void) | undefined;
}

export function createMemberResolver({ loaded, env, dataDir, notify }: MemberResolverOptions): MemberResolver {
  const isOpen = !hasConfiguredMembers(loaded.config);
  const agents = import("../../agents/index.ts");
  let pendingNotify = isOpen && isFirstStart(dataDir) ? notify : undefined;
  let members: readonly MemberSpec[] = [];
  let findings: Findings | undefined;
  const isAwaited = pendingNotify !== undefined;
  const discovery = agents.then(async ({ hasSupportedKinds, findAgents }) => {
    if (isOpen && (isAwaited || hasSupportedKinds)) findings = await findAgents({ env, cwd: loaded.cwd });
    return findings;
  });
  const search = async () => (await agents).findAgents({ env, cwd: loaded.cwd });
  const introduce = (): void => {
    if (findings === undefined || members.length === 0) return;
    pendingNotify?.(firstStartBlock({ findings, members, configFile: userConfigFile(env) }));
    pendingNotify = undefined;
  };
  return {
    async members() {
      const { hasSupportedKinds } = await agents;
      if (isOpen) members = defaultMembers(hasSupportedKinds ? await discovery : undefined);
      else members = await chosenMembers(loaded, search);
      return [...members];
    },
    introduce,
    async introduceWhenSearched() {
      await discovery;
      introduce();
    },
  };
}

export function defaultMembers(findings: Findings | undefined): readonly MemberSpec[] {
  const available = findings === undefined ? [] : findings.agents.filter(joinsByDefault).map((one) => one.spec);
  return available.length > 0 ? available : embeddedMembers;
}

/**
 * The named members, else every configured agent. A name that is neither configured nor built in is looked up among the
 * agents detected on this machine.
 */
export async function chosenMembers(
  { config, settings }: LoadedConfig,
  find: () => Promise<Findings>,
): Promise<MemberSpec[]> {
  const known = knownMembers(config, embeddedMembers);
  const others = config.council.members?.filter((name) => !known.has(name)) ?? [];
  const origin = settings.find((setting) => setting.path === "council.members")?.origin ?? "the configuration";
  if (others.length === 0) return chooseMembers(config, embeddedMembers, origin);
  const findings = await find();
  await refuseAbsent(others, findings, origin);
  return chooseMembers(config, [...embeddedMembers, ...supportedIn(findings)], origin);
}

/** Agents that Roundtable knows and this machine lacks: how to get one says more than the names of the others. */
async function refuseAbsent(names: readonly string[], { agents }: Findings, origin: string): Promise<void> {
  const { absentAgents } = await import("../../agents/index.ts");
  const absent = absentAgents(agents.map(({ spec }) => spec)).find(({ name }) => names.includes(name));
  if (absent === undefined) return;
  const { name, what, command } = absent;
  throw usageFailure(`"${name}" in ${origin} is not available here: ${what}`, `To get it: ${command}`);
}

/** All members that can be named, configured ones first. */
export async function availableMembers(
  { config }: Pick<LoadedConfig, "config">,
  find: () => Promise<Findings>,
): Promise<MemberSpec[]> {
  const known = knownMembers(config, [...embeddedMembers, ...supportedIn(await find())]);
  const isConfigured = ({ name }: MemberSpec) => Object.hasOwn(config.agents, name);
  const all = [...known.values()];
  return [...all.filter(isConfigured), ...all.filter((spec) => !isConfigured(spec))];
}

/** Default members: logged in, and one per vendor. The others can still be named. */
function joinsByDefault({ isSupported, logIn, coveredBy }: Findings["agents"][number]): boolean {
  return isSupported && logIn === undefined && coveredBy === undefined;
}

function supportedIn({ agents }: Findings): MemberSpec[] {
  return agents.filter((one) => one.isSupported).map((one) => one.spec);
}

/** True until a session was stored there. */
export function isFirstStart(dataDir: string): boolean {
  try {
    const logs = opendirSync(join(dataDir, "logs"));
    try {
      for (let entry = logs.readSync(); entry !== null; entry = logs.readSync()) {
        if (entry.name.endsWith(".jsonl") || entry.name.endsWith(".jsonl.zst")) return false;
      }
    } finally {
      logs.closeSync();
    }
    return true;
  } catch (error) {
    // An unreadable directory is not a first start; the run itself reports the error.
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

interface FirstStart {
  findings: Findings;
  members: readonly MemberSpec[];
  configFile: string;
}

function firstStartBlock({ findings, members, configFile }: FirstStart): string {
  const { agents, unanswered } = findings;
  const agentLabels = agents.map(({ spec, source, where }) => (source === "key" ? where : `${spec.name} (${where})`));
  const cannot = agents.filter((one) => !one.isSupported).map((one) => one.spec.name);
  const loggedOut = agents.flatMap(({ spec, logIn }) => (logIn === undefined ? [] : [`${spec.name} (${logIn})`]));
  const isBuiltIn = members.every((spec) => spec.kind === "embedded");
  const about = isBuiltIn ? " (built in and rule-based: no model, key or network needed)" : "";
  const lines = [
    "Welcome to Roundtable. No members are configured.",
    `  found      ${listed(agentLabels) || "no agent program on PATH, no API key, no local model server"}`,
    `  members    ${listed(members.map((spec) => spec.name))}${about}`,
    ...(cannot.length === 0 ? [] : [`  not yet    ${listed(cannot)}: not supported by this version`]),
    ...(loggedOut.length === 0 ? [] : [`  log in     ${listed(loggedOut)}`]),
    ...(unanswered.length === 0 ? [] : [`  no answer  ${listed(unanswered)}`]),
    `  change it  --members NAMES, or council.members in ${configFile}`,
    "             roundtable agents lists all agents; roundtable config show --origin shows every setting",
  ];
  return lines.map((line) => `${terminalSafeLine(line)}\n`).join("");
}

function listed(names: readonly string[]): string {
  return names.join(", ");
}
