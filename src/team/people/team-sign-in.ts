/**
 * Sign-in of the devices of a team, on any of its nodes: codes and challenges are rows that are used once, and a token is
 * signed with a secret of the team, so that every node knows it. A device that is revoked is gone everywhere at the next
 * pulse of each node.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { EventEmitter } from "node:events";
import { newId } from "../../kit/ids.ts";
import { RoundtableError } from "../../protocol/index.ts";
import {
  checkKey,
  DeviceConnections,
  isSignedBy,
  messageOf,
  newSecret,
  newServerKey,
  newTypedCode,
  plainCode,
  signWith,
  scopesOf,
  type Challenge,
  type CodeOptions,
  type DeviceToken,
  type ListedDevice,
  type NewDevice,
  type Principal,
  type Registered,
  type ServerKey,
  type SignIn,
  type SignInOffer,
} from "../../server/index.ts";
import { asAnswer } from "../store/team-store.ts";
import type { LivePeople } from "./live-people.ts";
import type { DeviceScope, TeamPrincipal } from "./may.ts";
import type { CodePurpose } from "./people-store.ts";

const TOKEN_LIFE_MS = 10 * 60_000;
const CHALLENGE_LIFE_MS = 30_000;
const TYPED_LIFE_MS = 60_000;
const LINK_LIFE_MS = 10 * 60_000;
const INVITATION_LIFE_MS = 7 * 24 * 3_600_000;
const NONCE_BYTES = 32;

interface InvitationOptions {
  readonly isAdmin: boolean;
  readonly lifeMs?: number;
  /** The invitation ends with this person. */
  readonly inviter?: string | undefined;
}

/** What a token of a team stands for. */
export interface TeamDevicePrincipal extends Principal {
  readonly device: string;
  readonly person: string;
  readonly scope: DeviceScope;
}

export function isTeamPrincipal(principal: Principal): principal is TeamDevicePrincipal {
  return principal.device !== undefined && principal.person !== undefined && "scope" in principal;
}

export function asTeamPrincipal({ person, device, scope }: TeamDevicePrincipal): TeamPrincipal {
  return { person, device, scopes: [scope] };
}

export class TeamSignIn implements SignIn {
  readonly offer: SignInOffer;
  readonly #people: LivePeople;
  readonly #serverKey: ServerKey;
  readonly #tokenKey: Buffer;
  readonly #connections = new DeviceConnections();

