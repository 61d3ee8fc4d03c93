/** Accounts at a provider of sign-ins, and sign-ins there that have begun, in PostgreSQL. */
import type { Account, NewTeamDevice, PeopleStore, TeamDevice, Visit } from "../../people/people-store.ts";
import { TeamStoreError } from "../team-store.ts";
import type { Database, Queries, Row } from "./database.ts";

/** Anybody can begin one. A new one is refused rather than an open one dropped, which would be somebody's sign-in. */
const VISITS_MAX = 10_000;
/** Open visits of one address or person; an office shares an address. */
const VISITS_OF_ONE_MAX = 100;

type AccountPart = "addVisit" | "redeemVisit" | "personOf" | "enter" | "joinWith" | "linkAccount";

interface People {
  readonly addPerson: (queries: Queries, person: { name: string; isAdmin: boolean }) => Promise<string>;
  readonly addDevice: (
    queries: Queries,
    device: NewTeamDevice & Pick<TeamDevice, "person" | "scope">,
  ) => Promise<TeamDevice>;
}

export function createAccounts(database: Database, { addPerson, addDevice }: People): Pick<PeopleStore, AccountPart> {
  const { query } = database;
  return {
    ...createVisits(database),
    personOf: async (account) => await personOf(database, account),
    enter: (account, device) =>
      database.transaction(async (queries) => {
        const person = await personOf(queries, account);
        return person ? await addDevice(queries, { ...device, person, scope: "manage" }) : undefined;
      }),
    joinWith: ({ issuer, subject }, name, device) =>
      database.transaction(async (queries) => {
        const person = await addPerson(queries, { name, isAdmin: false });
        await queries.query({
          text: "insert into roundtable.account (issuer, subject, person) values ($1, $2, $3)",
          values: [issuer, subject, person],
        });
        return await addDevice(queries, { ...device, person, scope: "manage" });
      }),
    async linkAccount({ issuer, subject }, person) {
      const rows = await query({
        text: `insert into roundtable.account as known (issuer, subject, person) values ($1, $2, $3)
          on conflict (issuer, subject) do update set person = excluded.person
          where known.person is null or known.person = excluded.person returning person`,
        values: [issuer, subject, person],
      });
      if (rows.length === 0) throw new TeamStoreError("conflict", "This account belongs to somebody else in the team.");
    },
  };
}

async function personOf({ query }: Queries, { issuer, subject }: Account): Promise<string | null | undefined> {
  const [row] = await query({
    text: "select person from roundtable.account where issuer = $1 and subject = $2",
    values: [issuer, subject],
  });
  return row?.["person"] as string | null | undefined;
}

function createVisits({ query }: Database): Pick<PeopleStore, "addVisit" | "redeemVisit"> {
  return {
    async addVisit({ state, nonce, verifier, origin, deviceName, key, person, address }, lifeMs) {
      await query("delete from roundtable.visit where expires < now()");
      const begunBy = person ?? address;
      const added = await query({
        text: `insert into roundtable.visit (state, nonce, verifier, origin, device_name, key, person, begun_by, expires)
          select $1, $2, $3, $4, $5, $6, $7, $8, now() + $9 * interval '1 ms'
          where (select count(*) from roundtable.visit where begun_by = $8) < ${VISITS_OF_ONE_MAX}
            and (select count(*) from roundtable.visit) < ${VISITS_MAX}
          returning state`,
        values: [state, nonce, verifier, origin, deviceName, JSON.stringify(key), person ?? null, begunBy, lifeMs],
      });
      return added.length > 0;
    },
    async redeemVisit(state) {
      const [row] = await query({
        text: "delete from roundtable.visit where state = $1 returning *, expires > now() as is_open",
        values: [state],
      });
      return row?.["is_open"] === true ? visitOf(row) : undefined;
    },
  };
}

function visitOf(row: Row): Visit {
  return {
    state: String(row["state"]),
    nonce: String(row["nonce"]),
    verifier: String(row["verifier"]),
    origin: String(row["origin"]),
    deviceName: String(row["device_name"]),
    key: JSON.parse(String(row["key"])) as Visit["key"],
    ...(typeof row["person"] === "string" ? { person: row["person"] } : {}),
  };
}
