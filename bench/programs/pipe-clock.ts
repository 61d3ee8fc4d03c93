/**
 * A clock at the pipes of a server's agents, for `node --import 'file:///…/pipe-clock.ts?file=FILE&mark=MARK'`: for each prompt
 * that holds MARK it adds a line to FILE, the milliseconds from then until the agent's first text has come in.
 */
import { appendFileSync } from "node:fs";
import { Socket } from "node:net";

/** A piece of text of Claude Code and Pi, or of Codex. */
const TEXT = /"text_delta"|item\/agentMessage\/delta/;

const { searchParams } = new URL(import.meta.url);
const [file = "", mark = ""] = ["file", "mark"].map((name) => searchParams.get(name) ?? "");
let askedMs: number | undefined;

type Sent = string | Uint8Array;
const proto = Socket.prototype as unknown as Record<
  "write" | "push",
  (chunk: Sent | null, ...rest: unknown[]) => boolean
>;
const { write, push } = proto;

/** Clients come by other ways: agents alone are at pipes. */
function isPipe(socket: object): boolean {
  return (socket as { _handle?: object | null })._handle?.constructor.name === "Pipe";
}

function textOf(chunk: Sent): string {
  return typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("latin1");
}

proto.write = function (this: Socket, chunk, ...rest) {
  if (chunk !== null && isPipe(this) && textOf(chunk).includes(mark)) askedMs = performance.now();
  return write.call(this, chunk, ...rest);
};

proto.push = function (this: Socket, chunk, ...rest) {
  if (askedMs !== undefined && chunk !== null && isPipe(this) && TEXT.test(textOf(chunk))) {
    const takenMs = performance.now() - askedMs;
    askedMs = undefined;
    appendFileSync(file, `${takenMs}\n`);
  }
  return push.call(this, chunk, ...rest);
};
