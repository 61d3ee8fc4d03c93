/** Runners, rights and what nodes ask for again and again, in PostgreSQL. */
import { createHash } from "node:crypto";
import { newId } from "../../../kit/ids.ts";
import { nameKey } from "../../../protocol/index.ts";
import type { Role } from "../../people/may.ts";
import type { Access, PeopleStore, Person, TeamRunner } from "../../people/people-store.ts";
import { TeamStoreError } from "../team-store.ts";
import type { Database, Queries, Row } from "./database.ts";

/** A runner that was not seen for this long is not connected; its node writes three times as often. */
const GONE = "15 seconds";
const RUNNERS_MAX = 100;
/** On folders of one runner, which may be any text; every node holds all of them. */
const ROLES_MAX = 1_000;

type AccessPart = "pulse" | "records" | "removePerson" | RunnerPart | GrantPart;
type GrantPart = "setAccess" | "openAnswers";
type RunnerPart = "runner" | "noteRunner" | "releaseRunner" | "noteOffers";

export function createAccess(database: Database): Pick<PeopleStore, AccessPart> {
  const { query } = database;
  return {
    ...createRunners(database),
    ...createGrants(database),
    async pulse() {
      const [row] = await query({
        name: "pulse",
        text: `select (select number from roundtable.revision) as revision,
            extract(epoch from clock_timestamp()) * 1000 as now,
            array(select id from roundtable.runner where seen > now() - interval '${GONE}') as connected,
            array(select device from roundtable.revoked union select id from roundtable.device where expires < now())
              as revoked`,
      });
      return {
        revision: Number(row?.["revision"]),
        nowTs: Number(row?.["now"]),
        connected: new Set(row?.["connected"] as string[]),
        revoked: new Set(row?.["revoked"] as string[]),
      };
    },
    records: () =>
      database.transaction(async (queries) => {
        await queries.query("set transaction isolation level repeatable read");
        const [revision] = await queries.query("select number from roundtable.revision");
        const people = (await queries.query("select * from roundtable.person")).map(personOf);
        const runners = (await queries.query("select * from roundtable.runner")).map(runnerOf);
        const access = (await queries.query("select * from roundtable.access")).map(accessOf);
        return {
          revision: Number(revision?.["number"]),
          people: new Map(people.map((one) => [one.id, one])),
          runners: new Map(runners.map((one) => [one.id, one])),
          access,
        };
      }),
    removePerson: (name) => database.transaction((queries) => removePerson(queries, name)),
  };
}

/**
 * Codes first, in the order in which whoever uses one locks: a person who has just come by one is there below. The lock
 * on the person keeps new devices away, so every device is revoked.
 */
async function removePerson({ query }: Queries, name: string): Promise<boolean> {
  const named = `select id from roundtable.person where name_key = $1 or name = $2 order by name = $2 desc limit 1`;
  const values = [nameKey(name), name];
  const codes = await query({
    text: `delete from roundtable.code
      where (person is null and person_name_key = $1) or person in (${named})
      returning person is null and expires > now() as is_invitation`,
    values,
  });
  const [row] = await query({ text: `${named} for update`, values });
  if (row === undefined) return codes.some((code) => code["is_invitation"] === true);
  const person = [row["id"]];
  const devices = await query({ text: "delete from roundtable.device where person = $1 returning id", values: person });
  await query({
    text: "delete from roundtable.access where runner in (select id from roundtable.runner where person = $1)",
    values: person,
  });
  await query({ text: "delete from roundtable.person where id = $1", values: person });
  await markRevoked(
    { query },
    devices.map(({ id }) => String(id)),
  );
  return true;
}

async function addAccess({ query }: Queries, { person, role, on }: Omit<Access, "id">): Promise<void> {
  const { session, runner, folder } = scopeOf(on);
  const added = await query({
    text: `insert into roundtable.access (id, person, role, session, runner, folder)
      select $1, $2, $3, $4, $5, $6
      where (select count(*) from roundtable.access where runner = $5) < ${ROLES_MAX} returning id`,
    values: [newId(), person ?? null, role, session, runner, folder],
  });
  if (added.length > 0) return;
  throw new TeamStoreError("too_large", `There are already ${ROLES_MAX} roles on folders of this machine.`, {
    hint: "Give a role to everybody, or on a folder that contains the others.",
  });
}

function createGrants(database: Database): Pick<PeopleStore, GrantPart> {
  return {
    setAccess: ({ person, role, on }) =>
      database.transaction(async (queries) => {
        const { session, runner, folder } = scopeOf(on);
        // Locked first: this and a removal of the person wait for each other instead of deadlocking.
        const lock = "select from roundtable.person where id = $1 for key share";
        if (person !== undefined && (await queries.query({ text: lock, values: [person] })).length === 0)
          throw new TeamStoreError("conflict", "This person was removed from the team.");
        await queries.query({
          text: "select pg_advisory_xact_lock(hashtextextended($1, 30))",
          values: [JSON.stringify([person, session, runner, folder])],
        });
        await queries.query({
          text: `delete from roundtable.access where person is not distinct from $1 and session is not distinct from $2
            and runner is not distinct from $3 and folder is not distinct from $4`,
          values: [person ?? null, session, runner, folder],
        });
        if (role !== undefined) await addAccess(queries, { person, role, on });
        await bump(queries);
      }),
    openAnswers: (sessionId, areOpen) =>
      database.transaction(async ({ query }) => {
        const values = [sessionId, areOpen];
        await query({ text: "update roundtable.session set answers_open = $2 where id = $1", values });
        // Makes nodes read the session's line in the list again.
        const text = "update roundtable.view set changed = clock_timestamp() where session = $1";
        await query({ text, values: [sessionId] });
      }),
  };
}

