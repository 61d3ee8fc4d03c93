/**
 * Claude Code: one long-lived process per member, driven by stream-json in both directions and its control protocol.
 */
import { randomUUID } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import type { MemberSpec } from "../../../protocol/index.ts";
import { knownEffort } from "../../effort.ts";
import type { Agent, AgentSetup } from "../../port.ts";
import type { Launch } from "../../process/launch/launch.ts";
import type { ProcessLimits } from "../../process/limits.ts";
import { NATIVE_CAPABILITIES } from "../../capabilities.ts";
import { createProcessAgent } from "../../process/process-agent.ts";
import { createProcessRecords, type ProcessRecords } from "../../process/tracking/process-records.ts";
import { chooseProcessList } from "../../process/list/choose-process-list.ts";
import { sandboxRequest } from "../../sandbox/sandbox.ts";
import { createResumingAgent, type TurnDone } from "../../resuming-agent.ts";
import { withInspection } from "./inspect/inspect-tool.ts";
import { createClaudeDialect } from "./parse.ts";
import { SHELL_TOOLS, HOST_TOOL_SERVER } from "./tool-blocks.ts";
import { isUnknownSession, LOGIN_HINT, UNKNOWN_SESSION } from "./turn-end.ts";
import { checkoutDirectories } from "../../../kit/files/checkout-directories.ts";
import { notesText, readProjectNotes } from "../../tools/project-notes.ts";
import { checkoutRoot } from "../../process/launch/checkout.ts";

/** Location of its login and sessions; passed also with a clean environment. */
const OWN_VARIABLES = ["CLAUDE_CONFIG_DIR"];

/** A turn ends with its result: background work would outlive it and wake the program without a prompt. */
const SET_VARIABLES = {
  // Rules are about paths from the session's directory, so every command starts there.
  CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1",
  CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: "1",
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  DISABLE_AUTOUPDATER: "1",
};

/**
 * Take precedence over the user's settings. Commands of hooks and skills run without a call that could be approved, and
 * a hook may even answer for the user; the "simple" mode would skip our hooks as well.
 */
const SETTINGS = { disableAllHooks: true, disableSkillShellExecution: true, env: { CLAUDE_CODE_SIMPLE: "0" } };

const FLAGS = [
  "-p",
  "--input-format=stream-json",
  "--output-format=stream-json",
  "--verbose",
  "--include-partial-messages",
  "--permission-prompt-tool=stdio",
  "--permission-mode=default",
  `--allowedTools=mcp__${HOST_TOOL_SERVER}`,
  // User settings only: those of a checkout could run commands of its author.
  "--setting-sources=user",
  `--settings=${JSON.stringify(SETTINGS)}`,
];

/** They continue after the turn, or outside the session's directory. */
const NOT_OFFERED = ["CronCreate", "CronDelete", "CronList", "ScheduleWakeup", "EnterWorktree", "ExitWorktree"];

export function createClaudeAgent(spec: MemberSpec, setup: AgentSetup, limits: Partial<ProcessLimits> = {}): Agent {
  const records = setup.records ?? unrecorded(setup.cwd);
  const launch = claudeLaunch(spec, setup);
  let notes: string | undefined;
  const prepare = async (): Promise<void> => {
    notes = await readAgentsNotes(setup.cwd);
  };
  const agent = createResumingAgent({
    member: spec.name,
    nativeSessionId: setup.nativeSessionId,
    isForgotten,
    create: (nativeSessionId) =>
      createProcessAgent({
        member: spec.name,
        capabilities: NATIVE_CAPABILITIES,
        dialect: createClaudeDialect({
          newUuid: randomUUID,
          model: spec.model,
          isModelLaunched: isModelName(spec.model),
          isWritable: setup.writable,
          cwd: setup.cwd,
          judge: setup.judge,
          notes: () => notes,
        }),
        launch,
        records,
        nativeSessionId,
        setup,
        limits,
      }),
  });
  const { cwd, judge } = setup;
  return withInspection(agent, { cwd, prepare, ...(judge === undefined ? {} : { judge }) });
}

/** Other names are sent through stdin, where the program may reject them. */
function isModelName(name: string | undefined): boolean {
  return name !== undefined && /^[A-Za-z0-9][A-Za-z0-9._:/@[\]-]{0,127}$/.test(name);
}

/** If it exits immediately, stderr is the only hint. */
function isForgotten({ reason, error }: TurnDone): boolean {
  return reason === UNKNOWN_SESSION || (reason === "crashed" && isUnknownSession(error?.detail ?? ""));
}

function claudeLaunch(spec: MemberSpec, setup: AgentSetup): Launch {
  const [command = "claude", ...first] = spec.command ?? [];
  const effort = knownEffort(spec);
  const directories = memoryDirectories(setup.cwd);
  return {
    command,
    args: ({ nativeSessionId, isSandboxed }) => [
      ...first,
      ...FLAGS,
      // Restores the checkout's CLAUDE.md, which is excluded with its settings.
      ...directories.map((directory) => `--add-dir=${directory}`),
      `--disallowedTools=${[...NOT_OFFERED, ...(setup.writable || isSandboxed ? [] : SHELL_TOOLS)].join(",")}`,
      ...(isModelName(spec.model) ? [`--model=${spec.model}`] : []),
      ...(effort === undefined ? [] : [`--effort=${effort}`]),
      ...(nativeSessionId === undefined ? [] : [`--resume=${nativeSessionId}`]),
    ],
    cwd: setup.cwd,
    env: [...OWN_VARIABLES, ...(spec.env ?? [])],
    setEnv: SET_VARIABLES,
    environment: setup.environment,
    // Evaluated at each start: the user may have denied more paths since.
    get sandbox() {
      return sandboxRequest(setup, "claude");
    },
    lifetime: "member",
    doToolsLeadGroups: true,
    loginHint: LOGIN_HINT,
  };
}

/** Without a data directory nothing is recorded; the run marker still identifies processes. */
function unrecorded(cwd: string): ProcessRecords {
  const records = createProcessRecords({ dataDir: cwd, processes: chooseProcessList() });
  return { ...records, add: () => Promise.resolve(true), remove: () => undefined };
}

/**
 * Directories between the session's and the checkout's root that are searched for notes. The program finds CLAUDE.md in
 * the directories that it is given; AGENTS.md is sent to it.
 */
const LEVELS_MAX = 16;

/** From the session's directory up to the checkout's root, as relative paths. */
export function memoryDirectories(cwd: string): string[] {
  const real = realPath(cwd);
  const root = checkoutRoot(real);
  const levels = root === undefined ? 1 : checkoutDirectories(real).indexOf(root) + 1;
  const count = Math.min(Math.max(levels, 1), LEVELS_MAX);
  return Array.from({ length: count }, (_, level) => (level === 0 ? "." : Array<string>(level).fill("..").join("/")));
}

/** AGENTS.md files without a CLAUDE.md beside them, as the program itself would choose. Never rejects. */
export async function readAgentsNotes(cwd: string): Promise<string | undefined> {
  const real = realPath(cwd);
  const isAlone = (file: string): boolean =>
    path.basename(file) === "AGENTS.md" && !existsSync(path.join(real, path.dirname(file), "CLAUDE.md"));
  return notesText(await readProjectNotes(real, isAlone));
}

function realPath(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch {
    // The program will not start there either.
    return cwd;
  }
}
