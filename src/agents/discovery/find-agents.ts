/**
 * Discovers agents on this machine: programs on PATH, API keys in the environment, model servers on their usual ports.
 * Starts nothing, reads no secret, and takes at most FIND_MS_MAX of running time; probes that did not finish are
 * listed. With `examine` each program is started once for its version.
 */
import { systemClock, type Clock, afterRunning } from "../../kit/clock.ts";
import { drainBeforeTimeout } from "../../kit/io/drain-before-timeout.ts";
import type { AgentKind, MemberSpec } from "../../protocol/index.ts";
import { whyUnsupported } from "../kinds.ts";
import {
  agentPrograms,
  findAgentProgram,
  discoveredSpec,
  programOf,
  programFacts,
  serverStarts,
  type AgentProgram,
} from "./agent-programs.ts";
import { apiKeys, keyHolder, type ApiKey } from "./api-keys.ts";
import { examineAgents, type ExaminedAgent, type ExamineOptions } from "./examine-agents.ts";
import { logInCommand, programLogin } from "./login-state.ts";
import { answersAsModelServer, modelServers, serverUrl, type ModelServer } from "./model-servers.ts";

const FIND_MS_MAX = 300;
const MODEL_SERVER_KIND: AgentKind = "openai";

export interface FindOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Session directory: programs in its checkout are ignored. */
  readonly cwd?: string | undefined;
  readonly servers?: readonly ModelServer[];
  /** Whether a model server answers on this local port. */
  readonly probe?: (port: number) => Promise<boolean>;
  readonly clock?: Clock;
  /** Examines what is found; starts programs. */
  readonly examine?: ExamineOptions;
}

export interface Findings {
  /** Programs, keys, servers; in a stable order. */
  readonly agents: readonly DiscoveredAgent[];
  /** Probes that did not finish in time. */
  readonly unanswered: readonly string[];
  /** With `examine` only. */
  readonly examination?: Examination;
}

export interface Examination {
  /** The given members, then discovered ones with other names. */
  readonly agents: readonly ExaminedAgent[];
  readonly absent: readonly AbsentAgent[];
}

export async function findAgents(options: FindOptions): Promise<Findings> {
  const { env, cwd, servers = modelServers, probe = answersAsModelServer, clock = systemClock } = options;
  const late = Promise.withResolvers<"late">();
  const cancel = afterRunning(clock, FIND_MS_MAX, () => void drainBeforeTimeout().then(() => late.resolve("late")));
  const probes = [
    ...agentPrograms.map((program) => ({
      what: `${program.spec.name} on PATH`,
      result: findProgramAgent(program, env, cwd),
    })),
    ...apiKeys.map((key) => ({ what: key.variable, result: Promise.resolve(checkKey(key, env)) })),
    ...servers.map((server) => ({ what: serverUrl(server.port), result: ask(server, probe) })),
  ];
  const loggedOut = agentPrograms.map((program) => Promise.race([howToLogIn(program, env), late.promise]));
  const results = await Promise.all(probes.map(({ result }) => Promise.race([result, late.promise])));
  const commands = new Map(
    (await Promise.all(loggedOut)).flatMap((one) => (one === undefined || one === "late" ? [] : [one])),
  );
  cancel();
  const there = results.filter((one) => one !== undefined && one !== "late");
  const agents = withoutDoubles(there.map((one) => withLogIn(one, commands.get(one.spec.name))));
  const unanswered = probes.flatMap(({ what }, at) => (results[at] === "late" ? [what] : []));
  if (options.examine === undefined) return { agents, unanswered };
  return { agents, unanswered, examination: await examineAll(agents, options.examine, { env, cwd }) };
}

async function examineAll(
  agents: readonly DiscoveredAgent[],
  options: ExamineOptions,
  context: { env: FindOptions["env"]; cwd: string | undefined },
): Promise<Examination> {
  const { members = [] } = options;
  const others = agents.map(({ spec }) => spec).filter(({ name }) => members.every((member) => member.name !== name));
  const present = [...members, ...others];
  return { agents: await examineAgents(present, { ...options, ...context }), absent: absentAgents(present) };
}

/** False when discovery cannot find a supported kind. */
export const hasSupportedKinds: boolean = [...agentPrograms, ...apiKeys, { spec: { kind: MODEL_SERVER_KIND } }].some(
  ({ spec }) => whyUnsupported(spec.kind) === undefined,
);

