/** Keys of devices and of the server that they sign in to: ECDSA on the curve P-256, as browsers have it. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import * as z from "zod";
import { RoundtableError } from "../../protocol/index.ts";

const COORDINATE = z.string().regex(/^[\w-]{43}$/);

/** A public key on the curve P-256, as browsers export it. */
export const DeviceKey = z.strictObject({
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: COORDINATE,
  y: COORDINATE,
});
export type DeviceKey = z.infer<typeof DeviceKey>;

export const ServerKey = DeviceKey.extend({ d: COORDINATE });
export type ServerKey = z.infer<typeof ServerKey>;

export function newServerKey(): ServerKey {
  const {
    x = "",
    y = "",
    d = "",
  } = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({
    format: "jwk",
  });
  return { kty: "EC", crv: "P-256", x, y, d };
}

/** Rejects with "bad_command" a key that is not on the curve. */
export function checkKey(key: DeviceKey): void {
  try {
    createPublicKey({ key, format: "jwk" });
  } catch {
    throw new RoundtableError("bad_command", "The key is not a point on the curve P-256.");
  }
}

/**
 * What is signed. The role keeps one side's signature from serving as the other's; the origin keeps a signature made for
 * one address from being used at another.
 */
export function messageOf(role: "server" | "device", [origin, device, deviceNonce, nonce]: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(["roundtable sign-in 1", role, origin, device, deviceNonce, nonce]));
}

export function signWith(key: ServerKey, message: Buffer): string {
  const privateKey = createPrivateKey({ key, format: "jwk" });
  return sign("sha256", message, { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url");
}

export function isSignedBy(key: DeviceKey, message: Buffer, signature: string): boolean {
  const publicKey = createPublicKey({ key, format: "jwk" });
  const bytes = Buffer.from(signature, "base64url");
  return verify("sha256", message, { key: publicKey, dsaEncoding: "ieee-p1363" }, bytes);
}
