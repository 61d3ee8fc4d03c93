/**
 * This machine as a device of a team's server: registered once with a code from a link, then signed in by its key. Keys
 * are kept in `team.json` of the data directory, one for each server.
 */
import { createPublicKey, randomBytes } from "node:crypto";
import path from "node:path";
import * as z from "zod";
import { readIfThere, writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { RoundtableError } from "../../protocol/index.ts";
import {
  isSignedBy,
  messageOf,
  newSecret,
  newServerKey,
  ServerKey,
  signWith,
  type DeviceKey,
} from "../../server/index.ts";

const TEAM_FILE = "team.json";
const ASK_MS = 15_000;

const Known = z.object({
  origin: z.string(),
  device: z.string(),
  /** The private key of this machine. */
  key: ServerKey,
  /** Of this machine in the team: its sessions belong to the machine of that name. */
  name: z.string().optional(),
  /** Secret by which the server recognises this machine, independent of its owner. */
  machine: z.string().optional(),
  serverKey: z.object({ kty: z.string(), crv: z.string(), x: z.string(), y: z.string() }),
});
const TeamFile = z.object({ format: z.literal(1), servers: z.array(Known) });
type Known = z.infer<typeof Known>;

export interface ServerDevice {
  readonly origin: string;
  /** A token that lasts minutes. Rejects with "locked" when this machine is not signed in there any more. */
  token(): Promise<string>;
  /** Makes the next one sign in again: a node did not accept it. */
  dropToken(): void;
  /** A request with a token. Rejects with the server's own error. */
  ask<Answer>(path: string, body?: unknown): Promise<Answer>;
  /** A file, however long it takes to arrive. */
  download(path: string): Promise<Response>;
}

/**
 * `link` is the address of the server, or a link of it with a code, which signs this machine in. With `needsTeam` the code
 * is not used up at the server of one person.
 */
export async function openServerDevice(
  link: string,
  { needsTeam = false, ...options }: { dataDir: string; name: string; needsTeam?: boolean },
): Promise<ServerDevice> {
  const url = URL.parse(link);
  if (url === null || !isSafe(url)) {
    throw new RoundtableError("bad_command", `"${link}" is not the https:// address of a Roundtable server.`, {
      hint: "Plain HTTP works only for a server on this machine.",
    });
  }
  if (needsTeam) await expectTeam(url.origin);
  const code = new URLSearchParams(url.hash.slice(1)).get("code");
  const before = readKnown(options.dataDir, url.origin);
  const known = code === null ? before : await register(url.origin, code, options).catch(orElse(before));
  if (known !== undefined) return createDevice(known);
  throw new RoundtableError("locked", `This machine is not signed in to ${url.origin}.`, {
    hint: "Use a link to the server: from an invitation, from roundtable team link on a machine that is signed in, or from Settings, Devices on its page.",
  });
}

/** A link that was used already, most likely here: this machine is signed in. */
function orElse(before: Known | undefined): (error: unknown) => Known {
  return (error) => {
    const isUsed = error instanceof RoundtableError && error.code === "locked";
    if (before === undefined || !isUsed) throw error;
    return before;
  };
}

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && (hostname === "127.0.0.1" || hostname === "localhost"));
}

/** Whether it can be reached at all shows later. */
async function expectTeam(origin: string): Promise<void> {
  const offer: unknown = await fetch(`${origin}/v1/sign-in`, { signal: AbortSignal.timeout(ASK_MS) })
    .then((answer) => answer.json())
    .catch(() => undefined);
  if ((offer as { isTeam?: unknown } | null | undefined)?.isTeam !== false) return;
  throw new RoundtableError("bad_command", `The server at ${origin} serves one person and has no team to join.`, {
    hint: "Use its link with --server instead, as in roundtable sessions list --server LINK. A team's server is started with roundtable serve --team.",
  });
}

/** As which this machine has joined the server of a link. */
export function joinedAs(dataDir: string, link: string): string | undefined {
  return readKnown(dataDir, URL.parse(link)?.origin ?? "")?.name;
}

/** Resolves with the secret by which the server knows this machine again. Notes the first name. */
export async function machineSecret(dataDir: string, origin: string, name: string): Promise<string> {
  const known = readKnown(dataDir, origin);
  const machine = known?.machine ?? newSecret();
  if (known !== undefined) await writeKnown(dataDir, { ...known, name: known.name ?? name, machine });
  return machine;
}

/** For the next start without a name. A further name is noted once the server has taken it: a wrong one does not stay. */
export async function noteJoinedAs(dataDir: string, origin: string, name: string): Promise<void> {
  const known = readKnown(dataDir, origin);
  if (known !== undefined && known.name !== name) await writeKnown(dataDir, { ...known, name });
}

/** Servers that this machine is signed in to. */
export function knownServers(dataDir: string): readonly string[] {
  return readFile(dataDir).servers.map(({ origin }) => origin);
}

function readFile(dataDir: string): z.infer<typeof TeamFile> {
  const text = readIfThere(path.join(dataDir, TEAM_FILE));
  if (text === undefined) return { format: 1, servers: [] };
  const parsed = TeamFile.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new RoundtableError("internal", `${path.join(dataDir, TEAM_FILE)} is damaged.`, {
    hint: "Delete it, and join again with a new link.",
  });
}

function readKnown(dataDir: string, origin: string): Known | undefined {
  return readFile(dataDir).servers.find((one) => one.origin === origin);
}

