/** People, devices and codes in PostgreSQL. */
import { createHash } from "node:crypto";
import { newIdAt } from "../../../kit/ids.ts";
import { nameKey } from "../../../protocol/index.ts";
import type { DeviceScope } from "../../people/may.ts";
import type { CodePurpose, NewTeamDevice, PeopleStore, TeamDevice } from "../../people/people-store.ts";
import { TeamStoreError } from "../team-store.ts";
import type { WakeUps } from "../wake-ups.ts";
import { bump, createAccess, markRevoked } from "./access.ts";
import { createAccounts } from "./accounts.ts";
import type { Database, Queries, Row } from "./database.ts";

/** A longer list could not be reviewed by a person. */
const DEVICES_MAX = 100;
/** Open codes per person, so that nobody displaces those of others; the oldest are dropped. */
const CODES_MAX = 100;
/** Of everybody who invites. */
const INVITATIONS_MAX = 1_000;
/** Open challenges per device: anyone who knows its id can request them. */
const CHALLENGES_MAX = 64;

/** Wake-up topic for changes to anything that rights depend on. */
const TOPIC = "people";

export interface Announcements {
  readonly wakeUps: WakeUps;
  /** Also on other nodes. */
  readonly wake: (id: string) => void;
}

export function createPeopleStore(database: Database, { wakeUps, wake }: Announcements): PeopleStore {
  return {
    announce: () => wake(TOPIC),
    changes: (signal) => wakeUps.follow(TOPIC, signal),
    ...createAccess(database),
    ...createAccounts(database, { addPerson, addDevice }),
    ...createCodes(database),
    ...createDevices(database),
    ...createChallenges(database),
  };
}

/** Stored as a hash, so that a reader of the database cannot use the code. */
function hashOf(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}

function createCodes(database: Database): Pick<PeopleStore, "addCode" | "redeemCode" | "invitations"> {
  const { query } = database;
  return {
    async addCode(code, purpose, lifeMs) {
      const { person, personName, isAdmin, inviter, deviceLifeMs } = purposeOf(purpose);
      const key = personName === null ? null : nameKey(personName);
      await query("delete from roundtable.code where expires < now()");
      await query({
        text: `delete from roundtable.code where hash in (select hash from roundtable.code
          where person is not distinct from $1 order by expires desc offset $2)`,
        values: [person, (person === null ? INVITATIONS_MAX : CODES_MAX) - 1],
      });
      await query({
        text: `insert into roundtable.code
            (hash, person, person_name, person_name_key, is_admin, inviter, scope, expires, device_life_ms)
          values ($1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '1 ms', $9)`,
        values: [hashOf(code), person, personName, key, isAdmin, inviter, purpose.scope, lifeMs, deviceLifeMs],
      });
    },
    redeemCode: (code, device) =>
      database.transaction(async (queries) => {
        const [row] = await queries.query({
          text: "delete from roundtable.code where hash = $1 and expires > now() returning *",
          values: [hashOf(code)],
        });
        if (row === undefined) return undefined;
        const invited = { name: String(row["person_name"]), isAdmin: row["is_admin"] === true };
        const person = typeof row["person"] === "string" ? row["person"] : await addPerson(queries, invited);
        const life = row["device_life_ms"] === null ? {} : { lifeMs: Number(row["device_life_ms"]) };
        return await addDevice(queries, { ...device, person, scope: row["scope"] as DeviceScope, ...life });
      }),
    async invitations() {
      const rows = await query(
        "select * from roundtable.code where person is null and expires > now() order by expires",
      );
      return rows.map((row) => ({
        personName: String(row["person_name"]),
        isAdmin: row["is_admin"] === true,
        inviter: typeof row["inviter"] === "string" ? row["inviter"] : undefined,
        expiresTs: (row["expires"] as Date).getTime(),
      }));
    },
  };
}

function purposeOf(purpose: CodePurpose) {
  if ("person" in purpose) {
    const { person, deviceLifeMs = null } = purpose;
    return { person, personName: null, isAdmin: false, inviter: null, deviceLifeMs };
  }
  const { personName, isAdmin, inviter = null } = purpose;
  return { person: null, personName, isAdmin, inviter, deviceLifeMs: null };
}

async function addPerson(queries: Queries, { name, isAdmin }: { name: string; isAdmin: boolean }): Promise<string> {
  // Of two people with the same name the later one has it, whatever the clocks of the nodes say.
  const [now] = await queries.query("select extract(epoch from clock_timestamp()) * 1000 as ms");
  const id = newIdAt(Math.floor(Number(now?.["ms"])));
  const added = await queries.query({
    text: `insert into roundtable.person (id, name, name_key, is_admin) values ($1, $2, $3, $4)
      on conflict do nothing returning id`,
    values: [id, name, nameKey(name), isAdmin],
  });
  if (added.length === 0) {
    throw new TeamStoreError("conflict", `There is already a person called ${name}.`, {
      hint: "Ask for an invitation under another name, or for a link for another device.",
    });
  }
  await bump(queries);
  return id;
}

