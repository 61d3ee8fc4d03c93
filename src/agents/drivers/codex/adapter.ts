/**
 * Codex member: a thread of an app-server that it shares with the host's other Codex members of the same environment
 * and sandbox. Never throws; the turns of a member without a program end with an error.
 */
import { createHash, randomBytes } from "node:crypto";
import { realpathSync, existsSync } from "node:fs";
import path from "node:path";
import type { MemberSpec } from "../../../protocol/index.ts";
import type { Clock } from "../../../kit/clock.ts";
import { describeCall } from "../../approvals/describe-call.ts";
import { knownEffort } from "../../effort.ts";
import type { Agent, AgentSetup } from "../../port.ts";
import { programEnvironment } from "../../process/launch/environment.ts";
import { errored } from "../../process/turn-errors.ts";
import { findProgram } from "../../process/launch/find-program.ts";
import type { Launched, LaunchOptions } from "../../process/launch/launch.ts";
import type { ProcessLimits } from "../../process/limits.ts";
import { NATIVE_CAPABILITIES } from "../../capabilities.ts";
import { createProcessAgent } from "../../process/process-agent.ts";
import type { ProcessRecords } from "../../process/tracking/process-records.ts";
import { sandboxRequest } from "../../sandbox/sandbox.ts";
import { createUnavailableAgent } from "../../unavailable-agent.ts";
import { createCodexDialect } from "./parse.ts";
import { SharedServer, type ServerLaunch } from "./server/shared-server.ts";
import type { CodexState } from "./state.ts";
import { LOGIN_HINT } from "./turn/errors.ts";

export interface CodexTuning {
  readonly limits?: Partial<ProcessLimits>;
  readonly clock?: Clock;
}

/** Location of Codex's sessions and login; a path, not a secret. */
const OWN_ENV = ["CODEX_HOME"];

export function createCodexAgent(spec: MemberSpec, setup: AgentSetup, tuning: CodexTuning = {}): Agent {
  const { records } = setup;
  if (records === undefined) {
    const message = `Member "${spec.name}" did not answer: this session starts no programs.`;
    return createUnavailableAgent({ code: "unsupported", message });
  }
  const [command = "codex", ...args] = spec.command ?? [];
  const env = [...OWN_ENV, ...(spec.env ?? [])];
  const environment = setup.environment ?? { variables: process.env };
  const serverArgs = [...args, "app-server"];
  const { root } = path.parse(setup.cwd);
  const launch = { command, args: serverArgs, env, environment, cwd: root, isWritable: setup.writable };
  const idPrefix = `${spec.name}.${randomBytes(6).toString("hex")}:`;
  const marker = records.marker(spec.name);
  const dialect = createCodexDialect({
    member: spec.name,
    cwd: setup.cwd,
    realCwd: realDirectory(setup.cwd),
    isWritable: setup.writable,
    model: spec.model,
    effort: knownEffort(spec),
    instructions: spec.prompt,
    deniedBy: (tool, call) => deniedBy(setup, { tool, call }),
    idPrefix,
    marker,
  });
  return createProcessAgent<CodexState>({
    member: spec.name,
    capabilities: NATIVE_CAPABILITIES,
    dialect,
    launch: {
      command,
      args: () => serverArgs,
      cwd: setup.cwd,
      env,
      environment,
      lifetime: "member",
      loginHint: LOGIN_HINT,
    },
    records,
    nativeSessionId: setup.nativeSessionId,
    setup,
    ...tuning,
    // Denied paths are evaluated at each start.
    open: (options) => join(options, { ...launch, sandbox: sandboxRequest(setup, "codex") }, { idPrefix, marker }),
  });
}

/** A judge that throws denies. */
function deniedBy({ judge, cwd }: AgentSetup, call: { tool: string; call: string }): string | undefined {
  try {
    const ruling = judge?.(describeCall(call, cwd));
    return ruling?.verdict === "deny" ? ruling.by : undefined;
  } catch {
    return "that could not be read";
  }
}

async function join(
  options: LaunchOptions<CodexState>,
  launch: Omit<ServerLaunch, "program">,
  identity: { idPrefix: string; marker: string },
): Promise<Launched<CodexState>> {
  const { cwd } = options.launch;
  const realCwd = realDirectory(cwd);
  if (realCwd === undefined) {
    const message = `${options.member} did not start: there is no directory ${cwd}.`;
    return { ok: false, over: errored({ code: "not_started", message }) };
  }
  const { PATH, PATHEXT } = launch.environment.variables;
  const match = findProgram(launch.command, { PATH, PATHEXT, cwd });
  const program = match.ok ? { ...match, path: nativeProgram(match.path) } : match;
  return serverOf(options.records, { ...launch, program }).join(options, { ...identity, cwd: realCwd });
}

/** Undefined when it does not exist; then no turn starts there either. */
function realDirectory(cwd: string): string | undefined {
  try {
    return realpathSync(cwd);
  } catch {
    // Joining reports the missing directory.
    return undefined;
  }
}

const servers = new WeakMap<ProcessRecords, Map<string, SharedServer>>();

/**
 * Members share a server if each would start it with the same program, arguments, environment and sandbox. Writable
 * members never share with read-only ones: a thread that is resumed while its server still holds it keeps its earlier
 * permissions.
 */
function serverOf(records: ProcessRecords, launch: ServerLaunch): SharedServer {
  const ofHost = servers.get(records) ?? new Map<string, SharedServer>();
  servers.set(records, ofHost);
  const environment = programEnvironment(launch.environment, { named: launch.env, marker: "" });
  const key = createHash("sha256")
    .update(
      JSON.stringify([
        launch.command,
        launch.program,
        launch.args,
        launch.cwd,
        launch.isWritable,
        launch.sandbox?.settings.mode === "off" ? undefined : launch.sandbox,
        Object.entries(environment).sort(byName),
      ]),
    )
    .digest("hex");
  const server = ofHost.get(key) ?? new SharedServer(launch, records);
  ofHost.set(key, server);
  return server;
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}

/**
 * The native program behind npm's launcher script. The launcher would stay as a second process of 44 MB, and needs a
 * `node` on PATH.
 */
const TRIPLES: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
  "win32-x64": "x86_64-pc-windows-msvc",
  "win32-arm64": "aarch64-pc-windows-msvc",
};

/** `program` itself when it is no launcher, or when nothing is found behind it. */
export function nativeProgram(program: string, platform = process.platform, arch = process.arch): string {
  const target = `${platform}-${arch}`;
  const triple = TRIPLES[target];
  const launcher = realPath(program);
  if (triple === undefined || !launcher.endsWith(path.join("@openai", "codex", "bin", "codex.js"))) return program;
  const packageRoot = path.dirname(path.dirname(launcher));
  const file = path.join("vendor", triple, "bin", platform === "win32" ? "codex.exe" : "codex");
  const candidates = [
    path.join(packageRoot, "..", `codex-${target}`, file),
    path.join(packageRoot, "node_modules", "@openai", `codex-${target}`, file),
    path.join(packageRoot, file),
  ];
  return candidates.find((candidate) => existsSync(candidate)) ?? program;
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // Removed since it was found; the start reports that.
    return file;
  }
}
