/**
 * Sign-in at a provider of OpenID Connect: the authorization code flow with PKCE, state and nonce. What it says of an
 * account is believed only after all checks of `openid-client`, the signature of the ID token included.
 */
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  clockSkew,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type Configuration,
} from "openid-client";
import { RoundtableError } from "../../protocol/index.ts";
import { nameLike } from "./person-name.ts";
import type { Account, Visit } from "./people-store.ts";

/** Who may join without an invitation: verified addresses of a domain, or accounts with this value of a claim. */
export type Admission = { readonly domain: string } | { readonly claim: string; readonly value: string };

export interface ProviderSettings {
  /** As in its documents, such as `https://accounts.google.com`. */
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client. */
  readonly clientSecret?: string;
  /** On the button. */
  readonly name: string;
  /** Nobody joins without an invitation when there is none. */
  readonly admissions: readonly Admission[];
}

type Claims = Readonly<Record<string, unknown>>;

export interface KnownAccount extends Account {
  /** What the person would be called in the team; undefined when the account has no usable name. */
  readonly name: string | undefined;
  readonly isAdmitted: boolean;
}

const SCOPE = "openid profile email";
/** Its document is read again after this time, for new endpoints and the difference between the clocks. */
const KNOWN_MS = 3_600_000;
const ANSWER_SECONDS = 10;

export class Provider {
  readonly name: string;
  readonly #settings: ProviderSettings;
  /** By the clock of the database, which all nodes share: that of this machine may be hours off. */
  readonly #nowTs: () => number;
  #known: { readonly configuration: Promise<Configuration>; readonly endsTs: number } | undefined;

  constructor(settings: ProviderSettings, nowTs: () => number) {
    this.name = settings.name;
    this.#settings = settings;
    this.#nowTs = nowTs;
  }

  /** Rejects with "store_unavailable" when the provider does not answer as one. */
  async check(): Promise<void> {
    await this.#configuration();
  }

  /** Where the browser goes. */
  async addressFor({ state, nonce, verifier, origin }: Visit): Promise<string> {
    const url = buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: returnAddress(origin),
      scope: SCOPE,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    return url.href;
  }

  /** `query` is what the provider has added to the return address. Rejects with "unsupported" whatever is not in order. */
  async account({ state, nonce, verifier, origin }: Visit, query: string): Promise<KnownAccount> {
    const configuration = await this.#configuration();
    const returned = new URL(`${returnAddress(origin)}?${query}`);
    try {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
      const tokens = await authorizationCodeGrant(configuration, returned, checks);
      const claims = tokens.claims();
      if (claims === undefined) throw new Error("there is no ID token");
      const { iss: issuer, sub: subject } = claims;
      const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
      const more = hasMore ? await fetchUserInfo(configuration, tokens.access_token, subject) : {};
      const all: Claims = { ...more, ...claims };
      return { issuer, subject, name: personNameOf(all), isAdmitted: this.#isAdmitted(all) };
    } catch (error) {
      throw new RoundtableError("unsupported", `${this.name} did not confirm the sign-in: ${reasonOf(error)}.`, {
        hint: "Try again. If it fails again, ask the server's administrator.",
        cause: error,
      });
    }
  }

  #isAdmitted(claims: Claims): boolean {
    return this.#settings.admissions.some((one) => {
      if ("domain" in one) return domainOf(claims) === one.domain.toLowerCase();
      const value = claims[one.claim];
      return Array.isArray(value) ? value.includes(one.value) : value === one.value;
    });
  }

  async #configuration(): Promise<Configuration> {
    const nowTs = this.#nowTs();
    const { issuer, clientId, clientSecret } = this.#settings;
    if (this.#known === undefined || this.#known.endsTs < nowTs) {
      const skew = { [clockSkew]: Math.round((nowTs - Date.now()) / 1_000) };
      const client = { ...skew, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
      const options = { execute: [enableNonRepudiationChecks], timeout: ANSWER_SECONDS };
      const configuration = discovery(new URL(issuer), clientId, client, undefined, options);
      this.#known = { configuration, endsTs: nowTs + KNOWN_MS };
    }
    try {
      return await this.#known.configuration;
    } catch (error) {
      this.#known = undefined;
      throw new RoundtableError("store_unavailable", `${this.name} cannot sign you in right now.`, {
        hint: `The server cannot read ${issuer}: ${reasonOf(error)}.`,
        cause: error,
      });
    }
  }
}

/** The path to which the provider sends browsers back. */
export const RETURN_PATH = "/sign-in";

function returnAddress(origin: string): string {
  return `${origin}${RETURN_PATH}`;
}

/** Only of an address that the provider has verified. */
function domainOf({ email, email_verified: isVerified }: Claims): string | undefined {
  return typeof email === "string" && isVerified === true ? email.split("@").at(-1)?.toLowerCase() : undefined;
}

/** From the first claim that gives one. */
function personNameOf({ preferred_username: short, email, name }: Claims): string | undefined {
  for (const claim of [short, email, name]) {
    const [local = ""] = typeof claim === "string" ? claim.split("@") : [];
    const like = nameLike(local);
    if (like !== undefined) return like;
  }
  return undefined;
}

/** What the provider says, or the network one level down. */
function reasonOf(error: unknown): string {
  const { error_description: description, cause, message } = error as Record<string, unknown>;
  if (typeof description === "string") return description;
  const deeper = cause instanceof Error ? cause.message : undefined;
  return [message, deeper].filter((one) => typeof one === "string" && one !== "").join(": ");
}
