/**
 * Who sits down in a new session. Without configuration: whoever is found on this machine and can be seated by this
 * version, else the embedded members.
 * Promises: nothing is looked for when all members are configured or built in, and nobody waits for a search that could
 * seat no one.
 */
import type { Findings } from "../../agents/index.ts";
import type { MemberSpec } from "../../protocol/index.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { userConfigFile, type Environment } from "../config/paths.ts";
import { firstStartBlock, isFirstStart } from "./first-start.ts";
import { chooseMembers, hasConfiguredMembers, knownMembers } from "./members.ts";

export interface MemberResolver {
  /** Throws a Failure when a configured name is nobody's. */
  members(): Promise<MemberSpec[]>;
  /** At the first start, and once: tells who was found and who sits down, if that is known by now. */
  introduce(): void;
  /** The same, when the search is over. */
  introduceWhenSearched(): Promise<void>;
}

export interface MemberResolverOptions {
  loaded: LoadedConfig;
  env: Environment;
  dataDir: string;
  /** Takes what a person is told; absent where only a program listens. */
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
      const { hasSupportedKinds, embeddedMembers } = await agents;
      if (isOpen) members = defaultMembers(hasSupportedKinds ? await discovery : undefined, embeddedMembers);
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

export function defaultMembers(findings: Findings | undefined, embedded: readonly MemberSpec[]): readonly MemberSpec[] {
  const available = findings === undefined ? [] : findings.agents.filter(joinsByDefault).map((one) => one.spec);
  return available.length > 0 ? available : embedded;
}

/**
 * Those who were named, else every configured agent. Somebody who is neither configured nor built in is looked for on
 * this machine: whoever sits down unasked when nothing is configured can be asked for by name.
 */
export async function chosenMembers(
  { config, settings }: LoadedConfig,
  find: () => Promise<Findings>,
): Promise<MemberSpec[]> {
  const { embeddedMembers } = await import("../../agents/index.ts");
  const known = knownMembers(config, embeddedMembers);
  const isKnown = config.council.members?.every((name) => known.has(name)) ?? true;
  const others = isKnown ? embeddedMembers : [...embeddedMembers, ...supportedIn(await find())];
  const origin = settings.find((setting) => setting.path === "council.members")?.origin;
  return chooseMembers(config, others, origin ?? "the configuration");
}

/** Everyone who can be asked for by name, those of the configuration first. */
export async function availableMembers(
  { config }: Pick<LoadedConfig, "config">,
  find: () => Promise<Findings>,
): Promise<MemberSpec[]> {
  const { embeddedMembers } = await import("../../agents/index.ts");
  const known = knownMembers(config, [...embeddedMembers, ...supportedIn(await find())]);
  const isConfigured = ({ name }: MemberSpec) => Object.hasOwn(config.agents, name);
  const all = [...known.values()];
  return [...all.filter(isConfigured), ...all.filter((spec) => !isConfigured(spec))];
}

/** Not who cannot answer because nobody is logged in, and no vendor twice. By name each of them can be asked for. */
function joinsByDefault({ isSupported, logIn, coveredBy }: Findings["agents"][number]): boolean {
  return isSupported && logIn === undefined && coveredBy === undefined;
}

function supportedIn({ agents }: Findings): MemberSpec[] {
  return agents.filter((one) => one.isSupported).map((one) => one.spec);
}
