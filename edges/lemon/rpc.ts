/** `roundtable rpc`: sessions on stdin and stdout as JSON lines, hosted in this process. Opens no port. */
import type { CommandContext, SessionTemplate, TemplateRequest } from "../../src/edge/index.ts";
import { exitCodes, type ExitCode } from "../../src/kit/exit-codes.ts";
import { Failure, toFailure } from "../../src/kit/failure.ts";
import { createLineSplitter } from "../../src/kit/io/stdin-lines.ts";
import { RpcPeer } from "./peer.ts";

/** Limit of unread output; later changes are sent once the client has read on. */
const UNREAD_BYTES_MAX = 4 * 1024 * 1024;

export interface RpcFlags {
  cwd?: string;
  model?: string;
  baseUrl?: string;
  systemPrompt?: string;
  sessionFile?: string;
  debug?: boolean;
  /** False with --no-ui. */
  ui?: boolean;
}

export async function rpc(flags: RpcFlags, context: CommandContext): Promise<ExitCode> {
  const { dataDir, stdout, createTemplate } = context;
  const cwd = context.workingDirectory(flags.cwd);
  const { model: wanted, baseUrl, systemPrompt } = flags;
  const request = { cwd, model: wanted, baseUrl, systemPrompt };
  const [{ template, model }, opened] = await Promise.all([firstTemplate(request, context), context.openHost()]);
  const unreadUntil = () => (stdout.unreadBytes > UNREAD_BYTES_MAX ? stdout.flush() : undefined);
  const peer = new RpcPeer({
    client: opened.client,
    dataDir,
    cwd,
    template,
    createTemplate: (other) => {
      const isSame = other.model === undefined || other.model === wanted;
      return createTemplate({ baseUrl, ...other, model: isSame ? model : other.model });
    },
    hasUi: flags.ui !== false,
    isDebugging: flags.debug === true,
    argv: process.argv.slice(2),
    write: (line) => stdout.writeJson(line),
    room: unreadUntil,
  });
  const ignoreStops = context.onStop(() => peer.end("signal"));
  stdout.onError(() => peer.end("stdin closed"));
  try {
    await peer.start(flags.sessionFile);
    const input = followStdin(peer, unreadUntil);
    await peer.over;
    await opened.close();
    if (input.error === undefined) return exitCodes.ok;
    throw new Failure(exitCodes.failure, "internal", `standard input cannot be read: ${input.error.message}`);
  } finally {
    ignoreStops();
  }
}

/** An unknown model is reported, and the default members join, so that the client can still chat. */
async function firstTemplate(
  request: TemplateRequest,
  { createTemplate, warn }: CommandContext,
): Promise<{ template: SessionTemplate; model: string | undefined }> {
  try {
    return { template: await createTemplate(request), model: request.model };
  } catch (error) {
    const failure = toFailure(error);
    if (request.model === undefined || failure.code !== "usage") throw error;
    warn(failure.message, failure.hint, "The default members join");
    return { template: await createTemplate({ ...request, model: undefined }), model: undefined };
  }
}

/** Reads only while commands are processed and output is read, so that a client cannot exhaust memory. */
function followStdin(
  peer: RpcPeer,
  unreadUntil: () => Promise<void> | undefined,
): { readonly error: Error | undefined } {
  let inputError: Error | undefined;
  const lines = createLineSplitter({
    onLine: (line) => peer.handleLine(line),
    onLeftOut: (line) => peer.leaveOut(line),
  });
  process.stdin.on("data", (chunk: Buffer) => {
    lines.push(chunk);
    const wait = peer.fullUntil ?? unreadUntil();
    if (wait === undefined) return;
    process.stdin.pause();
    void wait.finally(() => process.stdin.resume());
  });
  const end = (): void => {
    lines.end();
    peer.end("stdin closed");
  };
  process.stdin.on("end", end);
  process.stdin.on("error", (error) => {
    inputError = error;
    end();
  });
  return {
    get error() {
      return inputError;
    },
  };
}
