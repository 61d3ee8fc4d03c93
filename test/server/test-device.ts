/** A device that signs in over HTTP, as the page does in a browser. */
import { createPublicKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import { messageOf } from "../../src/server/sign-in/keys.ts";
import { ask, type OpenServer } from "./open-server.ts";

export interface TestDevice {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly serverKey: KeyObject;
}

export interface TestChallenge {
  readonly deviceNonce: string;
  readonly nonce: string;
  readonly proof: string;
}

/** Signatures as browsers make them. */
export const dsa = { dsaEncoding: "ieee-p1363" } as const;

export const newNonce = () => randomBytes(32).toString("base64url");

export async function readAs<Body>(answer: Response): Promise<Body> {
  return (await answer.json()) as Body;
}

export async function newCode(open: OpenServer, typed = false): Promise<string> {
  return (await readAs<{ code: string }>(await ask(open, "/v1/codes", { typed }))).code;
}

export function newKey(): { privateKey: KeyObject; jwk: unknown } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { privateKey, jwk: publicKey.export({ format: "jwk" }) };
}

export async function register(open: OpenServer, name = "Firefox on Linux"): Promise<TestDevice> {
  const { privateKey, jwk } = newKey();
  const answer = await ask(open, "/v1/devices", { code: await newCode(open), name, key: jwk });
  const { device, serverKey } = await readAs<{ device: string; serverKey: JsonWebKey }>(answer);
  return { id: device, privateKey, serverKey: createPublicKey({ key: serverKey, format: "jwk" }) };
}

export async function challenge(open: OpenServer, { id }: Pick<TestDevice, "id">): Promise<TestChallenge> {
  const deviceNonce = newNonce();
  const answer = await ask(open, "/v1/devices/challenge", { device: id, nonce: deviceNonce });
  if (!answer.ok) throw new Error(`no challenge: ${answer.status}`);
  return { deviceNonce, ...(await readAs<{ nonce: string; proof: string }>(answer)) };
}

export function signatureOf(device: TestDevice, { deviceNonce, nonce }: TestChallenge, origin: string): string {
  const message = messageOf("device", [origin, device.id, deviceNonce, nonce]);
  return sign("sha256", message, { key: device.privateKey, ...dsa }).toString("base64url");
}