async function findProgramAgent(
  program: AgentProgram,
  env: FindOptions["env"],
  cwd: string | undefined,
): Promise<DiscoveredAgent | undefined> {
  const path = await findAgentProgram(program, env, cwd);
  return path === undefined ? undefined : describeDiscovered(discoveredSpec(program, env), "program", path);
}

function checkKey(key: ApiKey, env: FindOptions["env"]): DiscoveredAgent | undefined {
  const spec = keyHolder(key, env);
  return spec === undefined ? undefined : describeDiscovered(spec, "key", key.variable);
}

/** Program name and login command; undefined unless known to be logged out. */
async function howToLogIn(program: AgentProgram, env: FindOptions["env"]): Promise<[string, string] | undefined> {
  const { name } = program.spec;
  const facts = programFacts[name];
  if (facts === undefined) return undefined;
  const { state } = await programLogin(program, facts, env);
  return state === "no" ? [name, logInCommand(facts, env)] : undefined;
}

function withLogIn(agent: DiscoveredAgent, logIn: string | undefined): DiscoveredAgent {
  return agent.source !== "program" || logIn === undefined ? agent : { ...agent, logIn };
}

/** One member per vendor: its own program if that can answer, otherwise its API key. */
function withoutDoubles(agents: readonly DiscoveredAgent[]): DiscoveredAgent[] {
  return agents.map((one) => {
    const { program } = apiKeys.find(({ spec }) => one.source === "key" && spec.name === one.spec.name) ?? {};
    const isThere = agents.some(
      ({ spec, isSupported, logIn }) => spec.name === program && isSupported && logIn === undefined,
    );
    return program !== undefined && isThere ? { ...one, coveredBy: program } : one;
  });
}

async function ask(
  { name, port }: ModelServer,
  probe: (port: number) => Promise<boolean>,
): Promise<DiscoveredAgent | undefined> {
  const baseUrl = serverUrl(port);
  return (await probe(port))
    ? describeDiscovered({ name, kind: MODEL_SERVER_KIND, baseUrl }, "server", baseUrl)
    : undefined;
}

// Agent found on this machine.
export interface DiscoveredAgent {
  /** The member it would become. */
  readonly spec: MemberSpec;
  readonly source: "program" | "key" | "server";
  /** Path, variable or address; never a secret. */
  readonly where: string;
  readonly isSupported: boolean;
  readonly whyNot?: string;
  /** Login command, when known to be logged out. */
  readonly logIn?: string;
  /** Name of the same vendor's program, when it is present too. */
  readonly coveredBy?: string;
}

function describeDiscovered(spec: MemberSpec, source: DiscoveredAgent["source"], where: string): DiscoveredAgent {
  const whyNot = whyUnsupported(spec.kind);
  return { spec, source, where, isSupported: whyNot === undefined, ...(whyNot === undefined ? {} : { whyNot }) };
}

// Known agent that is not on this machine.
interface AbsentAgent {
  readonly name: string;
  readonly kind: AgentKind;
  readonly what: string;
  /** Command to type; fill in the parts in capitals. */
  readonly command: string;
}

/** An agent that a member uses under another name is not absent. */
export function absentAgents(present: readonly MemberSpec[]): AbsentAgent[] {
  const isPresent = ({ name, kind, baseUrl }: MemberSpec): boolean =>
    present.some((one) => {
      if (one.name === name) return true;
      if (kind === "openai") return one.kind === kind && one.baseUrl === baseUrl;
      return programOf(one)?.spec.name === name;
    });
  return [
    ...agentPrograms.map(({ spec, commands }) => ({
      spec,
      what: `no ${commands.map((command) => `"${command}"`).join(" or ")} on PATH`,
      command: programFacts[spec.name]?.install ?? "",
    })),
    ...apiKeys.map(({ variable, spec }) => ({
      spec,
      what: `${variable} is not set`,
      command: `export ${variable}=KEY`,
    })),
    ...modelServers.map(({ name, port }) => {
      const baseUrl = serverUrl(port);
      const spec: MemberSpec = { name, kind: "openai", baseUrl };
      return { spec, what: `no server at ${baseUrl}`, command: serverStarts[name] ?? "" };
    }),
  ].flatMap(({ spec, what, command }) =>
    isPresent(spec) ? [] : [{ name: spec.name, kind: spec.kind, what, command }],
  );
}
