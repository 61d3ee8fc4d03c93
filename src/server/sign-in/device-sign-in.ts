/**
 * Sign-in of devices. A device registers its public key once, with a one-time code. From then on it proves that it has the
 * private key by signing a challenge, after the server has proved that it knows the device, and gets a token that lasts
 * minutes and is held in memory on both sides. Nothing depends on the clock of either.
 */
import { randomBytes } from "node:crypto";
import type { EventEmitter } from "node:events";
import type { Clock } from "../../kit/clock.ts";
import { DeviceConnections } from "./device-connections.ts";
import type { Device, DeviceStore } from "./device-store.ts";
import { isSignedBy, messageOf, signWith } from "./keys.ts";
import { scopesOf, type Principal } from "./principal.ts";
import { isSameSecret, newSecret, type OneTimeCodes } from "./secrets.ts";
import type { Challenge, CodeOptions, DeviceToken, NewDevice, Registered, SignIn, SignInOffer } from "./sign-in.ts";

/** A page renews its token before this, so that a stolen one is soon worthless. */
const TOKEN_LIFE_MS = 10 * 60_000;
const CHALLENGE_LIFE_MS = 30_000;
/** Of one device, so that one cannot push out those of another; a browser that opens again signs in with all its tabs. */
const CHALLENGES_PER_DEVICE_MAX = 64;
const TOKENS_PER_DEVICE_MAX = 64;
/** A machine that slept, or whose clock was set, notices within this time that a device has expired. */
const EXPIRY_CHECK_MS = 3_000;
const NONCE_BYTES = 32;
/** How often the time of last use is written. */
const USE_STEP_MS = 60_000;

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

export class DeviceSignIn implements SignIn {
  readonly offer: SignInOffer;
  readonly #devices: DeviceStore;
  readonly #codes: OneTimeCodes;
  readonly #clock: Clock;
  #challenges: readonly OpenChallenge[] = [];
  #tokens: readonly OpenToken[] = [];
  readonly #connections = new DeviceConnections();
  /** A sign-in that has read the device before it was revoked must not finish afterwards. */
  readonly #revoked = new Set<string>();

  constructor(devices: DeviceStore, codes: OneTimeCodes, clock: Clock, outward?: string) {
    this.offer = { isTeam: false, ...(outward === undefined ? {} : { url: outward }) };
    this.#devices = devices;
    this.#codes = codes;
    this.#clock = clock;
  }

  async register({ code, ...given }: NewDevice & { readonly code: string }): Promise<Registered | undefined> {
    const limits = this.#codes.redeem(code);
    if (limits === undefined) return undefined;
    const { scope, lifeMs } = limits;
    const { kty, crv, x, y } = await this.#devices.serverKey();
    const nowTs = this.#clock.now();
    const end = lifeMs === undefined ? {} : { expiresTs: nowTs + lifeMs };
    const device = await this.#devices.add({ ...given, ...(scope === "manage" ? {} : { scope }), ...end }, nowTs);
    return { device: device.id, serverKey: { kty, crv, x, y } };
  }

  async newCode(_principal: Principal, { typed, limits }: CodeOptions): Promise<string> {
    return typed ? this.#codes.issueTyped(limits) : this.#codes.issue(limits);
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
    const nowTs = this.#clock.now();
    const lifeMs = Math.min(TOKEN_LIFE_MS, (device.expiresTs ?? Infinity) - nowTs);
    const scopes = scopesOf(device.scope ?? "manage");
    const { expiresTs } = device;
    const opened = {
      device: id,
      scopes,
      token,
      endsMs: now + lifeMs,
      ...(expiresTs === undefined ? {} : { expiresTs }),
    };
    this.#tokens = withNewest(this.#tokens, opened, TOKENS_PER_DEVICE_MAX, now);
    if (Math.abs(nowTs - device.usedTs) >= USE_STEP_MS) await this.#devices.use(id, nowTs);
    return { token, lifeMs };
  }

  principalOf(given: string): Principal | undefined {
    const now = this.#clock.monotonic();
    return this.#tokens.find((one) => one.endsMs >= now && isSameSecret(given, one.token));
  }

  async list(): Promise<readonly Device[]> {
    return (await this.#devices.list()).filter((device) => !this.#hasEnded(device));
  }

  /** Ends its tokens and connections at once. False when there is no such device. */
  async revoke(_principal: Principal, id: string): Promise<boolean> {
    this.#revoked.add(id);
    const isKnown = await this.#devices.remove(id);
    this.#challenges = this.#challenges.filter((one) => one.device !== id);
    this.#tokens = this.#tokens.filter((one) => one.device !== id);
    this.#connections.end(id);
    return isKnown;
  }

  endWith(principal: Principal | undefined, carrier: EventEmitter, end: () => void): void {
    this.#connections.endWith(principal?.device, carrier, end);
    const { expiresTs } = principal ?? {};
    if (expiresTs === undefined) return;
    let cancel = (): void => {};
    const wait = (): void => {
      const leftMs = Math.min(expiresTs - this.#clock.now(), EXPIRY_CHECK_MS);
      cancel = this.#clock.after(leftMs, () => (this.#hasEnded({ expiresTs }) ? end() : wait()));
    };
    wait();
    carrier.once("close", () => cancel());
  }

  async #findAt(id: string, origin: string): Promise<Device | undefined> {
    const device = await this.#devices.find(id);
    return device?.origin === origin && !this.#hasEnded(device) ? device : undefined;
  }

  #hasEnded({ expiresTs = Infinity }: Pick<Device, "expiresTs">): boolean {
    return expiresTs <= this.#clock.now();
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
