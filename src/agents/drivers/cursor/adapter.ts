/**
 * Members of kind `cursor`: `agent acp`, one process per member. A `command` with `-p` or `--print` selects the
 * fallback: one process per turn that prints what it does, without approvals.
 */
import { realpathSync } from "node:fs";
import type { MemberSpec } from "../../../protocol/index.ts";
import { createAcpProcessAgent, type AcpAgentOptions, unrecorded } from "../acp/acp-process-agent.ts";
import { agentPrograms } from "../../discovery/agent-programs.ts";
import type { Agent, AgentSetup } from "../../port.ts";
import { checkoutTest } from "../../process/launch/checkout.ts";
import { findProgram, programCandidates } from "../../process/launch/find-program.ts";
import { cursorProgram } from "./program.ts";
import { createProcessAgent } from "../../process/process-agent.ts";
import { sandboxRequest } from "../../sandbox/sandbox.ts";
import { createResumingAgent, type TurnDone } from "../../resuming-agent.ts";
import { createPrintDialect, type PrintState } from "./print.ts";

export function createCursorAgent(spec: MemberSpec, setup: AgentSetup, options: AcpAgentOptions = {}): Agent {
  const [command = findCursor(setup), ...args] = spec.command ?? [];
  if (args.some((arg) => arg === "-p" || arg === "--print"))
    return createPrintAgent(spec, setup, { command, args }, options);
  return createAcpProcessAgent(
    spec,
    setup,
    { command, args: args.length === 0 ? ["acp"] : args, program: cursorProgram },
    options,
  );
}

/** Other programs are called `agent` too: returns the first on PATH that is Cursor's. */
function findCursor({ cwd, environment }: AgentSetup): string {
  const { PATH, PATHEXT } = environment?.variables ?? process.env;
  const isInCheckout = checkoutTest(cwd);
  const known = agentPrograms.find(({ spec }) => spec.kind === "cursor");
  const names = known?.commands ?? ["cursor-agent"];
  const match = names
    .flatMap((name) => programCandidates(name, { PATH, PATHEXT }))
    .filter((file) => !isInCheckout(file))
    .find((file) => findProgram(file).ok && (known?.isIt?.(realpathSync(file)) ?? true));
  return match ?? "cursor-agent";
}

/**
 * One process per turn: the prompt on stdin, its output on stdout. It cannot ask, so it is never told to act without
 * asking: in a read-only session it uses its own read-only mode, otherwise its own settings decide.
 */
interface PrintCommand {
  readonly command: string;
  readonly args: readonly string[];
}

const FORMAT = ["--output-format", "stream-json", "--stream-partial-output"];
/** Safe as one argument; with any other model the program uses its default. */
const MODEL = /^[A-Za-z0-9][A-Za-z0-9._:/[\]=,-]{0,127}$/;

function createPrintAgent(
  spec: MemberSpec,
  setup: AgentSetup,
  { command, args }: PrintCommand,
  { limits, clock }: AcpAgentOptions = {},
): Agent {
  const mode =
    setup.writable || args.some((arg) => arg.startsWith("--mode") || arg === "--plan") ? [] : ["--mode", "ask"];
  const create = (nativeSessionId: string | undefined): Agent =>
    createProcessAgent<PrintState>({
      member: spec.name,
      capabilities: {
        steer: false,
        keepsContext: true,
        tools: true,
        requests: false,
        images: false,
        switchModel: true,
      },
      dialect: createPrintDialect({ member: spec.name }),
      launch: {
        command,
        args: (known) => [
          ...args,
          ...FORMAT,
          ...mode,
          ...modelFlag(known.model ?? spec.model),
          ...(known.nativeSessionId === null ? [] : ["--resume", known.nativeSessionId]),
        ],
        cwd: setup.cwd,
        env: spec.env ?? [],
        environment: setup.environment,
        sandbox: sandboxRequest(setup, "cursor"),
        lifetime: "turn",
        loginHint: cursorProgram.loginHint,
      },
      records: setup.records ?? unrecorded(setup.cwd),
      nativeSessionId,
      setup,
      ...(limits === undefined ? {} : { limits }),
      ...(clock === undefined ? {} : { clock }),
    });
  return createResumingAgent({ member: spec.name, nativeSessionId: setup.nativeSessionId, create, isForgotten });
}

/** Its message is not documented; matched loosely. */
const NO_SUCH_CHAT =
  /\b(chat|session|conversation)\b.{0,80}\b(not found|does not exist|unknown|invalid)\b|\b(no such|unknown|invalid|could not find)\b.{0,40}\b(chat|session|conversation)\b/i;

function isForgotten({ outcome, error }: TurnDone): boolean {
  return outcome === "errored" && NO_SUCH_CHAT.test(`${error?.message ?? ""} ${error?.detail ?? ""}`);
}

function modelFlag(model: string | undefined): string[] {
  return model !== undefined && MODEL.test(model) ? ["--model", model] : [];
}
