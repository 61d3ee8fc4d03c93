/** A terminal on a server that is named by its address. */
import { findServer, type SessionDefaults } from "../../server/index.ts";
import { dataDirectory } from "../config/paths.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { Failure, usageFailure } from "../failure.ts";
import { takeSeatAt } from "../chat/take-seat.ts";
import { prepareDataDirectory } from "../data-dir.ts";
import { chosenTheme, converse, type ChatFlags } from "./chat.ts";

/** The token would travel readable over any other network, and to anybody who has that name. */
const LOOPBACK = new Set(["127.0.0.1", "localhost"]);
const TOKEN_VARIABLE = "ROUNDTABLE_TOKEN";
/** A server on this machine that says nothing for this long will not. */
const ANSWER_MS = 5_000;

export async function attach(address: string, flags: ChatFlags & { session?: string }): Promise<ExitCode> {
  const url = serverUrl(address);
  // The screen is loaded while the server is asked; whether it could be is found out when it is run.
  void import("../../tui/index.ts").catch(() => {});
  await requireServer(url);
  const token = await tokenFor(url, flags);
  const defaults = await readDefaults(url, token);
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  prepareDataDirectory(dataDir);
  return await converse(flags, {
    takeSeat: () => takeSeatAt({ url, token }),
    defaults: async () => defaults,
    wish: { id: flags.session, isNew: flags.new === true, cwd: defaults.cwd },
    dataDir,
    theme: chosenTheme(flags),
  });
}

function serverUrl(address: string): string {
  const url = URL.parse(/^[\w.]+:\d+$/.test(address) ? `http://${address}` : address);
  const hint = "Give the address that roundtable serve printed, such as http://127.0.0.1:4096";
  if (url === null || url.protocol !== "http:") throw usageFailure(`"${address}" is not the address of a server`, hint);
  if (!LOOPBACK.has(url.hostname)) {
    throw usageFailure(`"${url.host}" is not on this machine, and the token would travel there in the clear`, hint);
  }
  return url.origin;
}

/** A token from disk goes only to the server that wrote it; any other address needs one that was given for it. */
async function tokenFor(url: string, flags: ChatFlags): Promise<string> {
  const given = process.env[TOKEN_VARIABLE];
  if (given !== undefined && given !== "") return given;
  const found = await findServer(dataDirectory(process.env, flags.dataDir, process.cwd()));
  if (found !== undefined && found.url === url.replace("//localhost:", "//127.0.0.1:")) return found.token;
  throw new Failure(exitCodes.permissionDenied, "no_token", `there is no token for ${url}`, {
    hint: `Name its data directory with --data-dir, or put the token into ${TOKEN_VARIABLE}`,
  });
}

/** Whether anybody is there comes before the question who may come in. */
async function requireServer(url: string): Promise<void> {
  const answer = await ask(url, "/v1/health");
  const said = (await answer.json().catch(() => undefined)) as { ok?: unknown } | undefined;
  if (said?.ok !== true) throw notOurs(url, `asked how it is, it answered ${answer.status} and something else`);
}

async function readDefaults(url: string, token: string): Promise<SessionDefaults> {
  const answer = await ask(url, "/v1/defaults", token);
  if (answer.status === 401) {
    throw new Failure(exitCodes.permissionDenied, "refused", `the server at ${url} does not take this token`, {
      hint: `Every start of a server has a new one: take it from the file token of its data directory into ${TOKEN_VARIABLE}`,
    });
  }
  if (answer.status === 429) {
    const message = `the server at ${url} takes no token now: too many wrong ones came within a short time`;
    throw new Failure(exitCodes.permissionDenied, "refused", message, { hint: "Wait ten seconds and try again" });
  }
  if (!answer.ok) throw notOurs(url, `it answered ${answer.status}`);
  const defaults = (await answer.json().catch(() => undefined)) as Partial<SessionDefaults> | undefined;
  if (defaults?.settings === undefined || !Array.isArray(defaults.members) || typeof defaults.cwd !== "string") {
    throw notOurs(url, "it answered something else than was asked");
  }
  return defaults as SessionDefaults;
}

async function ask(url: string, path: string, token?: string): Promise<Response> {
  try {
    return await fetch(`${url}${path}`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_MS),
    });
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError") {
      const message = `what listens at ${url} did not answer within ${ANSWER_MS / 1_000} s`;
      throw new Failure(exitCodes.timeout, "timeout", message, {
        hint: "If it is a server of yours that is stuck, stop its process and start it again",
        cause: error,
      });
    }
    throw new Failure(exitCodes.failure, "closed", `no server answers at ${url}`, {
      hint: "Start one with roundtable serve, or roundtable without an address finds or starts its own",
      cause: error,
    });
  }
}

function notOurs(url: string, found: string): Failure {
  return new Failure(exitCodes.failure, "closed", `what runs at ${url} is not a server of this program: ${found}`, {
    hint: "roundtable web prints the address of the server of this data directory",
  });
}
