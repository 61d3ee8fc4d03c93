/** Port to the sign-in of devices: of one person on this machine, or of the people of a team. */
import type { EventEmitter } from "node:events";
import type { DeviceKey } from "./keys.ts";
import type { DeviceLimits, Principal, Scope } from "./principal.ts";

export interface NewDevice {
  readonly name: string;
  readonly key: DeviceKey;
  /** Where it signs in; it is unknown at every other one. */
  readonly origin: string;
}

export interface Registered {
  readonly device: string;
  readonly serverKey: DeviceKey;
}

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

export interface ListedDevice {
  readonly id: string;
  readonly name: string;
  readonly origin: string;
  readonly createdTs: number;
  readonly usedTs: number;
  /** "manage" when absent. */
  readonly scope?: Scope | undefined;
  readonly expiresTs?: number | undefined;
}

/** How one gets in without a device yet: with a code from this machine, or from a team; at a provider where it has one. */
export interface SignInOffer {
  readonly isTeam: boolean;
  /** Its name. */
  readonly provider?: string;
  /** Where other machines reach this server; absent where none does. */
  readonly url?: string;
}

export interface CodeOptions {
  readonly typed: boolean;
  readonly limits: DeviceLimits;
}

export interface SignIn {
  readonly offer: SignInOffer;
  /** Uses a one-time code up. Undefined for one that is not valid. */
  register(given: NewDevice & { readonly code: string }): Promise<Registered | undefined>;
  /** Undefined for a device that is unknown at this origin. */
  challenge(device: string, origin: string, deviceNonce: string): Promise<Challenge | undefined>;
  /** Undefined unless the signature answers an open challenge of this device, which is then used up. */
  redeem(device: string, origin: string, nonce: string, signature: string): Promise<DeviceToken | undefined>;
  principalOf(token: string): Principal | undefined;
  /** For another device of the same person. */
  newCode(principal: Principal, options: CodeOptions): Promise<string>;
  list(principal: Principal): Promise<readonly ListedDevice[]>;
  /** Ends its tokens and connections. False when there is no such device. */
  revoke(principal: Principal, device: string): Promise<boolean>;
  /** Ends a request or connection when the device that made it is revoked. */
  endWith(principal: Principal | undefined, carrier: EventEmitter, end: () => void): void;
}