function createRunners(database: Database): Pick<PeopleStore, RunnerPart> {
  const { query } = database;
  return {
    runner: (person, name, secret) =>
      database.transaction(async (queries) => {
        const machine = secret === undefined ? null : createHash("sha256").update(secret).digest("hex");
        if (machine !== null) await reclaim(queries, person, machine);
        const find = { text: "select * from roundtable.runner where person = $1 and lower(name) = lower($2)" };
        const values = [person, name];
        const [known] = await queries.query({ ...find, values });
        if (known !== undefined) {
          await queries.query({
            text: "update roundtable.runner set machine = coalesce($2, machine) where id = $1",
            values: [known["id"], machine],
          });
          return runnerOf(known);
        }
        const [count] = await queries.query({
          text: "select count(*) as runners from roundtable.runner where person = $1",
          values: [person],
        });
        if (Number(count?.["runners"]) >= RUNNERS_MAX)
          throw new TeamStoreError("too_large", `You already have ${RUNNERS_MAX} machines here.`);
        await queries.query({
          text: `insert into roundtable.runner (id, person, name, machine) values ($1, $2, $3, $4)
            on conflict do nothing`,
          values: [newId(), ...values, machine],
        });
        await bump(queries);
        const [row] = await queries.query({ ...find, values });
        if (row === undefined) throw new TeamStoreError("internal", "The runner was not stored.");
        return runnerOf(row);
      }),
    async noteRunner(id, instance) {
      const rows = await query({
        text: `update roundtable.runner set instance = $2, seen = now()
          where id = $1 and (instance = $2 or seen < now() - interval '${GONE}') returning id`,
        values: [id, instance],
      });
      return rows.length > 0;
    },
    async noteOffers(id, offers) {
      await database.transaction(async (queries) => {
        const changed = await queries.query({
          text: "update roundtable.runner set offers = $2 where id = $1 and offers <> $2 returning id",
          values: [id, JSON.stringify(offers)],
        });
        if (changed.length > 0) await bump(queries);
      });
    },
    async releaseRunner(id, instance) {
      await query({
        text: "update roundtable.runner set seen = '-infinity' where id = $1 and instance = $2",
        values: [id, instance],
      });
    },
  };
}

/** Sessions that this machine shared before its owner was removed pass to the next person who joins with it. */
async function reclaim(queries: Queries, person: string, machine: string): Promise<void> {
  const rows = await queries.query({
    text: `update roundtable.runner set person = $1
      where id in (select distinct on (lower(name)) id from roundtable.runner
        where person is null and machine = $2 order by lower(name), id desc)
      and lower(name) not in (select lower(name) from roundtable.runner where person = $1) returning id`,
    values: [person, machine],
  });
  if (rows.length > 0) await bump(queries);
}

function personOf(row: Row): Person {
  return { id: String(row["id"]), name: String(row["name"]), isAdmin: row["is_admin"] === true };
}

function runnerOf(row: Row): TeamRunner {
  const offers = JSON.parse(String(row["offers"])) as TeamRunner["offers"];
  const person = typeof row["person"] === "string" ? row["person"] : undefined;
  return { id: String(row["id"]), person, name: String(row["name"]), offers };
}

function accessOf(row: Row): Access {
  const person = typeof row["person"] === "string" ? row["person"] : undefined;
  const on =
    typeof row["session"] === "string"
      ? { sessionId: row["session"] }
      : { runnerId: String(row["runner"]), folder: String(row["folder"]) };
  return { id: String(row["id"]), person, role: row["role"] as Role, on };
}

function scopeOf(on: Access["on"]) {
  if ("sessionId" in on) return { session: on.sessionId, runner: null, folder: null };
  return { session: null, runner: on.runnerId, folder: on.folder };
}

/** After every change of what rights depend on. */
export async function bump({ query }: Queries): Promise<void> {
  await query("update roundtable.revision set number = number + 1");
}

/** Longer than a token lasts. */
const REVOKED_AGE_MAX = "1 hour";

export async function markRevoked(queries: Queries, devices: readonly string[]): Promise<void> {
  await queries.query(`delete from roundtable.revoked where at < now() - interval '${REVOKED_AGE_MAX}'`);
  await queries.query({
    text: "insert into roundtable.revoked (device) select unnest($1::text[]) on conflict do nothing",
    values: [devices],
  });
  await bump(queries);
}
