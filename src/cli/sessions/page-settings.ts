/** The configuration as the page's settings show and change it. */
import { absoluteFolder, createAlwaysAllowedFile } from "../../host/index.ts";
import { Failure, noteLine } from "../../kit/failure.ts";
import { RoundtableError } from "../../protocol/index.ts";
import type { Configuration, ConfigurationChange, SessionDefaults, ShownConfiguration } from "../../server/index.ts";
import { addRule, changeMember, removeRule, setMembers } from "../config/change-config.ts";
import { loadConfig, type LoadedConfig } from "../config/load-config.ts";
import { howReached } from "../config/mcp-servers.ts";
import { alwaysAllowedFile, dataDirectory, userConfigFile, workingDirectory } from "../config/paths.ts";
import { sandboxSettings } from "../config/sandbox-keys.ts";
import type { AgentConfig } from "../config/schema.ts";
import { findListedAgents } from "../commands/agents/agents.ts";
import type { CommonFlags } from "../flags.ts";
import { withoutCredentials } from "../../kit/url-credentials.ts";
import { note } from "../terminal/stdout.ts";
import { sessionDefaults, settingsFromFlags, type SettingFlags } from "./defaults.ts";

/** `initial`: read at the start of the server, valid until a file of the configuration changes. */
export function createConfiguration(flags: CommonFlags & SettingFlags, initial: SessionDefaults): Configuration {
  const { env } = process;
  const always = createAlwaysAllowedFile({ file: alwaysAllowedFile(env), warn: (text) => note(noteLine(text)) });
  const written = () => settingsIn(flags, initial.cwd);
  let own: { readonly defaults: SessionDefaults; readonly settings: string | undefined } | undefined = {
    defaults: initial,
    settings: written(),
  };
  /** Looking for agents is slow, reading the files is not. */
  async function ownDefaults(): Promise<SessionDefaults> {
    const settings = written();
    if (own === undefined || own.settings !== settings)
      own = { defaults: await defaultsIn(flags, initial.cwd), settings };
    return own.defaults;
  }
  return {
    async defaults(given) {
      const cwd = absoluteFolder(given);
      const read = cwd === initial.cwd ? await ownDefaults() : await defaultsIn(flags, cwd);
      const { settings, members } = read;
      return { cwd: read.cwd, settings, members: [...members] };
    },
    async read(cwd) {
      const loaded = asAnswer(() => loadConfig({ cwd: workingDirectory(cwd), env, ...settingsFromFlags(flags) }));
      return {
        ...shown(loaded, dataDirectory(env, flags.dataDir, process.cwd())),
        grants: [...always.list(loaded.cwd)],
      };
    },
    async change(change) {
      if (change.change === "revoke_grant") return await always.remove(change.grant, change.cwd);
      await changeFile(flags, change, initial);
      own = undefined;
    },
  };
}