  private constructor(people: LivePeople, offer: SignInOffer, serverKey: ServerKey, tokenKey: Buffer) {
    this.offer = offer;
    this.#people = people;
    this.#serverKey = serverKey;
    this.#tokenKey = tokenKey;
    people.onPulse(() => {
      for (const device of this.#connections.devices) if (this.#isGone(device)) this.#connections.end(device);
    });
  }

  static async open(people: LivePeople, about: Omit<SignInOffer, "isTeam">): Promise<TeamSignIn> {
    const { store } = people;
    const key = await store.secret("server key", JSON.stringify(newServerKey()));
    const tokens = await store.secret("tokens", newSecret());
    const offer = { isTeam: true, ...about };
    return new TeamSignIn(people, offer, JSON.parse(key) as ServerKey, Buffer.from(tokens, "base64url"));
  }

  async register({ code, name, key, origin }: NewDevice & { readonly code: string }): Promise<Registered | undefined> {
    checkKey(key);
    const given = { id: newId(), name, key, origin };
    const device = await asAnswer(this.#people.store.redeemCode(plainCode(code), given));
    if (device === undefined) return undefined;
    await this.#people.changed();
    return this.registered(device.id);
  }

  registered(device: string): Registered {
    const { kty, crv, x, y } = this.#serverKey;
    return { device, serverKey: { kty, crv, x, y } };
  }

  async challenge(id: string, origin: string, deviceNonce: string): Promise<Challenge | undefined> {
    const device = await asAnswer(this.#people.store.device(id));
    if (device?.origin !== origin) return undefined;
    const nonce = randomBytes(NONCE_BYTES).toString("base64url");
    const fields = [origin, id, deviceNonce, nonce];
    const message = messageOf("device", fields).toString();
    await asAnswer(this.#people.store.addChallenge({ nonce, device: id, message }, CHALLENGE_LIFE_MS));
    return { nonce, proof: signWith(this.#serverKey, messageOf("server", fields)) };
  }

  async redeem(id: string, origin: string, nonce: string, signature: string): Promise<DeviceToken | undefined> {
    const { store } = this.#people;
    const message = await asAnswer(store.redeemChallenge(nonce, id));
    const device = await asAnswer(store.device(id));
    if (message === undefined || device?.origin !== origin) return undefined;
    if (!isSignedBy(device.key, Buffer.from(message), signature)) return undefined;
    await asAnswer(store.noteUse(id));
    const { nowTs } = this.#people;
    const endsTs = Math.min(nowTs + TOKEN_LIFE_MS, device.expiresTs ?? Infinity);
    const fields = { device: id, person: device.person, scope: device.scope, endsTs };
    return { token: encodeToken(fields, this.#tokenKey), lifeMs: endsTs - nowTs };
  }

  principalOf(token: string): TeamDevicePrincipal | undefined {
    const fields = decodeToken(token, this.#tokenKey);
    if (fields === undefined || fields.endsTs < this.#people.nowTs || this.#isGone(fields.device)) return undefined;
    // Whoever has joined on another node may not be known here yet; the devices of a removed person are revoked.
    const { device, person, scope } = fields;
    return { device, person, scope, scopes: scopesOf(scope) };
  }

  async newCode(principal: Principal, { typed, limits: { scope, lifeMs } }: CodeOptions): Promise<string> {
    const { person } = this.#expect(principal);
    const code = typed ? newTypedCode() : newSecret();
    const purpose = { person, scope, ...(lifeMs === undefined ? {} : { deviceLifeMs: lifeMs }) };
    return await this.#issue(code, purpose, typed ? TYPED_LIFE_MS : LINK_LIFE_MS);
  }

  /** A code that signs in a device of somebody in the team. */
  async codeFor(person: string, lifeMs: number): Promise<string> {
    return await this.#issue(newSecret(), { person, scope: "manage" }, lifeMs);
  }

  /** A code by which a new person joins. */
  async invite(personName: string, { lifeMs = INVITATION_LIFE_MS, ...purpose }: InvitationOptions): Promise<string> {
    return await this.#issue(newSecret(), { personName, scope: "manage", ...purpose }, lifeMs);
  }

  async list(principal: Principal): Promise<readonly ListedDevice[]> {
    return await asAnswer(this.#people.store.devicesOf(this.#expect(principal).person));
  }

  async revoke(principal: Principal, device: string): Promise<boolean> {
    const isKnown = await asAnswer(this.#people.store.revokeDevice(this.#expect(principal).person, device));
    if (isKnown) await this.#people.changed();
    return isKnown;
  }

  endWith(principal: Principal | undefined, carrier: EventEmitter, end: () => void): void {
    this.#connections.endWith(principal?.device, carrier, end);
  }

  #expect(principal: Principal): TeamDevicePrincipal {
    if (isTeamPrincipal(principal)) return principal;
    throw new RoundtableError("unsupported", "Sign in first.");
  }

  #isGone(device: string): boolean {
    return this.#people.revoked.has(device);
  }

  async #issue(code: string, purpose: CodePurpose, lifeMs: number): Promise<string> {
    await asAnswer(this.#people.store.addCode(plainCode(code), purpose, lifeMs));
    return code;
  }
}

interface TokenFields {
  readonly device: string;
  readonly person: string;
  readonly scope: DeviceScope;
  readonly endsTs: number;
}

const SCOPES: readonly DeviceScope[] = ["read", "use", "manage"];
const ID_CHARS = 26;
const FIELDS_BYTES = 2 * ID_CHARS + 1 + 8;
const MAC_BYTES = 32;

function encodeToken({ device, person, scope, endsTs }: TokenFields, key: Buffer): string {
  const fields = Buffer.alloc(FIELDS_BYTES);
  fields.write(device, 0, "latin1");
  fields.write(person, ID_CHARS, "latin1");
  fields.writeUInt8(SCOPES.indexOf(scope), 2 * ID_CHARS);
  fields.writeDoubleBE(endsTs, 2 * ID_CHARS + 1);
  return Buffer.concat([fields, macOf(fields, key)]).toString("base64url");
}

function decodeToken(token: string, key: Buffer): TokenFields | undefined {
  const bytes = Buffer.from(token, "base64url");
  if (bytes.length !== FIELDS_BYTES + MAC_BYTES || bytes.toString("base64url") !== token) return undefined;
  const fields = bytes.subarray(0, FIELDS_BYTES);
  if (!timingSafeEqual(bytes.subarray(FIELDS_BYTES), macOf(fields, key))) return undefined;
  return {
    device: fields.toString("latin1", 0, ID_CHARS),
    person: fields.toString("latin1", ID_CHARS, 2 * ID_CHARS),
    scope: SCOPES[fields.readUInt8(2 * ID_CHARS)] ?? "read",
    endsTs: fields.readDoubleBE(2 * ID_CHARS + 1),
  };
}

function macOf(fields: Buffer, key: Buffer): Buffer {
  return createHmac("sha256", key).update("roundtable team token 1").update(fields).digest();
}
