/**
 * Sign-in of devices. A device registers its public key once, with a one-time code. From then on it proves that it has the
 * private key by signing a challenge, after the server has proved that it knows the device, and gets a token that lasts
 * minutes and is held in memory on both sides. Nothing depends on the clock of either.
 */
import { createPrivateKey, createPublicKey, randomBytes, sign, verify } from "node:crypto";
import type { EventEmitter } from "node:events";
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
  /** The server's random part; the device signs it with its own. */
  readonly nonce: string;
  /** The server's signature over both. */
  readonly proof: string;
}

export interface DeviceToken {
  readonly token: string;
  readonly lifeMs: number;
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

export class DeviceSignIn {
  readonly #devices: DeviceStore;
  readonly #clock: Clock;
  #challenges: readonly OpenChallenge[] = [];
  #tokens: readonly OpenToken[] = [];
  readonly #ends = new Map<string, Set<() => void>>();
  /** A sign-in that has read the device before it was revoked must not finish afterwards. */
  readonly #revoked = new Set<string>();

  constructor(devices: DeviceStore, clock: Clock) {
    this.#devices = devices;
    this.#clock = clock;
  }

  async register(given: {
    name: string;
    key: DeviceKey;
    origin: string;
  }): Promise<{ device: string; serverKey: DeviceKey }> {
    const { kty, crv, x, y } = await this.#devices.serverKey();
    const device = await this.#devices.add(given, this.#clock.now());
    return { device: device.id, serverKey: { kty, crv, x, y } };
  }

  /** Undefined for a device that is unknown at this origin. */
  async challenge(id: string, origin: string, deviceNonce: string): Promise<Challenge | undefined> {
    if ((await this.#findAt(id, origin)) === undefined) return undefined;
    const nonce = randomBytes(NONCE_BYTES).toString("base64url");
    const fields = [origin, id, deviceNonce, nonce];
    const proof = signWith(await this.#devices.serverKey(), messageOf("server", fields));
    const now = this.#clock.monotonic();
    const open = { device: id, nonce, message: messageOf("device", fields), endsMs: now + CHALLENGE_LIFE_MS };
    this.#challenges = withNewest(this.#challenges, open, CHALLENGES_PER_DEVICE_MAX, now);
    return { nonce, proof };
  }

  /** Undefined unless the signature answers an open challenge of this device, which is then used up. */
  async redeem(id: string, origin: string, nonce: string, signature: string): Promise<DeviceToken | undefined> {
    const now = this.#clock.monotonic();
    const open = this.#challenges.find((one) => one.device === id && isSameSecret(nonce, one.nonce));
    if (open === undefined) return undefined;
    // Used up even when the signature is wrong: a challenge cannot be tried twice.
    this.#challenges = this.#challenges.filter((one) => one !== open);
    const device = await this.#findAt(id, origin);
    if (open.endsMs < now || device === undefined || this.#revoked.has(id)) return undefined;
    if (!isSignedBy(device.key, open.message, signature)) return undefined;
    const token = newSecret();
    const opened: OpenToken = { device: id, scopes: ["use", "manage"], token, endsMs: now + TOKEN_LIFE_MS };
    this.#tokens = withNewest(this.#tokens, opened, TOKENS_PER_DEVICE_MAX, now);
    const nowTs = this.#clock.now();
    if (Math.abs(nowTs - device.usedTs) >= USE_STEP_MS) await this.#devices.use(id, nowTs);
    return { token, lifeMs: TOKEN_LIFE_MS };
  }

  principalOf(given: string): Principal | undefined {
    const now = this.#clock.monotonic();
    return this.#tokens.find((one) => one.endsMs >= now && isSameSecret(given, one.token));
  }

  async list(): Promise<readonly Device[]> {
    return await this.#devices.list();
  }

  /** Ends its tokens and connections at once. False when there is no such device. */
  async revoke(id: string): Promise<boolean> {
    this.#revoked.add(id);
    const isKnown = await this.#devices.remove(id);
    this.#challenges = this.#challenges.filter((one) => one.device !== id);
    this.#tokens = this.#tokens.filter((one) => one.device !== id);
    for (const end of this.#ends.get(id) ?? []) end();
    return isKnown;
  }

  /** Ends a request or connection when the device that made it is revoked. */
  endWith(principal: Principal | undefined, carrier: EventEmitter, end: () => void): void {
    const id = principal?.device;
    if (id === undefined) return;
    const all = this.#ends.get(id) ?? new Set();
    this.#ends.set(id, all.add(end));
    carrier.once("close", () => {
      all.delete(end);
      if (all.size === 0) this.#ends.delete(id);
    });
  }

  async #findAt(id: string, origin: string): Promise<Device | undefined> {
    const device = await this.#devices.find(id);
    return device?.origin === origin ? device : undefined;
  }
}

/** Drops what has ended, and the oldest of this device when it has too many. */
function withNewest<One extends { readonly device: string; readonly endsMs: number }>(
  all: readonly One[],
  newest: One,
  countMax: number,
  nowMs: number,
): One[] {
  const open = all.filter((one) => one.endsMs >= nowMs);
  const dropped = new Set(open.filter((one) => one.device === newest.device).slice(0, -(countMax - 1)));
  return [...open.filter((one) => !dropped.has(one)), newest];
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
