/**
 * Sign-in of devices. A device registers its public key once, with a one-time code. From then on it proves that it has the
 * private key by signing a challenge, after the server has proved that it knows the device, and gets a token that lasts
 * minutes and is held in memory on both sides. Nothing depends on the clock of either.
 */
import { createPrivateKey, createPublicKey, randomBytes, sign, verify } from "node:crypto";
import type { Clock } from "../../kit/clock.ts";
import type { Device, DeviceKey, DeviceStore, ServerKey } from "./device-store.ts";
import type { Principal } from "./principal.ts";
import { isSameSecret, newSecret } from "./secrets.ts";

/** A page renews its token before this, so that a stolen one is soon worthless. */
const TOKEN_LIFE_MS = 10 * 60_000;
const CHALLENGE_LIFE_MS = 30_000;
/** Of one device, so that one cannot push out the challenges of another. */
const CHALLENGES_PER_DEVICE_MAX = 16;
const TOKENS_PER_DEVICE_MAX = 64;
const NONCE_BYTES = 32;
/** How often the time of last use is written. */
const USE_STEP_MS = 60_000;

export interface Challenge {
  /** The server's part; the device signs both parts. */
  readonly nonce: string;
  /** The server's signature over both parts. */
  readonly proof: string;
}

export interface DeviceToken {
  readonly token: string;
  readonly lifeMs: number;
}

export interface DeviceSignIn {
  register(device: { name: string; key: DeviceKey; origin: string }): Promise<{ device: string; serverKey: DeviceKey }>;
  /** Undefined for a device that is unknown at this origin. */
  challenge(device: string, origin: string, deviceNonce: string): Promise<Challenge | undefined>;
  /** Undefined unless the signature answers an open challenge of this device, which is then used up. */
  redeem(device: string, origin: string, nonce: string, signature: string): Promise<DeviceToken | undefined>;
  principalOf(token: string): Principal | undefined;
  list(): Promise<readonly Device[]>;
  /** Ends its tokens and connections at once. False when there is no such device. */
  revoke(device: string): Promise<boolean>;
  /** Calls back when the device is revoked. The returned function stops that. */
  onRevoked(device: string, end: () => void): () => void;
}

interface OpenChallenge {
  readonly device: string;
  readonly nonce: string;
  readonly message: Buffer;
  readonly endsMs: number;
}

interface OpenToken extends Principal {
  readonly device: string;
  readonly token: string;
  readonly endsMs: number;
}

export function createDeviceSignIn(devices: DeviceStore, clock: Clock): DeviceSignIn {
  let challenges: readonly OpenChallenge[] = [];
  let tokens: readonly OpenToken[] = [];
  const ends = new Map<string, Set<() => void>>();
  /** A sign-in that has read the device before it was revoked must not finish afterwards. */
  const revoked = new Set<string>();

  const findAt = async (id: string, origin: string): Promise<Device | undefined> => {
    const device = await devices.find(id);
    return device?.origin === origin ? device : undefined;
  };

  return {
    async register({ name, key, origin }) {
      const { kty, crv, x, y } = await devices.serverKey();
      const device = await devices.add({ name, key, origin }, clock.now());
      return { device: device.id, serverKey: { kty, crv, x, y } };
    },
    async challenge(id, origin, deviceNonce) {
      if ((await findAt(id, origin)) === undefined) return undefined;
      const nonce = randomBytes(NONCE_BYTES).toString("base64url");
      const parts = [origin, id, deviceNonce, nonce];
      const proof = signWith(await devices.serverKey(), messageOf("server", parts));
      const now = clock.monotonic();
      const open = { device: id, nonce, message: messageOf("device", parts), endsMs: now + CHALLENGE_LIFE_MS };
      const fresh = challenges.filter((one) => one.endsMs >= now);
      challenges = [...lastOf(fresh, id, CHALLENGES_PER_DEVICE_MAX - 1), open];
      return { nonce, proof };
    },
    async redeem(id, origin, nonce, signature) {
      const now = clock.monotonic();
      const open = challenges.find((one) => one.device === id && isSameSecret(nonce, one.nonce));
      if (open === undefined) return undefined;
      // Used up even when the signature is wrong: a challenge cannot be tried twice.
      challenges = challenges.filter((one) => one !== open);
      const device = await findAt(id, origin);
      if (open.endsMs < now || device === undefined || revoked.has(id)) return undefined;
      if (!isSignedBy(device.key, open.message, signature)) return undefined;
      const token: OpenToken = {
        device: id,
        scopes: ["use", "manage"],
        token: newSecret(),
        endsMs: now + TOKEN_LIFE_MS,
      };
      const fresh = tokens.filter((one) => one.endsMs >= now);
      tokens = [...lastOf(fresh, id, TOKENS_PER_DEVICE_MAX - 1), token];
      const nowTs = clock.now();
      if (Math.abs(nowTs - device.usedTs) >= USE_STEP_MS) await devices.use(id, nowTs);
      return { token: token.token, lifeMs: TOKEN_LIFE_MS };
    },
    principalOf(given) {
      const now = clock.monotonic();
      return tokens.find((one) => one.endsMs >= now && isSameSecret(given, one.token));
    },
    list: () => devices.list(),
    async revoke(id) {
      revoked.add(id);
      const isKnown = await devices.remove(id);
      challenges = challenges.filter((one) => one.device !== id);
      tokens = tokens.filter((one) => one.device !== id);
      for (const end of [...(ends.get(id) ?? [])]) end();
      return isKnown;
    },
    onRevoked(id, end) {
      const all = ends.get(id) ?? new Set();
      ends.set(id, all.add(end));
      return () => {
        all.delete(end);
        if (all.size === 0) ends.delete(id);
      };
    },
  };
}

/** All of other devices, and the newest of this one. */
function lastOf<One extends { readonly device: string }>(all: readonly One[], device: string, countMax: number): One[] {
  const dropped = new Set(all.filter((one) => one.device === device).slice(0, -countMax));
  return all.filter((one) => !dropped.has(one));
}

/**
 * What is signed. The role keeps one side's signature from serving as the other's; the origin keeps a signature made for
 * one address from being used at another.
 */
export function messageOf(role: "server" | "device", [origin, device, deviceNonce, nonce]: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(["roundtable sign-in 1", role, origin, device, deviceNonce, nonce]));
}

function signWith(key: ServerKey, message: Buffer): string {
  const privateKey = createPrivateKey({ key, format: "jwk" });
  return sign("sha256", message, { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url");
}

function isSignedBy(key: DeviceKey, message: Buffer, signature: string): boolean {
  const publicKey = createPublicKey({ key, format: "jwk" });
  const bytes = Buffer.from(signature, "base64url");
  return verify("sha256", message, { key: publicKey, dsaEncoding: "ieee-p1363" }, bytes);
}
