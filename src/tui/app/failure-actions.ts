/** Keys of a failed turn that has the focus: ask again, now or later, hand over, go on without, copy the fix. */
import { describeFailure, type FailedTurn, turnById, type TurnMessage } from "../../transcript/index.ts";
import type { ActionName } from "../keys/actions.ts";
import { canBeRetried, failureKeys, heirOf } from "../panels/failure-keys.ts";
import { timeOf } from "../panels/format.ts";
import type { AppContext } from "./app-context.ts";
import type { ActionHandlers } from "./key-listener.ts";
import { formatSendResult } from "./session/format-outcome.ts";

/** `run` runs a command line. */
export function failureActions(app: AppContext, run: (line: string) => void): ActionHandlers {
  const later = new Map<string, () => void>();
  app.closed.addEventListener("abort", () => later.forEach((cancel) => cancel()), { once: true });
  const onFailure = (action: ActionName, act: (turn: TurnMessage, failure: FailedTurn) => void) => () => {
    const { prompt, log, transcript } = app;
    const turn = prompt.text === "" && !prompt.isSearching ? log.focused : undefined;
    if (turn === undefined || transcript === undefined) return false;
    const failure = describeFailure(turn);
    if (failure === undefined || !failureKeys(turn, transcript).some((key) => key.action === action)) return false;
    act(turn, failure);
    return true;
  };
  const fail = (error: unknown) => app.fail(error);
  return {
    "go-on-without": onFailure("go-on-without", (turn) => void goOnWithout(app, turn.member).catch(fail)),
    "copy-focused": onFailure("copy-focused", (_, { command = "" }) => void copyCommand(app, command).catch(fail)),
    "show-stderr": onFailure("show-stderr", ({ member }, { printed = [] }) =>
      app.showText(`What ${member} printed`, printed),
    ),
    "retry-later": onFailure("retry-later", (turn, { retryAt = 0 }) => retryLater(app, later, turn, retryAt, run)),
    "hand-over": onFailure("hand-over", (turn) => void handOver(app, turn).catch(fail)),
  };
}

async function goOnWithout(app: AppContext, member: string): Promise<void> {
  const ack = await app.command({ type: "mute", member });
  if (!ack.ok) return app.notify(ack.error.message, "ask");
  app.log.clearFocus();
  app.notify(`Continuing without ${member}. /unmute ${member} brings it back.`);
}

async function copyCommand(app: AppContext, command: string): Promise<void> {
  const hasLanded = await app.copy(command);
  app.notify(`Copied: ${command}${hasLanded ? "" : " (if your terminal allows clipboard access)"}`, "ok");
}

/** Asks again at the given time while the app is open; the same key takes it back. */
function retryLater(
  app: AppContext,
  later: Map<string, () => void>,
  { turnId, member }: TurnMessage,
  at: number,
  run: (line: string) => void,
): void {
  const time = timeOf(at).slice(0, 5);
  const planned = later.get(turnId);
  if (planned !== undefined) {
    planned();
    later.delete(turnId);
    return app.notify(`Cancelled. ${member} will not be asked again at ${time}.`);
  }
  const { sessionId } = app;
  const cancel = app.clock.after(at - app.clock.now(), () => {
    later.delete(turnId);
    const { transcript } = app;
    const turn = transcript === undefined || app.sessionId !== sessionId ? undefined : turnById(transcript, turnId);
    if (turn !== undefined && transcript !== undefined && canBeRetried(turn, transcript)) run(`/retry ${member}`);
  });
  later.set(turnId, cancel);
  app.notify(`${member} will be asked again at ${time} if this window is still open.`, "ok");
}

async function handOver(app: AppContext, turn: TurnMessage): Promise<void> {
  const heir = app.transcript === undefined ? undefined : heirOf(turn, app.transcript);
  if (heir === undefined) return;
  app.log.clearFocus();
  app.log.toEnd();
  const text = `${turn.member} could not finish its answer. Please take over where it stopped.`;
  const ack = await app.conversation.send(text, "send", { to: [heir] });
  const message = formatSendResult(ack);
  if (message !== "") app.notify(message, ack.ok ? "quiet" : "bad");
}
