/**
 * Agent on a program that speaks the Agent Client Protocol over stdio. Arguments are the configured ones, always the
 * same; models, prompts and session ids go through the protocol.
 */
import path from "node:path";
import { systemClock, type Clock } from "../../../kit/clock.ts";
import type { Capabilities, MemberSpec } from "../../../protocol/index.ts";
import { COMMON_CAPABILITIES } from "../../capabilities.ts";
import type { Agent, AgentEvent, AgentSetup } from "../../port.ts";
import type { AgentRun } from "../../process/agent-run.ts";
import { programEnvironment } from "../../process/launch/environment.ts";
import { launchProgram, type Launch, type Launched, type LaunchOptions } from "../../process/launch/launch.ts";
import type { ProcessLimits } from "../../process/limits.ts";
import { createProcessAgent } from "../../process/process-agent.ts";
import { createProcessRecords, type ProcessRecords } from "../../process/tracking/process-records.ts";
import { chooseProcessList } from "../../process/list/choose-process-list.ts";
import { seconds } from "../../process/turn-errors.ts";
import { sandboxRequest } from "../../sandbox/sandbox.ts";
import { isInside } from "../../tools/inside.ts";
import type { AcpMcpServer, AcpOptions } from "./options.ts";
import { commandsKnown, createAcpDialect } from "./parse.ts";
import { PrivateDirectory } from "./private-directory.ts";
import { type AcpProgram, type Restraint, programName } from "./programs/program.ts";
import type { AcpState } from "./state.ts";
import { AcpHostTools } from "./host-tools.ts";

export interface AcpAgentOptions {
  /** MCP servers that the agent connects to, besides the host tools. */
  readonly mcpServers?: readonly AcpMcpServer[];
  readonly limits?: Partial<ProcessLimits>;
  readonly clock?: Clock;
}

export interface AcpCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly program: AcpProgram;
}

export function createAcpProcessAgent(
  spec: MemberSpec,
  setup: AgentSetup,
  command: AcpCommand,
  options: AcpAgentOptions = {},
): Agent {
  const { program } = command;
  const { limits, clock = systemClock, mcpServers = [] } = options;
  const pause = createPause(clock);
  const folder = new PrivateDirectory();
  const { toolsMs, toolsHint } = program;
  const toolOptions = { member: spec.name, setup, clock, toolsMs, toolsHint, about: () => about };
  const hostTools: AcpHostTools = new AcpHostTools(toolOptions);
  const context: AcpContext = { spec, setup, command, hostTools, folder };
  const about: AcpOptions = dialectOptions(context, mcpServers);
  let readStderr = (): string => "";
  const agent = createProcessAgent<AcpState>({
    member: spec.name,
    capabilities: capabilitiesOf(spec, program),
    dialect: createAcpDialect(about),
    launch: launchOf(context),
    records: setup.records ?? unrecorded(setup.cwd),
    nativeSessionId: setup.nativeSessionId,
    setup,
    async open(launch) {
      const launched = await openInTime(launch, context, pause);
      if (launched.ok) {
        readStderr = () => launched.run.process.stderr;
        hostTools.ran(launched.run);
        awaitCommands(launched.run, about, clock);
      }
      return launched;
    },
    clock,
    limits: { ...(program.silenceWarnMs === undefined ? {} : { silenceWarnMs: program.silenceWarnMs }), ...limits },
  });
  const waking = wakingAgent(agent, pause);
  return {
    ...waking,
    async start(up) {
      await hostTools.open(up);
      await agent.start((event) => {
        hostTools.onEvent(event);
        if (event.type === "member_session") program.cleanUpSession?.(event.nativeSessionId, environmentOf(context));
        up(withStderr(event, () => readStderr()));
      });
    },
    answer(callId, result) {
      agent.answer(callId, result);
      hostTools.answer(callId, result);
    },
    async close() {
      await waking.close();
      await hostTools.close();
      folder.remove();
    },
  };
}

function capabilitiesOf(spec: MemberSpec, program: AcpProgram): Capabilities {
  return {
    ...COMMON_CAPABILITIES,
    steer: program.canSteer,
    images: spec.kind !== "cursor",
    ...(program.compactCommand === "none" ? {} : { compact: "native" as const }),
  };
}

interface AcpContext {
  readonly spec: MemberSpec;
  readonly setup: AgentSetup;
  readonly command: AcpCommand;
  readonly hostTools: AcpHostTools;
  readonly folder: PrivateDirectory;
}

function dialectOptions(context: AcpContext, mcpServers: readonly AcpMcpServer[]): AcpOptions {
  const { spec, setup, hostTools } = context;
  const { program } = context.command;
  const given = environmentOf(context);
  const isSet = (variable: string): boolean => (given[variable] ?? "") !== "";
  return {
    member: spec.name,
    cwd: setup.cwd,
    isWritable: setup.writable,
    // Evaluated when a session is opened; the host tools are available by then.
    get mcpServers() {
      return [...mcpServers, ...hostTools.servers()];
    },
    hostToolServer: hostTools.name,
    awaitsTools: program.toolsMs !== undefined,
    model: spec.model,
    effort: spec.effort,
    authMethod: program.authMethod?.(isSet),
    loginHint: program.loginHint,
    mode: (isSandboxed) => restraintOf(context, isSandboxed).mode,
    guard: () => restraintOf(context, false).guard,
    canSteer: program.canSteer,
    compactCommand: program.compactCommand,
    extensions: program.extensions,
  };
}

function environmentOf({ spec, setup }: AcpContext): Readonly<Record<string, string>> {
  return programEnvironment(setup.environment ?? { variables: process.env }, { named: spec.env ?? [], marker: "" });
}

