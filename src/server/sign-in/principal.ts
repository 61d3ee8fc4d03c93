/** Who sends a request, and what it may do. */

/** read: sessions. use: also everything in them. manage: also sign-in codes and the list of devices. */
export type Scope = "read" | "use" | "manage";

const SCOPES: readonly Scope[] = ["read", "use", "manage"];

/** What a device is allowed, and for how long; chosen with the code that it signs in with. */
export interface DeviceLimits {
  /** The highest one; each includes those before it. */
  readonly scope: Scope;
  /** Without an end when absent. */
  readonly lifeMs?: number;
}

export const NO_LIMITS: DeviceLimits = { scope: "manage" };

export function areUnlimited({ scope, lifeMs }: DeviceLimits): boolean {
  return scope === "manage" && lifeMs === undefined;
}

export interface Principal {
  /** Id of a signed-in device; undefined for a program that has the server's token. */
  readonly device: string | undefined;
  /** Whose device it is, on the server of a team. */
  readonly person?: string;
  readonly scopes: readonly Scope[];
  /** When the device ends, by the clock of this machine. */
  readonly expiresTs?: number;
}

/** A program of this user: it can read the token in the data directory. */
export const TOKEN_HOLDER: Principal = { device: undefined, scopes: SCOPES };

export function scopesOf(scope: Scope): readonly Scope[] {
  return SCOPES.slice(0, SCOPES.indexOf(scope) + 1);
}