/** Every key with its value and origin; undefined where the files cannot be used. */
function settingsIn(flags: SettingFlags, cwd: string): string | undefined {
  try {
    return JSON.stringify(loadConfig({ cwd, env: process.env, ...settingsFromFlags(flags) }).settings);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

async function defaultsIn(flags: CommonFlags & SettingFlags, directory: string): Promise<SessionDefaults> {
  return await sessionDefaults({ ...flags, directory }).catch((error: unknown) => asAnswer(() => fail(error)));
}

type FileChange = Exclude<ConfigurationChange, { change: "revoke_grant" }>;

async function changeFile(
  flags: CommonFlags & SettingFlags,
  change: FileChange,
  { cwd }: SessionDefaults,
): Promise<void> {
  const { env } = process;
  if (change.change === "add_rule") return await addRule(env, change.verdict, change.rule);
  if (change.change === "remove_rule") return await removeRule(env, change.verdict, change.rule);
  const { member } = change;
  const agents = await findListedAgents({ ...flags, directory: cwd });
  const agent = agents.find(({ name }) => name === member);
  if (agent === undefined) throw new RoundtableError("unknown_member", `There is no member "${member}" here.`);
  if (change.change === "add_member" || change.change === "remove_member") {
    const loaded = asAnswer(() => loadConfig({ cwd: workingDirectory(cwd), env, ...settingsFromFlags(flags) }));
    return await changeMembers(agents, agent, change.change === "add_member", loaded);
  }
  const key = change.change;
  const value = change.change === "model" ? change.model : change.effort;
  const { foundBy: source } = agent;
  const isOwn = source === "configuration" && agent.where.startsWith(`${userConfigFile(env)}:`);
  if (!isOwn && source !== "program") {
    const where = source === "configuration" ? agent.where : userConfigFile(env);
    throw new RoundtableError("bad_command", `The ${key} of ${member} is set in ${where}.`);
  }
  const defaultMembers = agents.filter(({ sitsDown }) => sitsDown).map(({ name }) => name);
  await changeMember(env, { member, key, value, kind: agent.kind, defaultMembers });
}

type Listed = Awaited<ReturnType<typeof findListedAgents>>[number];

async function changeMembers(all: readonly Listed[], agent: Listed, isAdded: boolean, loaded: LoadedConfig) {
  const { settings, config } = loaded;
  const { env } = process;
  const { name } = agent;
  const origin = settings.find(({ path }) => path === "council.members")?.origin ?? "default";
  if (origin !== "default" && !origin.startsWith(`${userConfigFile(env)}:`))
    throw new RoundtableError("bad_command", `The members are set in ${origin}.`);
  if (isAdded && agent.whyNot !== undefined)
    throw new RoundtableError("bad_command", `${name} cannot join: ${agent.whyNot}.`);
  const before = config.council.members ?? all.filter(({ sitsDown }) => sitsDown).map((one) => one.name);
  const others = before.filter((one) => one !== name);
  if (!isAdded && others.length === 0) throw new RoundtableError("bad_command", "A session needs at least one member.");
  await setMembers(env, isAdded ? [...others, name] : others);
}

function shown(loaded: LoadedConfig, dataDir: string): Omit<ShownConfiguration, "grants"> {
  const { config, settings, rules, cwd } = loaded;
  const file = userConfigFile(process.env);
  const originOf = (path: string) => settings.find((one) => one.path === path)?.origin ?? "default";
  const { mode = "auto" } = sandboxSettings(config.sandbox);
  const agents = Object.entries(config.agents).flatMap(([name, agent]) =>
    fixedKeys(agent).map(([key, value]) => ({ key: `agents.${name}.${key}`, value, from: originOf(`agents.${name}`) })),
  );
  const servers = Object.entries(config.mcpServers ?? {}).map(([name, server]) => ({
    key: `mcpServers.${name}`,
    value: howReached(server),
    from: originOf(`mcpServers.${name}`),
  }));
  return {
    cwd,
    file,
    dataDir,
    sandbox: { mode, from: originOf("sandbox") },
    rules: rules.map(({ verdict, text, origin }) => {
      return { verdict, rule: text, from: origin, isOwn: origin.startsWith(`${file}:`) };
    }),
    fixed: [...agents, ...servers],
  };
}

/** Without the values of variables, which may be secrets. */
function fixedKeys({ command, baseUrl, env, sandbox }: AgentConfig): [key: string, value: string][] {
  const names = env === undefined ? [] : Array.isArray(env) ? env : Object.keys(env);
  const { mode } = sandboxSettings(sandbox);
  return [
    ...(command === undefined ? [] : [["command", command.join(" ")] satisfies [string, string]]),
    ...(baseUrl === undefined ? [] : [["baseUrl", withoutCredentials(baseUrl)] satisfies [string, string]]),
    ...(names.length === 0 ? [] : [["env", names.join(", ")] satisfies [string, string]]),
    ...(mode === undefined ? [] : [["sandbox", mode] satisfies [string, string]]),
  ];
}

/** The error as a message for the page. */
function asAnswer<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // A client knows no flag of this command line.
    const message = error.message.replace(/^-C .*?: (?=the directory )/, "");
    throw new RoundtableError("bad_command", `${message.charAt(0).toUpperCase()}${message.slice(1)}.`, {
      ...(error.hint === undefined ? {} : { hint: `${error.hint}.`.replace(/([.?!])\.$/, "$1") }),
      cause: error,
    });
  }
}

function fail(error: unknown): never {
  throw error;
}