function restraintOf(context: AcpContext, isSandboxed: boolean): Restraint {
  const { setup, command, hostTools, folder } = context;
  const session = {
    cwd: setup.cwd,
    isWritable: setup.writable,
    isSandboxed,
    hostToolServer: hostTools.name,
    environment: environmentOf(context),
    writeFile: (name: string, text: string) => folder.write(name, text),
  };
  return command.program.restrain?.(session) ?? {};
}

function launchOf(context: AcpContext): Launch {
  const { spec, setup, command, hostTools, folder } = context;
  const { program } = command;
  return {
    command: command.command,
    args: ({ isSandboxed }) => [...command.args, ...(restraintOf(context, isSandboxed).args?.() ?? [])],
    cwd: setup.cwd,
    env: spec.env ?? [],
    environment: setup.environment,
    envFor: ({ isSandboxed }) => restraintOf(context, isSandboxed).env ?? {},
    refusal: ({ isSandboxed }) => refusalOf(context, isSandboxed),
    // Evaluated at each start; the socket of the host tools exists by then.
    get sandbox() {
      return sandboxRequest(setup, program.stateOf ?? programName(command), [folder.path, ...hostTools.shown()]);
    },
    lifetime: "member",
    isHelper: (commandLine) => hostTools.isHelper(commandLine),
    doToolsLeadGroups: program.doToolsLeadGroups ?? false,
    loginHint: program.loginHint,
    ...(program.setEnv === undefined ? {} : { setEnv: program.setEnv }),
  };
}

/** A checkout starts nothing that the user has not agreed to. */
function refusalOf(context: AcpContext, isSandboxed: boolean): { message: string; hint: string } | undefined {
  const { spec, setup } = context;
  const file = restraintOf(context, isSandboxed).startsUnasked;
  if (file === undefined || setup.hasAgreed?.() === true) return undefined;
  const shown = isInside(setup.cwd, file) ? path.relative(setup.cwd, file) : file;
  return {
    message: `${spec.name} did not start: it would run ${shown} of this project without asking.`,
    hint: `Read it, then set agents.${spec.name}.unguarded to "allow" in your own configuration, or move it away.`,
  };
}

/** Starts the program, after a reported delay where it must not start yet. */
async function openInTime(
  launch: LaunchOptions<AcpState>,
  context: AcpContext,
  pause: Pause,
): Promise<Launched<AcpState>> {
  const { startGate } = context.command.program;
  const sessionId = launch.known.nativeSessionId;
  const ms = sessionId === undefined ? 0 : prepareSession(sessionId, context);
  if (ms > 0) {
    const message = `${launch.member} cannot resume its session in the same minute it was created; it continues in ${seconds(ms)}.`;
    launch.listener.event({ type: "warning", code: "waiting", message }, "");
    if (!(await pause.wait(ms))) return { ok: false, over: { outcome: "interrupted", reason: "interrupted" } };
  }
  if (startGate === undefined) return launchProgram(launch);
  return startGate.pass(launch.clock, () => launchProgram(launch), isReady);
}

/** Delay before its program can load the session. */
function prepareSession(sessionId: string, context: AcpContext): number {
  const { cleanUpSession, waitMs } = context.command.program;
  const environment = environmentOf(context);
  cleanUpSession?.(sessionId, environment);
  return waitMs?.(sessionId, Date.now(), environment) ?? 0;
}

async function isReady(launched: Launched<AcpState>): Promise<boolean> {
  if (!launched.ok) return false;
  return Promise.race([launched.run.ready.then(() => true), launched.run.ended.then(() => false)]);
}

/** Time for an agent to list its commands after its session is open. */
const COMMANDS_MS = 3_000;

function awaitCommands(run: AgentRun<AcpState>, about: AcpOptions, clock: Clock): void {
  void run.ready.then(() => {
    const cancel = clock.after(COMMANDS_MS, () => void run.send((state) => commandsKnown(state, about)));
    void run.ended.then(cancel);
  });
}

/** Failures whose reason agents print on stderr, if anywhere. */
const UNEXPLAINED = new Set(["no_answer", "agent_error"]);

function withStderr(event: AgentEvent, readStderr: () => string): AgentEvent {
  if (event.type !== "turn_done" || event.error === undefined || event.error.detail !== undefined) return event;
  const detail = UNEXPLAINED.has(event.error.code) ? readStderr() : "";
  return detail === "" ? event : { ...event, error: { ...event.error, detail } };
}

interface Pause {
  /** False when it was cut short. */
  wait(ms: number): Promise<boolean>;
  end(): void;
}

function createPause(clock: Clock): Pause {
  let end = (): void => {};
  return {
    wait(ms) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const cancel = clock.after(ms, () => resolve(true));
      end = () => {
        cancel();
        resolve(false);
      };
      return promise;
    },
    end: () => end(),
  };
}

/** Cuts the delay short when the program is no longer needed. */
function wakingAgent(agent: Agent, pause: Pause): Omit<Agent, "start"> {
  return {
    capabilities: agent.capabilities,
    send: (input) => agent.send(input),
    interrupt() {
      agent.interrupt();
      pause.end();
    },
    compact: (focus) => agent.compact?.(focus),
    answer: (callId, result) => agent.answer(callId, result),
    close() {
      const closed = agent.close();
      pause.end();
      return closed;
    },
  };
}

/** Without a data directory nothing is recorded; the run marker still identifies processes. */
export function unrecorded(cwd: string): ProcessRecords {
  const records = createProcessRecords({ dataDir: cwd, processes: chooseProcessList() });
  return { ...records, add: () => Promise.resolve(true), remove: () => undefined };
}
