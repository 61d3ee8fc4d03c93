/** `roundtable rpc`: sessions on stdin and stdout as JSON lines, hosted in this process. No port is opened. */
import { isAbsolute, resolve } from "node:path";
import type { CommonFlags } from "../../flags.ts";
import { jsonLine } from "../../ask/output.ts";
import { listenForStops } from "../../terminal/stop-signals.ts";
import { dataDirectory, workingDirectory } from "../../config/paths.ts";
import { prepareDataDirectory } from "../../config/data-directory.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { Failure, noteLine, toFailure } from "../../../kit/failure.ts";
import { settingsFromFlags } from "../../sessions/defaults.ts";
import { note, stdout } from "../../terminal/stdout.ts";
import { openInProcessHost } from "../../connect/in-process-host.ts";
import { createLineSplitter } from "../../../kit/io/stdin-lines.ts";
import { createTemplate, type SessionTemplate, type TemplateRequest } from "../../sessions/template.ts";
import { RpcPeer } from "./peer.ts";

/** Written and not read yet; what happens beyond it is told when the client has read on. */
const UNREAD_BYTES_MAX = 4 * 1024 * 1024;

export interface RpcFlags extends CommonFlags {
  cwd?: string;
  model?: string;
  baseUrl?: string;
  systemPrompt?: string;
  sessionFile?: string;
  debug?: boolean;
  /** False with --no-ui. */
  ui?: boolean;
}

export async function rpc(flags: RpcFlags): Promise<ExitCode> {
  const cwd = workingDirectory(flags.cwd ?? flags.directory);
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const { overrides } = settingsFromFlags({ config: flags.config ?? [] });
  const { model: wanted, baseUrl, systemPrompt } = flags;
  const request = { cwd, dataDir, model: wanted, baseUrl, systemPrompt, overrides };
  prepareDataDirectory(dataDir);
  const [{ template, model }, opened] = await Promise.all([
    firstTemplate(request),
    openInProcessHost(dataDir, overrides),
  ]);
  const peer = new RpcPeer({
    client: opened.client,
    dataDir: isAbsolute(dataDir) ? dataDir : resolve(dataDir),
    cwd,
    template,
    createTemplate: (other) => {
      const isSame = other.model === undefined || other.model === wanted;
      return createTemplate({ dataDir, baseUrl, overrides, ...other, model: isSame ? model : other.model });
    },
    hasUi: flags.ui !== false,
    isDebugging: flags.debug === true,
    argv: process.argv.slice(2),
    write: (line) => stdout.write(jsonLine(line)),
    room: unreadUntil,
  });
  const stops = listenForStops(
    () => peer.end("signal"),
    () => process.exit(exitCodes.interrupted),
  );
  stdout.onError(() => peer.end("stdin closed"));
  try {
    await peer.start(flags.sessionFile);
    const input = followStdin(peer);
    await peer.over;
    await opened.close();
    if (input.error === undefined) return exitCodes.ok;
    throw new Failure(exitCodes.failure, "internal", `standard input cannot be read: ${input.error.message}`);
  } finally {
    stops.release();
  }
}

/** A model that nobody here knows is said, and the usual table sits down: the client that named it can still talk. */
async function firstTemplate(
  request: TemplateRequest,
): Promise<{ template: SessionTemplate; model: string | undefined }> {
  try {
    return { template: await createTemplate(request), model: request.model };
  } catch (error) {
    const failure = toFailure(error);
    if (request.model === undefined || failure.code !== "usage") throw error;
    note(noteLine(failure.message, failure.hint, "The usual table sits down"));
    return { template: await createTemplate({ ...request, model: undefined }), model: undefined };
  }
}

/** Reads on only while what was read is carried out and what was written is read: a client cannot fill the memory. */
function followStdin(peer: RpcPeer): { readonly error: Error | undefined } {
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

function unreadUntil(): Promise<void> | undefined {
  return stdout.unreadBytes > UNREAD_BYTES_MAX ? stdout.flush() : undefined;
}