async function register(origin: string, code: string, { dataDir, name }: { dataDir: string; name: string }) {
  const key = newServerKey();
  const { kty, crv, x, y } = key;
  const answer = await post(origin, "/v1/devices", { code, name, key: { kty, crv, x, y } });
  const { device, serverKey } = (await answer.json()) as { device: string; serverKey: DeviceKey };
  const known: Known = { ...readKnown(dataDir, origin), origin, device, key, serverKey };
  await writeKnown(dataDir, known);
  return known;
}

async function writeKnown(dataDir: string, known: Known): Promise<void> {
  const others = readFile(dataDir).servers.filter((one) => one.origin !== known.origin);
  const text = `${JSON.stringify({ format: 1, servers: [...others, known] })}\n`;
  await writeFileAtomic(path.join(dataDir, TEAM_FILE), text);
}

/** A token is renewed when it would end within this time. */
const RENEW_MS = 60_000;

function createDevice(known: Known): ServerDevice {
  const { origin } = known;
  let held: { readonly token: string; readonly endsMs: number } | undefined;
  const token = async (): Promise<string> => {
    if (held !== undefined && held.endsMs - performance.now() > RENEW_MS) return held.token;
    const signedIn = await signIn(known);
    held = { token: signedIn.token, endsMs: performance.now() + signedIn.lifeMs };
    return held.token;
  };
  return {
    origin,
    token,
    dropToken: () => (held = undefined),
    async ask<Answer>(at: string, body?: unknown) {
      const answer = await post(origin, at, body, await token());
      return (await answer.json()) as Answer;
    },
    download: async (at) => await post(origin, at, undefined, await token(), true),
  };
}

/** Nothing is signed for a server that does not prove first that it knows this machine. */
async function signIn({ origin, device, key, serverKey }: Known): Promise<{ token: string; lifeMs: number }> {
  const deviceNonce = randomBytes(32).toString("base64url");
  const challenge = await post(origin, "/v1/devices/challenge", { device, nonce: deviceNonce });
  const { nonce, proof } = (await challenge.json()) as { nonce: string; proof: string };
  const fields = [origin, device, deviceNonce, nonce];
  if (!isSignedBy(createJwk(serverKey), messageOf("server", fields), proof)) {
    throw new RoundtableError("locked", `Another server answers at ${origin}, so nothing was sent to it.`, {
      hint: "If the server was set up again, join it with a new link.",
    });
  }
  const signature = signWith(key, messageOf("device", fields));
  const answer = await post(origin, "/v1/devices/token", { device, nonce, signature });
  return (await answer.json()) as { token: string; lifeMs: number };
}

function createJwk(key: Known["serverKey"]): DeviceKey {
  return createPublicKey({ key, format: "jwk" }).export({ format: "jwk" }) as DeviceKey;
}

async function post(origin: string, at: string, body: unknown, token?: string, isFile = false): Promise<Response> {
  const isPost = body !== undefined;
  const answer = await fetch(`${origin}${at}`, {
    method: isPost ? "POST" : "GET",
    headers: {
      ...(isPost ? { "content-type": "application/json" } : {}),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(isPost ? { body: JSON.stringify(body) } : {}),
    // That of a file would end its body too; `fetch` has limits of its own.
    ...(isFile ? {} : { signal: AbortSignal.timeout(ASK_MS) }),
  }).catch((error: unknown) => {
    throw new RoundtableError("closed", `The server at ${origin} cannot be reached: ${reasonOf(error)}.`, {
      cause: error,
    });
  });
  const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
  if (answer.ok && (isFile || isJson)) return answer;
  if (!isJson && answer.status < 500) {
    throw new RoundtableError(
      "bad_command",
      `What answers at ${origin} is not a Roundtable server (${answer.status}).`,
      {
        hint: "Check the address.",
      },
    );
  }
  const { error } = (await answer.json().catch(() => ({}))) as { error?: { message?: string; hint?: string } };
  const isRefused = answer.status === 401 || answer.status === 403;
  const message = error?.message ?? `The server at ${origin} answered ${answer.status}.`;
  const hint = error?.hint ?? (isRefused ? "Sign this machine in with a new link." : undefined);
  const code = answer.status >= 500 ? "closed" : "bad_command";
  throw new RoundtableError(isRefused ? "locked" : code, message, hint === undefined ? {} : { hint });
}

/** `fetch` hides it one level down. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const { code, message } = (cause ?? error) as { code?: string; message?: string };
  if (code === "DEPTH_ZERO_SELF_SIGNED_CERT" || code === "SELF_SIGNED_CERT_IN_CHAIN" || code?.startsWith("UNABLE_TO_"))
    return "its certificate is not trusted on this machine; set NODE_EXTRA_CA_CERTS to the file with the certificate of its authority";
  if (code === "ECONNREFUSED") return "nothing answers on that port; check the address";
  if (code === "ENOTFOUND") return "there is no host with that name; check the address";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return "its certificate is for another name; use the address that is in the certificate";
  if (code === "CERT_HAS_EXPIRED") return "its certificate has expired; the server's administrator has to renew it";
  if (code === "CERT_NOT_YET_VALID") return "its certificate is not valid yet; check the clock of this machine";
  if (code === "UND_ERR_SOCKET" || code === "ERR_SSL_WRONG_VERSION_NUMBER" || code === "ERR_SSL_PACKET_LENGTH_TOO_LONG")
    return "it speaks another protocol or closed the connection; check whether the address begins with https:// or http://";
  return message ?? code ?? String(error);
}
