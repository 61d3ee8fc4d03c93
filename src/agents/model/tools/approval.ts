/**
 * Asks the user to approve a call: always the exact, whole call with its hash. A call too large to show is rejected.
 */
import type { AnswerResult } from "../../port.ts";
import type { RunningTurn } from "../running-turn.ts";
import type { CanonicalCall } from "./canonical-call.ts";
import { ToolError, type Tool } from "./tool.ts";

export interface ApprovalRequest {
  readonly turn: RunningTurn;
  readonly member: string;
  readonly nativeId: string;
  readonly tool: Tool;
  readonly title: string;
  readonly call: CanonicalCall;
  readonly diff: string | undefined;
}

/** The request must fit into one event: truncated, its text would not match its hash. */
const CALL_BYTES_MAX = 128 * 1024;
const ONCE = "allow";

/** Throws a ToolError on denial. The session remembers how far an approval reaches. */
export async function askApproval(request: ApprovalRequest): Promise<void> {
  const { turn, tool, call, diff } = request;
  const bytes = Buffer.byteLength(JSON.stringify(call.text));
  if (bytes > CALL_BYTES_MAX) {
    const message = `The call has ${bytes} bytes, too many to show to the user for approval. Split it into smaller steps.`;
    throw new ToolError("tool_denied", message);
  }
  const answer = await turn.ask(
    {
      method: "approval",
      title: `${request.member}: ${request.title}`,
      tool: tool.name,
      call: call.text,
      callHash: call.hash,
      ...(diff === undefined || diff === "" ? {} : { diff }),
      options: [
        { label: "Allow once", value: ONCE },
        { label: "Deny", value: "deny" },
      ],
    },
    request.nativeId,
  );
  checkAnswer(answer);
}

/** Anything but a clear approval is a denial. */
function checkAnswer({ result, error, reason = "" }: AnswerResult): void {
  if (error === null && result === ONCE) return;
  const denial = reason.trim() === "" ? "The user denied this call." : `The user denied this call: ${reason.trim()}\n`;
  const why = error === null ? denial : `The user did not approve this call: ${error}\n`;
  throw new ToolError("tool_denied", `${why} Do not work around it: continue without it or ask what to do.`);
}
