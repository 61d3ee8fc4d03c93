/** Who sends a request, and what it may do. */

/** use: sessions and everything in them. manage: sign-in codes and the list of devices. */
export type Scope = "use" | "manage";

export interface Principal {
  /** Id of a signed-in device; undefined for a program that has the server's token. */
  readonly device: string | undefined;
  /** Whose device it is, on the server of a team. */
  readonly person?: string;
  readonly scopes: readonly Scope[];
}

/** A program of this user: it can read the token in the data directory. */
export const TOKEN_HOLDER: Principal = { device: undefined, scopes: ["use", "manage"] };
