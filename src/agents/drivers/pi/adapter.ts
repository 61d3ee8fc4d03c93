/**
 * Pi: one `pi --mode rpc` process per member, guarded by our extension. The arguments do not depend on user text; the
 * member's private files are removed when it leaves.
 */
import { randomBytes } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { hostToolSchemas, type MemberSpec } from "../../../protocol/index.ts";
import { knownEffort } from "../../effort.ts";
import type { Agent, AgentEvent, AgentSetup } from "../../port.ts";
import type { ProcessLimits } from "../../process/limits.ts";
import { NATIVE_CAPABILITIES } from "../../capabilities.ts";
import { createProcessAgent } from "../../process/process-agent.ts";
import { createProcessRecords } from "../../process/tracking/process-records.ts";
import { chooseProcessList } from "../../process/list/choose-process-list.ts";
import { sandboxRequest } from "../../sandbox/sandbox.ts";
import { createUnavailableAgent } from "../../unavailable-agent.ts";
import { makeOwnFolder } from "../acp/private-directory.ts";
import { extensionSource } from "./extension.ts";
import { createPiDialect, type PiKnown } from "./parse.ts";
import { READING_TOOLS, SANDBOXED_TOOLS } from "./tools.ts";
import { LOGIN_HINT } from "./turn-end.ts";

/** Location of Pi's data and access to its models, beyond what the member's configuration names. */
const ENV = [
  "PI_CODING_AGENT_DIR",
  "PI_CODING_AGENT_SESSION_DIR",
  "PI_PACKAGE_DIR",
  "PI_OFFLINE",
  "PI_CACHE_RETENTION",
];

const SET_ENV = { PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" };

/** Model names that are safe as an argument; others go through stdin. */
const SAFE_MODEL = /^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$/;

const READ_ONLY_NOTE =
  "This session is read-only. You can read files. You cannot change them or run commands, and have no tools for that.";
const SANDBOX_NOTE = "This session is read-only. You can read files and run commands. Files cannot be changed.";

export function createPiAgent(spec: MemberSpec, setup: AgentSetup, limits: Partial<ProcessLimits> = {}): Agent {
  const tools = hostToolSchemas();
  const mark = `roundtable-${randomBytes(18).toString("hex")}`;
  const free = [...READING_TOOLS, ...tools.map((tool) => tool.name)];
  const extension = createExtensionFile();
  const source = (isSandboxed: boolean): string =>
    extensionSource({ mark, isWritable: setup.writable, tools, free, walled: isSandboxed ? SANDBOXED_TOOLS : [] });
  const offered = (isSandboxed: boolean): string[] => {
    if (setup.writable) return [];
    const names = [...free, ...(isSandboxed ? SANDBOXED_TOOLS : [])].join(",");
    return ["--tools", names, "--append-system-prompt", isSandboxed ? SANDBOX_NOTE : READ_ONLY_NOTE];
  };
  const [command = "pi", ...prefix] = spec.command ?? [];
  const launchModel = ({ model }: PiKnown): string | undefined => safeModel(model ?? spec.model);
  const createAgent = (): Agent =>
    createProcessAgent({
      member: spec.name,
      capabilities: NATIVE_CAPABILITIES,
      dialect: createPiDialect({
        member: spec.name,
        isWritable: setup.writable,
        cwd: setup.cwd,
        judge: setup.judge,
        mark,
        launchModel,
      }),
      launch: {
        command,
        args: (known) => [
          ...prefix,
          "--mode",
          "rpc",
          ...flag("--extension", extension.path(source(known.isSandboxed))),
          // Extensions of a checkout would run code of its author.
          "--no-approve",
          ...offered(known.isSandboxed),
          ...flag("--session-id", known.nativeSessionId),
          ...flag("--model", launchModel(known)),
          ...flag("--thinking", knownEffort(spec)),
        ],
        cwd: setup.cwd,
        env: [...ENV, ...(spec.env ?? [])],
        setEnv: SET_ENV,
        environment: setup.environment,
        get sandbox() {
          return sandboxRequest(setup, "pi", [extension.directory()]);
        },
        lifetime: "member",
        doToolsLeadGroups: true,
        loginHint: LOGIN_HINT,
      },
      records:
        setup.records ?? createProcessRecords({ dataDir: extension.directory(), processes: chooseProcessList() }),
      nativeSessionId: setup.nativeSessionId,
      setup,
      limits,
    });
  return new PiAgent(spec.name, { ...extension, write: () => extension.write(source(false)) }, createAgent);
}

/** Keeps the member's private files as long as the agent lives. */
class PiAgent implements Agent {
  readonly capabilities = NATIVE_CAPABILITIES;
  readonly #member: string;
  readonly #extension: { write(): void; remove(): void };
  readonly #createAgent: () => Agent;
  #agent: Agent | undefined;

  constructor(member: string, extension: { write(): void; remove(): void }, createAgent: () => Agent) {
    this.#member = member;
    this.#extension = extension;
    this.#createAgent = createAgent;
  }

  start(up: (event: AgentEvent) => void): Promise<void> {
    this.#agent = this.#open();
    return this.#agent.start(up);
  }

  send(input: Parameters<Agent["send"]>[0]): void {
    this.#agent?.send(input);
  }

  interrupt(): void {
    this.#agent?.interrupt();
  }

  compact(focus?: string): void {
    this.#agent?.compact?.(focus);
  }

  answer(...answer: Parameters<Agent["answer"]>): void {
    this.#agent?.answer(...answer);
  }

  async close(): Promise<void> {
    await this.#agent?.close();
    this.#extension.remove();
  }

  #open(): Agent {
    try {
      this.#extension.write();
      return this.#createAgent();
    } catch (thrown) {
      const message = `${this.#member} did not start: the extension that guards its tools could not be written (${String(thrown)}).`;
      return createUnavailableAgent({ code: "not_started", message, hint: "Make room in the temporary directory." });
    }
  }
}

function safeModel(model: string | undefined): string | undefined {
  return model !== undefined && SAFE_MODEL.test(model) ? model : undefined;
}

function flag(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [name, value];
}

/** Our extension on disk, in a private directory of this member. */
interface ExtensionFile {
  /** Private directory of the member. Only after `write`. */
  readonly directory: () => string;
  /** Throws when it cannot be written. */
  write(source: string): void;
  /** Its path, for the next start. Pi itself reports when it is missing. */
  path(source: string): string;
  remove(): void;
}

function createExtensionFile(): ExtensionFile {
  let directory: string | undefined;
  const fileIn = (folder: string): string => path.join(folder, "roundtable.cjs");
  const write = (source: string): void => {
    // It may have been removed meanwhile.
    if (directory === undefined || !existsSync(directory)) directory = makeOwnFolder("pi");
    rmSync(fileIn(directory), { force: true });
    writeFileSync(fileIn(directory), source, { mode: 0o600, flag: "wx" });
  };
  return {
    directory: () => directory ?? tmpdir(),
    write,
    path(source) {
      try {
        write(source);
      } catch {
        // Pi starts without it, and no turn is sent to an unguarded Pi.
      }
      return fileIn(directory ?? tmpdir());
    },
    remove() {
      if (directory === undefined) return;
      try {
        rmSync(directory, { recursive: true, force: true });
      } catch {
        // It holds no secret beyond this process; the system cleans its temporary directory.
      }
      directory = undefined;
    },
  };
}
