/**
 * Port to the people of a team, with their devices, codes, runners and rights. Everything is in the database, so that it
 * holds on every node; times are those of the database, because clocks of nodes may disagree.
 */
import type { DeviceKey } from "../../server/index.ts";
import type { Offer } from "../frames.ts";
import type { Waking } from "../store/wake-ups.ts";
import type { DeviceScope, Grant, Role } from "./may.ts";

export interface Person {
  readonly id: string;
  readonly name: string;
  /** May invite and remove people. */
  readonly isAdmin: boolean;
}

export interface TeamRunner {
  readonly id: string;
  /** Undefined when whose machine it was has been removed. */
  readonly person: string | undefined;
  readonly name: string;
  /** Folders in which sessions can be started. */
  readonly offers: readonly Offer[];
}

/** A role of a person, or of everybody in the team. */
export interface Access {
  readonly id: string;
  readonly person: string | undefined;
  readonly role: Role;
  readonly on: Grant["on"];
}

export interface TeamDevice {
  readonly id: string;
  readonly person: string;
  readonly name: string;
  readonly origin: string;
  readonly key: DeviceKey;
  readonly scope: DeviceScope;
  readonly createdTs: number;
  readonly usedTs: number;
  readonly expiresTs?: number;
}

/** Of a person at a provider of sign-ins: the subject is unique for its issuer, and never given to somebody else. */
export interface Account {
  readonly issuer: string;
  readonly subject: string;
}

/** A sign-in at the provider that a browser has begun. */
export interface Visit {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly origin: string;
  readonly deviceName: string;
  /** Of the browser that began: only it can end the visit. */
  readonly key: DeviceKey;
  /** Whose account it is to become; absent for a sign-in. */
  readonly person?: string;
}

export interface NewVisit extends Visit {
  /** The address that the browser has; it can have only so many open visits. */
  readonly address: string;
}

export type NewTeamDevice = Pick<TeamDevice, "id" | "name" | "origin" | "key">;

/** What a code is for: another device of a person, or a person who joins. */
export type CodePurpose =
  | { readonly person: string; readonly scope: DeviceScope; readonly deviceLifeMs?: number }
  | {
      readonly personName: string;
      readonly isAdmin: boolean;
      readonly scope: DeviceScope;
      /** The invitation ends when this person is removed; absent for the first one of a team. */
      readonly inviter?: string | undefined;
    };

/** An invitation that nobody has used yet. */
export interface OpenInvitation {
  readonly personName: string;
  readonly isAdmin: boolean;
  /** Undefined for the first one of a team. */
  readonly inviter: string | undefined;
  readonly expiresTs: number;
}

/** Everything that rights depend on. */
export interface TeamRecords {
  readonly revision: number;
  readonly people: ReadonlyMap<string, Person>;
  readonly runners: ReadonlyMap<string, TeamRunner>;
  readonly access: readonly Access[];
}

/** Small, and asked for every two seconds. */
export interface TeamPulse {
  readonly revision: number;
  /** Of the database. */
  readonly nowTs: number;
  readonly connected: ReadonlySet<string>;
  readonly revoked: ReadonlySet<string>;
}

export interface PeopleStore {
  pulse(): Promise<TeamPulse>;
  records(): Promise<TeamRecords>;
  /** Tells every node that what `pulse` and `records` give has changed. A hint that may be lost. */
  announce(): void;
  /** Wakes at every announcement. */
  changes(signal: AbortSignal): Waking;
  /** A named secret of the team; the first value that was proposed is the one. */
  secret(name: string, proposed: string): Promise<string>;

  addCode(code: string, purpose: CodePurpose, lifeMs: number): Promise<void>;
  /**
   * Uses the code up and adds the device, with its person when the code is an invitation. Undefined for a code that is
   * unknown, used or expired. Refuses with `conflict` a name that is taken, with `too_large` too many devices.
   */
  redeemCode(code: string, device: NewTeamDevice): Promise<TeamDevice | undefined>;
  /** The next to expire first. */
  invitations(): Promise<readonly OpenInvitation[]>;
  /** False when too many are open, of this person or address or of all: open ones are not dropped for new ones. */
  addVisit(visit: NewVisit, lifeMs: number): Promise<boolean>;
  /** Once. */
  redeemVisit(state: string): Promise<Visit | undefined>;
  /** Undefined when the account is unknown, null when its person was removed. */
  personOf(account: Account): Promise<string | null | undefined>;
  /** Adds a device of the account's person. Undefined when there is no such person any more. */
  enter(account: Account, device: NewTeamDevice): Promise<TeamDevice | undefined>;
  /** Adds a person with this account and a device. Refuses with `conflict` a name that is taken. */
  joinWith(account: Account, personName: string, device: NewTeamDevice): Promise<TeamDevice>;
  /** Refuses with `conflict` the account of somebody else. */
  linkAccount(account: Account, person: string): Promise<void>;
  device(id: string): Promise<TeamDevice | undefined>;
  devicesOf(person: string): Promise<readonly TeamDevice[]>;
  noteUse(device: string): Promise<void>;
  /** False when the person has no such device. */
  revokeDevice(person: string, device: string): Promise<boolean>;

  addChallenge(challenge: { nonce: string; device: string; message: string }, lifeMs: number): Promise<void>;
  /** The message to be signed, once. */
  redeemChallenge(nonce: string, device: string): Promise<string | undefined>;

  /**
   * Whoever has this name, with their devices and rights, and open invitations in this name, which would let them in
   * again. Their runners belong to nobody then, with the sessions that they have shipped. False when there is neither.
   */
  removePerson(name: string): Promise<boolean>;
  /**
   * Of this person, by name; created when there is none. By the secret of its machine, runners that belong to nobody any
   * more become this person's first.
   */
  runner(person: string, name: string, machine?: string): Promise<TeamRunner>;
  /**
   * Notes that this instance of a runner is connected. False while another one is: two machines have one identity, or an
   * earlier process of this one has not been given up yet.
   */
  noteRunner(id: string, instance: string): Promise<boolean>;
  releaseRunner(id: string, instance: string): Promise<void>;
  noteOffers(id: string, offers: readonly Offer[]): Promise<void>;
  /** The role of this person, or of everybody, on exactly this: replaced, or removed when undefined. */
  setAccess(access: Pick<Access, "person" | "on"> & { readonly role: Role | undefined }): Promise<void>;
  openAnswers(sessionId: string, areOpen: boolean): Promise<void>;
}
