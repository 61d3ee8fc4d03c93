/**
 * Sign-in of this browser. A one-time code, from the URL fragment or typed, registers its key once; afterwards every tab
 * signs in by itself and holds a token that lasts minutes in memory. Nothing is signed for a server that does not prove
 * first that it knows this device.
 */
import {
  forgetDevice,
  importServerKey,
  isSignedBy,
  newKeys,
  newNonce,
  publicKeyOf,
  readDevice,
  sign,
  storeDevice,
  type DeviceRecord,
} from "./device-key.ts";
import { readMessages } from "./offer.ts";

/** Signing in needs the user; the message says why and what to do. */
export class SignedOutError extends Error {}

const TOO_MANY = "Too many attempts. Wait ten seconds and try again.";

/** A token is renewed when it would end within this time. */
const RENEW_MS = 60_000;
const ATTEMPTS = 3;

let held: { readonly token: string; readonly endsMs: number } | undefined;
let renewing: Promise<string> | undefined;

/** Takes the code out of the address: it must not be copied or bookmarked. */
export function extractCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code === null) return undefined;
  history.replaceState(null, "", location.pathname);
  return code;
}

/** A valid token. Rejects with `SignedOutError` when the user has to sign in. */
export async function currentToken(): Promise<string> {
  if (held !== undefined && held.endsMs - performance.now() > RENEW_MS) return held.token;
  renewing ??= renew().finally(() => (renewing = undefined));
  return await renewing;
}

/** Makes the next request sign in again: the server has restarted and does not know the token. */
export function dropToken(): void {
  held = undefined;
}

async function renew(attempts = ATTEMPTS): Promise<string> {
  const record = await readDevice();
  if (record === undefined) throw new SignedOutError((await readMessages()).signedOut);
  const { device, keys, serverKey } = record;
  const deviceNonce = newNonce();
  const challenge = await post("/v1/devices/challenge", { device, nonce: deviceNonce });
  if (challenge.status === 401) return await unknownHere(record);
  const { nonce, proof } = (await challenge.json()) as { nonce: string; proof: string };
  const fields = [location.origin, device, deviceNonce, nonce];
  if (!(await isSignedBy(serverKey, messageOf("server", fields), proof)))
    throw new SignedOutError((await readMessages()).otherServer);
  const signature = await sign(keys, messageOf("device", fields));
  const answer = await post("/v1/devices/token", { device, nonce, signature });
  if (answer.status === 401) {
    // The challenge has ended, because this browser slept or many tabs signed in at once. A revoked one gets no other.
    if (attempts > 1) return await renew(attempts - 1);
    throw new SignedOutError((await readMessages()).revoked);
  }
  const { token, lifeMs } = (await answer.json()) as { token: string; lifeMs: number };
  held = { token, endsMs: performance.now() + lifeMs };
  return token;
}

/** Revoked, unless another tab has registered anew meanwhile. */
async function unknownHere({ device }: DeviceRecord): Promise<string> {
  const now = await readDevice();
  if (now !== undefined && now.device !== device) return await renew();
  await forgetDevice();
  throw new SignedOutError((await readMessages()).revoked);
}

/** Registers this browser. Rejects with `SignedOutError` for a code that is not valid. */
export async function register(code: string): Promise<void> {
  const keys = await newKeys();
  const answer = await post("/v1/devices", { code, name: deviceName(), key: await publicKeyOf(keys) });
  if (answer.status === 401) throw new SignedOutError((await readMessages()).badCode);
  const { device, serverKey } = (await answer.json()) as { device: string; serverKey: JsonWebKey };
  await storeDevice({ device, keys, serverKey: await importServerKey(serverKey) });
  held = undefined;
}

/** Both sides sign the same fields, each in its own role; see src/server/sign-in. */
function messageOf(role: "server" | "device", fields: readonly string[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(["roundtable sign-in 1", role, ...fields]));
}

/** Resolves for success and for 401; rejects for everything else, with the server's text. */
export async function post(path: string, body: unknown, token?: string): Promise<Response> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...authorization },
    body: JSON.stringify(body),
  }).catch(() => {
    // Every browser has its own words for it, none of them for people.
    throw new Error("Can't reach the server.");
  });
  if (answer.ok || answer.status === 401) return answer;
  if (answer.status === 429) throw new SignedOutError(TOO_MANY);
  const { error } = (await answer.json().catch(() => ({}))) as { error?: { message?: string; hint?: string } };
  const text = [error?.message, error?.hint].filter(Boolean).join(" ");
  throw new Error(text === "" ? `The server refused to sign in this browser (${answer.status}).` : text);
}

const BROWSERS = [
  ["Edg/", "Edge"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
] as const;
const SYSTEMS = [
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["Mac OS X", "macOS"],
  ["Windows", "Windows"],
  ["Linux", "Linux"],
] as const;

/** Such as "Firefox on Linux". */
export function deviceName(): string {
  const find = (names: readonly (readonly [string, string])[]) =>
    names.find(([part]) => navigator.userAgent.includes(part))?.[1];
  return `${find(BROWSERS) ?? "Browser"} on ${find(SYSTEMS) ?? "another system"}`;
}
