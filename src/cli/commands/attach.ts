/** `attach`: the terminal app on a server given by its address. */
import { askLoopback, type LoopbackAnswer } from "../../kit/io/loopback-http.ts";
import { findServer, type SessionDefaults } from "../../server/index.ts";
import { dataDirectory } from "../config/paths.ts";
import { exitCodes, type ExitCode } from "../../kit/exit-codes.ts";
import { Failure, usageFailure } from "../../kit/failure.ts";
import { readAttachedFiles } from "../ask/attached-files.ts";
import { withFirstFiles } from "../chat/first-files.ts";
import { refuseQuestionOptions, refuseSessionOptions } from "../chat/chat-flags.ts";
import { connectToServer } from "../connect/connect-to-host.ts";
import { prepareDataDirectory } from "../config/data-directory.ts";
import { chosenTheme, converse, type ChatFlags } from "./chat.ts";
import { examples, type DeclareCommand } from "./command.ts";
import { collect } from "./option-values.ts";
import { addCommonOptions, addReaderOption, addThemeOption, SESSION } from "./options.ts";

/** Loopback only: over a network the token would be sent in plain text, to any host behind that name. */
const LOOPBACK = new Set(["127.0.0.1", "localhost"]);
const TOKEN_VARIABLE = "ROUNDTABLE_TOKEN";
/** Timeout for a server on this machine. */
const ANSWER_MS = 5_000;

type AttachFlags = ChatFlags & { session?: string };

export const declareAttach: DeclareCommand = (command, run) => {
  command
    .argument("<url>", "server address, such as http://127.0.0.1:4096")
    .option("-f, --file <path>", "attach a file to the first message; repeatable", collect)
    .option("--session <id>", SESSION)
    .option("--new", "start a new session");
  addThemeOption(command);
  addReaderOption(command);
  addCommonOptions(command);
  command.addHelpText(
    "after",
    examples([
      "roundtable attach http://127.0.0.1:4096",
      "ROUNDTABLE_TOKEN=… roundtable attach http://127.0.0.1:4096 --new",
    ]),
  );
  command.action(async (url: string, flags: AttachFlags) => run(flags, (all) => attach(url, all)));
};

async function attach(address: string, flags: AttachFlags): Promise<ExitCode> {
  refuseQuestionOptions(flags);
  refuseSessionOptions(flags);
  const url = serverUrl(address);
  const files = await readAttachedFiles(flags.file);
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  prepareDataDirectory(dataDir);
  const token = lazily(() => tokenFor(url, flags));
  const defaults = lazily(async () => await readDefaults(url, await token()));
  return await converse(flags, {
    async connect() {
      const begun = performance.now();
      try {
        return withFirstFiles(await connectToServer({ url, token: await token(), dataDir }), files);
      } catch (error) {
        throw performance.now() - begun >= ANSWER_MS ? silent(url, error) : await whyNot(error, url, defaults);
      }
    },
    defaults,
    expected: { isNew: flags.new === true },
    availableMembers: async () => (await defaults()).members,
    selection: { id: flags.session, isNew: flags.new === true, cwd: async () => (await defaults()).cwd },
    dataDir,
    theme: chosenTheme(flags),
  });
}

/** A failed WebSocket gives no reason, so an HTTP request finds out: no server, or a rejected token. */
async function whyNot(cause: unknown, url: string, defaults: () => Promise<unknown>): Promise<unknown> {
  if (cause instanceof Failure && cause.code === "version_mismatch") return cause;
  try {
    await requireServer(url);
    if (!(cause instanceof Failure)) await defaults();
    return cause;
  } catch (error) {
    return error;
  }
}

function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}

function serverUrl(address: string): string {
  const url = URL.parse(/^[\w.]+:\d+$/.test(address) ? `http://${address}` : address);
  const hint = "Use the address printed by roundtable serve, such as http://127.0.0.1:4096";
  if (url === null || url.protocol !== "http:") throw usageFailure(`"${address}" is not a server address`, hint);
  if (!LOOPBACK.has(url.hostname)) {
    throw usageFailure(`"${url.host}" is not on this machine, and the token would be sent in plain text`, hint);
  }
  return url.origin;
}

/** A token from disk is only sent to the server that wrote it; any other address needs an explicit token. */
async function tokenFor(url: string, flags: ChatFlags): Promise<string> {
  const given = process.env[TOKEN_VARIABLE];
  if (given !== undefined && given !== "") return given;
  const server = await findServer(dataDirectory(process.env, flags.dataDir, process.cwd()));
  if (server !== undefined && server.url === url.replace("//localhost:", "//127.0.0.1:")) return server.token;
  throw new Failure(exitCodes.permissionDenied, "no_token", `there is no token for ${url}`, {
    hint: `Give its data directory with --data-dir, or set ${TOKEN_VARIABLE}`,
  });
}

/** Checks that a server answers before the token is sent. */
async function requireServer(url: string): Promise<void> {
  const { status, body } = await ask(url, "/v1/health");
  const health = parsed(body) as { ok?: unknown } | undefined;
  if (health?.ok !== true) throw notOurs(url, `its health check answered ${status} with an unexpected body`);
}

async function readDefaults(url: string, token: string): Promise<SessionDefaults> {
  const { status, body } = await ask(url, "/v1/defaults", token);
  if (status === 401) {
    throw new Failure(exitCodes.permissionDenied, "refused", `the server at ${url} rejected the token`, {
      hint: `A server gets a new token each time it starts: copy it from the file "token" in its data directory into ${TOKEN_VARIABLE}`,
    });
  }
  if (status === 429) {
    const message = `the server at ${url} rejects all tokens for now, after too many wrong ones`;
    throw new Failure(exitCodes.permissionDenied, "refused", message, { hint: "Wait ten seconds and try again" });
  }
  if (status !== 200) throw notOurs(url, `it answered ${status}`);
  const defaults = parsed(body) as Partial<SessionDefaults> | undefined;
  if (defaults?.settings === undefined || !Array.isArray(defaults.members) || typeof defaults.cwd !== "string") {
    throw notOurs(url, "it sent an unexpected answer");
  }
  return defaults as SessionDefaults;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Not JSON: the caller reports it.
    return undefined;
  }
}

async function ask(url: string, path: string, token?: string): Promise<LoopbackAnswer> {
  try {
    return await askLoopback(`${url}${path}`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      timeoutMs: ANSWER_MS,
    });
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError") throw silent(url, error);
    throw new Failure(exitCodes.failure, "closed", `no server answers at ${url}`, {
      hint: "Start one with roundtable serve, or run roundtable without an address",
      cause: error,
    });
  }
}

function silent(url: string, cause: unknown): Failure {
  const message = `the program at ${url} did not answer within ${ANSWER_MS / 1_000} s`;
  return new Failure(exitCodes.timeout, "timeout", message, {
    hint: "If it is your server, restart it",
    cause,
  });
}

function notOurs(url: string, detail: string): Failure {
  return new Failure(exitCodes.failure, "closed", `the program at ${url} is not a Roundtable server: ${detail}`, {
    hint: "roundtable web prints the address of the server of this data directory",
  });
}
