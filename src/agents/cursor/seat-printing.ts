/**
 * Seats Cursor as a program of one turn: the prompt on its standard input, what it does on its output, then it leaves.
 * It cannot ask, so it is never told to act without asking: where the session is read-only it answers in its own
 * read-only mode, elsewhere its own settings decide what it may do.
 */
import type { MemberSpec } from "../../protocol/index.ts";
import { unrecorded, type AcpSeatOptions } from "../acp/seat-acp.ts";
import type { Agent, Seat } from "../port.ts";
import { createProcessAgent } from "../process/process-agent.ts";
import { createPrintDialect } from "./parse-printed.ts";
import type { PrintState } from "./print-state.ts";

export interface PrintCommand {
  readonly command: string;
  readonly args: readonly string[];
}

const FORMAT = ["--output-format", "stream-json", "--stream-partial-output"];
/** Safe as one argument; a model of another form is left to the program's own choice. */
const MODEL = /^[A-Za-z0-9][A-Za-z0-9._:/[\]=,-]{0,127}$/;

export function seatPrinting(
  spec: MemberSpec,
  seat: Seat,
  { command, args }: PrintCommand,
  { limits, clock }: AcpSeatOptions = {},
): Agent {
  const mode =
    seat.writable || args.some((arg) => arg.startsWith("--mode") || arg === "--plan") ? [] : ["--mode", "ask"];
  return createProcessAgent<PrintState>({
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
      args: ({ nativeSessionId, model }) => [
        ...args,
        ...FORMAT,
        ...mode,
        ...modelFlag(model ?? spec.model),
        ...(nativeSessionId === null ? [] : ["--resume", nativeSessionId]),
      ],
      cwd: seat.cwd,
      env: spec.env ?? [],
      lifetime: "turn",
    },
    records: seat.records ?? unrecorded(seat.cwd),
    nativeSessionId: seat.nativeSessionId,
    ...(limits === undefined ? {} : { limits }),
    ...(clock === undefined ? {} : { clock }),
  });
}

function modelFlag(model: string | undefined): string[] {
  return model !== undefined && MODEL.test(model) ? ["--model", model] : [];
}
