/** Follows a session live and prints its messages until it is over, optionally from an earlier message. */
import { type Client, viewSession } from "../../../client/index.ts";
import type { SessionEvent } from "../../../protocol/index.ts";
import { isRunning, type Transcript } from "../../../transcript/index.ts";
import type { CommonFlags } from "../../flags.ts";
import { colourStyle, plainStyle, wantsColour, type Style } from "../../terminal/colours.ts";
import { TranscriptPrinter } from "../../print/transcript-printer.ts";
import { stdout } from "../../terminal/stdout.ts";

export interface FollowOptions {
  readonly style: Style;
  /** Position of the first message to print; undefined prints nothing. */
  readonly fromPosition: (transcript: Transcript) => number | undefined;
  /** Called after every change; following ends when it returns true. */
  readonly isOver: (transcript: Transcript, events: readonly SessionEvent[]) => boolean;
  /** Called after subscribing, so that nothing it starts is missed. */
  readonly begin?: () => Promise<void>;
}

export async function followWork(client: Client, sessionId: string, options: FollowOptions): Promise<Transcript> {
  const { style, fromPosition, isOver, begin } = options;
  const over = Promise.withResolvers<void>();
  // It may reject before it is awaited; then the first failure is reported.
  over.promise.catch(() => {});
  let printer: TranscriptPrinter | undefined;
  let hasBegun = begin === undefined;
  const onChange = (transcript: Transcript, events: readonly SessionEvent[]): void => {
    printer?.show(transcript);
    const isDone = isOver(transcript, events);
    if (hasBegun && isDone) over.resolve();
  };
  client.onClose((reason) => over.reject(new Error(`the host closed the connection: ${reason}`)));
  const view = await viewSession(client, sessionId, { from: "now", onChange: onChange, onLost: over.reject });
  const from = fromPosition(view.transcript);
  if (from !== undefined) {
    const write = (text: string) => stdout.write(text);
    printer = new TranscriptPrinter({ write, style, wants: () => true, fromPosition: from });
  }
  try {
    await begin?.();
    hasBegun = true;
    onChange(view.transcript, []);
    stdout.onError(() => over.resolve());
    await over.promise;
    printer?.finish(view.transcript);
    return view.transcript;
  } finally {
    view.close();
  }
}

/** True when no turn runs or is about to start; after an interrupt the queue waits for the user. */
export function isQuiet({ head }: Transcript, events: readonly SessionEvent[]): boolean {
  if (isRunning(head)) return false;
  if (events.some((event) => event.type === "output_cancelled")) return true;
  const isWaiting = Object.values(head.members).some((member) => member.seated && member.state !== "idle");
  return !isWaiting && head.council.state !== "running";
}

export function styleOf(flags: CommonFlags): Style {
  return wantsColour(flags.color ?? "auto", process.env, stdout.isTty) ? colourStyle : plainStyle;
}
