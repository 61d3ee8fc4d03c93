/** A terminal on a server that is named by its address. */
import { findServer, type SessionDefaults } from "../../server/index.ts";
import { dataDirectory } from "../config/paths.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { Failure, usageFailure } from "../failure.ts";
import { attachTable } from "../attached-table.ts";
import { requireTerminal, runChat, type ChatFlags } from "./chat.ts";

/** The token would travel readable over any other network, and to anybody who has that name. */
const LOOPBACK = new Set(["127.0.0.1", "localhost"]);
const TOKEN_VARIABLE = "ROUNDTABLE_TOKEN";
/** A server on this machine that says nothing for this long will not. */
const ANSWER_MS = 5_000;

export async function attach(address: string, flags: ChatFlags & { session?: string }): Promise<ExitCode> {
  requireTerminal();
  const url = serverUrl(address);
  const token = await tokenFor(url, flags);
  const defaults = await readDefaults(url, token);
  const table = await attachTable({ url, token });
  return await runChat(table, { defaults, flags, place: `attached to ${url}`, isAttached: true, id: flags.session });
}

function serverUrl(address: string): string {
  const url = URL.parse(address);
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

async function readDefaults(url: string, token: string): Promise<SessionDefaults> {
  const answer = await fetch(`${url}/v1/defaults`, {
    headers: { authorization: `Bearer ${token}` },
    redirect: "error",
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch((error: unknown) => {
    throw new Failure(exitCodes.failure, "closed", `no server answers at ${url}`, {
      hint: "Start one with roundtable serve, or roundtable without an address finds or starts its own",
      cause: error,
    });
  });
  if (answer.status === 401) {
    throw new Failure(exitCodes.permissionDenied, "refused", `the server at ${url} does not take this token`, {
      hint: `Every start of a server has a new one: take it from the file token of its data directory into ${TOKEN_VARIABLE}`,
    });
  }
  if (!answer.ok) throw notOurs(url, `it answered ${answer.status}`);
  const defaults = (await answer.json().catch(() => undefined)) as Partial<SessionDefaults> | undefined;
  if (defaults?.settings === undefined || !Array.isArray(defaults.members) || typeof defaults.cwd !== "string") {
    throw notOurs(url, "it answered something else than was asked");
  }
  return defaults as SessionDefaults;
}

function notOurs(url: string, found: string): Failure {
  return new Failure(exitCodes.failure, "closed", `what runs at ${url} is not a server of this program: ${found}`);
}