type NewDevice = NewTeamDevice & Pick<TeamDevice, "person" | "scope"> & { readonly lifeMs?: number };

async function addDevice(queries: Queries, device: NewDevice): Promise<TeamDevice> {
  const { id, person, name, origin, key, scope, lifeMs } = device;
  const expired = await queries.query({
    text: "delete from roundtable.device where person = $1 and expires < now() returning id",
    values: [person],
  });
  // A node that has not read since then must still learn that they have ended.
  if (expired.length > 0)
    await markRevoked(
      queries,
      expired.map(({ id: gone }) => String(gone)),
    );
  const [count] = await queries.query({
    text: "select count(*) as devices from roundtable.device where person = $1",
    values: [person],
  });
  if (Number(count?.["devices"]) >= DEVICES_MAX) {
    throw new TeamStoreError("too_large", `${DEVICES_MAX} devices are already signed in.`, {
      hint: "Revoke one that you no longer use.",
    });
  }
  const [row] = await queries.query({
    text: `insert into roundtable.device (id, person, name, origin, key, scope, expires)
      values ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 ms') returning *`,
    values: [id, person, name, origin, JSON.stringify(key), scope, lifeMs ?? null],
  });
  if (row === undefined) throw new TeamStoreError("internal", "The device was not stored.");
  return deviceOf(row);
}

function deviceOf(row: Row): TeamDevice {
  const time = (name: string) => (row[name] as Date).getTime();
  return {
    id: String(row["id"]),
    person: String(row["person"]),
    name: String(row["name"]),
    origin: String(row["origin"]),
    key: JSON.parse(String(row["key"])) as TeamDevice["key"],
    scope: row["scope"] as DeviceScope,
    createdTs: time("created"),
    usedTs: time("used"),
    ...(row["expires"] === null ? {} : { expiresTs: time("expires") }),
  };
}

type DevicePart = "device" | "devicesOf" | "noteUse" | "revokeDevice" | "secret";

function createDevices(database: Database): Pick<PeopleStore, DevicePart> {
  const { query } = database;
  return {
    async device(id) {
      const [row] = await query({
        text: "select * from roundtable.device where id = $1 and (expires is null or expires > now())",
        values: [id],
      });
      return row === undefined ? undefined : deviceOf(row);
    },
    async devicesOf(person) {
      const rows = await query({
        text: "select * from roundtable.device where person = $1 and (expires is null or expires > now()) order by used desc",
        values: [person],
      });
      return rows.map(deviceOf);
    },
    async noteUse(device) {
      await query({
        text: "update roundtable.device set used = now() where id = $1 and used < now() - interval '1 minute'",
        values: [device],
      });
    },
    revokeDevice: (person, device) =>
      database.transaction(async (queries) => {
        const rows = await queries.query({
          text: "delete from roundtable.device where id = $1 and person = $2 returning id",
          values: [device, person],
        });
        if (rows.length === 0) return false;
        await markRevoked(queries, [device]);
        return true;
      }),
    async secret(name, proposed) {
      await query({
        text: "insert into roundtable.secret (name, value) values ($1, $2) on conflict do nothing",
        values: [name, proposed],
      });
      const [row] = await query({ text: "select value from roundtable.secret where name = $1", values: [name] });
      return String(row?.["value"]);
    },
  };
}

function createChallenges({ query }: Queries): Pick<PeopleStore, "addChallenge" | "redeemChallenge"> {
  return {
    async addChallenge({ nonce, device, message }, lifeMs) {
      await query({
        text: `delete from roundtable.challenge where expires < now() or nonce in (select nonce from roundtable.challenge
          where device = $1 order by expires desc offset ${CHALLENGES_MAX - 1})`,
        values: [device],
      });
      await query({
        text: `insert into roundtable.challenge (nonce, device, message, expires)
          values ($1, $2, $3, now() + $4 * interval '1 ms')`,
        values: [nonce, device, message, lifeMs],
      });
    },
    async redeemChallenge(nonce, device) {
      const [row] = await query({
        text: `delete from roundtable.challenge where nonce = $1 and device = $2
          returning case when expires > now() then message end as message`,
        values: [nonce, device],
      });
      return typeof row?.["message"] === "string" ? row["message"] : undefined;
    },
  };
}
