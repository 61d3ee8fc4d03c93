/**
 * Devices that sign in at the provider. No cookie is set: a visit is a row that is used once, and only the browser that
 * began it can end it, because it signs what the provider sent it back with. After that it is a device like any other.
 */
import { randomBytes } from "node:crypto";
import { newId } from "../../kit/ids.ts";
import { RoundtableError } from "../../protocol/index.ts";
import { checkKey, isSignedBy, type NewDevice, type Registered } from "../../server/index.ts";
import { asAnswer } from "../store/team-store.ts";
import type { LivePeople } from "./live-people.ts";
import type { KnownAccount, Provider } from "./provider.ts";
import type { TeamDevice, Visit } from "./people-store.ts";
import type { TeamSignIn } from "./team-sign-in.ts";

const VISIT_LIFE_MS = 10 * 60_000;
const SECRET_BYTES = 32;

export interface ProviderSignInDeps {
  readonly provider: Provider;
  readonly people: LivePeople;
  readonly signIn: TeamSignIn;
}

export class ProviderSignIn {
  readonly #deps: ProviderSignInDeps;

  constructor(deps: ProviderSignInDeps) {
    this.#deps = deps;
  }

  get name(): string {
    return this.#deps.provider.name;
  }

  /**
   * The address at the provider to which the browser goes; undefined when too many sign-ins are open. With a person, the
   * account becomes theirs.
   */
  async begin({ name, key, origin, address }: NewDevice & { readonly address: string }, person?: string) {
    checkKey(key);
    const { provider, people } = this.#deps;
    const visit: Visit = {
      state: newValue(),
      nonce: newValue(),
      verifier: newValue(),
      origin,
      deviceName: name,
      key,
      ...(person === undefined ? {} : { person }),
    };
    const url = await provider.addressFor(visit);
    const isAdded = await asAnswer(people.store.addVisit({ ...visit, address }, VISIT_LIFE_MS));
    return isAdded ? url : undefined;
  }

  /** Undefined for a visit that is unknown, has ended, or was begun by another browser; "linked" when it was to link. */
  async end(query: string, signature: string, origin: string): Promise<Registered | "linked" | undefined> {
    const { provider, people, signIn } = this.#deps;
    const state = new URLSearchParams(query).get("state") ?? "";
    const visit = await asAnswer(people.store.redeemVisit(state));
    if (visit?.origin !== origin) return undefined;
    if (!isSignedBy(visit.key, visitMessage(origin, query), signature)) return undefined;
    const account = await provider.account(visit, query);
    if (visit.person !== undefined) {
      await asAnswer(people.store.linkAccount(account, visit.person));
      return "linked";
    }
    const device = await this.#enter(account, visit);
    await people.changed();
    return signIn.registered(device.id);
  }

  async #enter(account: KnownAccount, { deviceName: name, key, origin }: Visit): Promise<TeamDevice> {
    const { store } = this.#deps.people;
    const device = { id: newId(), name, key, origin };
    const known = await asAnswer(store.personOf(account));
    if (known !== undefined) {
      const entered = known === null ? undefined : await asAnswer(store.enter(account, device));
      if (entered !== undefined) return entered;
      throw new RoundtableError("unsupported", "You were removed from this team.", {
        hint: "Ask an administrator for an invitation.",
      });
    }
    if (!account.isAdmitted || account.name === undefined) {
      throw new RoundtableError("unsupported", `Your account at ${this.name} is not part of this team.`, {
        hint: "Ask an administrator for an invitation.",
      });
    }
    return await asAnswer(store.joinWith(account, account.name, device));
  }
}

function newValue(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** Signed by the browser that began; see src/web/sign-in. */
export function visitMessage(origin: string, query: string): Buffer {
  return Buffer.from(JSON.stringify(["roundtable provider 1", origin, query]));
}
