/** The tables, as migrations: forward only, each run once, all of them in one transaction under an advisory lock. */
import { nameKey } from "../../../protocol/index.ts";
import { TeamStoreError } from "../team-store.ts";
import type { Database, Queries } from "./database.ts";

/** Never change one that was released; add another. */
const MIGRATIONS: readonly string[] = [
  `
  create table roundtable.session (
    id text primary key,
    runner text not null,
    epoch bigint not null,
    head bigint not null,
    head_epoch bigint not null,
    -- How often stored events were replaced.
    replacements integer not null default 0
  ) with (fillfactor = 50);

  create table roundtable.event (
    session text not null,
    seq bigint not null,
    epoch bigint not null,
    crc bigint not null,
    body text not null,
    primary key (session, seq)
  ) partition by hash (session);

  do $$ begin
    for part in 0..31 loop
      execute format(
        'create table roundtable.event_%s partition of roundtable.event for values with (modulus 32, remainder %s)',
        part, part);
    end loop;
  end $$;

  -- Derived from events; can be deleted.
  create table roundtable.view (
    session text primary key,
    seq bigint not null,
    summary jsonb not null,
    saved text not null
  );
  create table roundtable.entry (
    session text not null,
    event_seq bigint not null,
    kind text not null,
    seq bigint not null,
    ts double precision not null,
    member text,
    tool text,
    turn_id text,
    message_id text,
    text text not null,
    lexemes tsvector not null,
    primary key (session, event_seq, kind)
  );
  create index on roundtable.entry using gin (lexemes);
  create index on roundtable.entry (ts desc);

  create table roundtable.blob (
    session text not null,
    sha256 text not null,
    size bigint not null,
    mime text,
    -- Null for a file.
    bytes bytea,
    primary key (session, sha256)
  );

  create table roundtable.command (
    key text primary key,
    position bigint generated always as identity,
    runner text not null,
    session text not null,
    sender text not null,
    command text not null,
    ack text,
    created timestamptz not null default now()
  );
  create index on roundtable.command (runner, position) where ack is null;
  `,
  `
  create table roundtable.person (
    id text primary key,
    name text not null,
    is_admin boolean not null default false,
    created timestamptz not null default now()
  );
  create unique index on roundtable.person (lower(name));

  create table roundtable.device (
    id text primary key,
    person text not null references roundtable.person on delete cascade,
    name text not null,
    origin text not null,
    key text not null,
    scope text not null,
    created timestamptz not null default now(),
    used timestamptz not null default now(),
    expires timestamptz
  );
  create index on roundtable.device (person);

  -- Tokens of a device end with it; kept until the last of them has expired.
  create table roundtable.revoked (device text primary key, at timestamptz not null default now());

  create table roundtable.code (
    hash text primary key,
    -- A device for this person, or a new person of this name.
    person text references roundtable.person on delete cascade,
    person_name text,
    is_admin boolean not null default false,
    scope text not null,
    expires timestamptz not null
  );

  create table roundtable.challenge (
    nonce text primary key,
    device text not null,
    message text not null,
    expires timestamptz not null
  );

  create table roundtable.runner (
    id text primary key,
    person text not null references roundtable.person on delete cascade,
    name text not null,
    instance text not null default '',
    seen timestamptz not null default '-infinity'
  );
  create unique index on roundtable.runner (person, lower(name));

  create table roundtable.access (
    id text primary key,
    -- Null for everybody in the team.
    person text references roundtable.person on delete cascade,
    role text not null,
    session text,
    runner text references roundtable.runner on delete cascade,
    folder text
  );

  create table roundtable.secret (name text primary key, value text not null);
  create table roundtable.revision (number bigint not null);
  insert into roundtable.revision values (1);

  alter table roundtable.session add column answers_open boolean not null default false;
  alter table roundtable.view add column changed timestamptz not null default now();
  create index on roundtable.view (changed);
  `,
  `
  -- Accounts at a provider, known by its issuer and their subject there, never by an e-mail address.
  create table roundtable.account (
    issuer text not null,
    subject text not null,
    -- Null once the person was removed: the account stays shut out.
    person text references roundtable.person on delete set null,
    primary key (issuer, subject)
  );
  create index on roundtable.account (person);

  -- Sign-ins at the provider that have begun, each used once.
  create table roundtable.visit (
    state text primary key,
    nonce text not null,
    verifier text not null,
    origin text not null,
    device_name text not null,
    -- Of the browser that began.
    key text not null,
    -- Whose account it is to become; null for a sign-in.
    person text references roundtable.person on delete cascade,
    expires timestamptz not null
  );

  -- Of the device that the code is for.
  alter table roundtable.code add column device_life_ms bigint;
  `,
  `
  -- Folders in which sessions can be started, as JSON.
  alter table roundtable.runner add column offers text not null default '[]';
  `,
  `
  -- Copies that were deleted, so that nodes need not read all lines again; kept for an hour.
  create table roundtable.gone (session text primary key, at timestamptz not null default now());
  create index on roundtable.gone (at);
  create index on roundtable.command (created);
  `,
  `
  -- Who invited: an invitation ends with them.
  alter table roundtable.code add column inviter text references roundtable.person on delete cascade;
  -- The address or the person that began a visit, so that nobody uses up those of others.
  alter table roundtable.visit add column begun_by text not null default '';
  create index on roundtable.visit (begun_by);
  `,
  `
  -- A hash of the secret by which a machine is known again. Without a person: whose machine it was has been removed.
  alter table roundtable.runner add column machine text;
  alter table roundtable.runner alter column person drop not null;
  alter table roundtable.runner drop constraint runner_person_fkey;
  alter table roundtable.runner add foreign key (person) references roundtable.person on delete set null;
  create index on roundtable.runner (machine) where person is null;
  `,
  `
  -- Who sent a message that was found; null for what was written at the machine.
  alter table roundtable.entry add column sender text;
  `,
  `
  -- Of a name, by which its person is found: folded by the program, whatever the locale of the database. Null for
  -- somebody from before, when another one has the same key: found by the exact name.
  alter table roundtable.person add column name_key text;
  create unique index on roundtable.person (name_key);
  create unique index on roundtable.person (name);
  drop index if exists roundtable.person_lower_idx;
  alter table roundtable.code add column person_name_key text;
  `,
];

/** The same for every program that migrates. */
const LOCK = 7_202_611;

/** Refuses with `too_new`, and with what the database refuses. */
export async function migrate(database: Database): Promise<void> {
  await database.transaction(async ({ query }) => {
    await query(`select pg_advisory_xact_lock(${LOCK})`);
    const [schema] = await query("select to_regnamespace('roundtable') is null as absent");
    if (schema?.["absent"] === true) await query("create schema roundtable");
    await query(
      "create table if not exists roundtable.migration (version integer primary key, at timestamptz default now())",
    );
    const [row] = await query("select coalesce(max(version), 0) as version from roundtable.migration");
    const version = Number(row?.["version"]);
    if (version > MIGRATIONS.length) {
      throw new TeamStoreError(
        "too_new",
        `The database has schema version ${version}; this program supports versions up to ${MIGRATIONS.length}.`,
        {
          hint: "Install the newest Roundtable on this server.",
        },
      );
    }
    for (const [index, migration] of MIGRATIONS.entries()) {
      if (index < version) continue;
      await query(migration);
      await query({ text: "insert into roundtable.migration (version) values ($1)", values: [index + 1] });
    }
    await fillKeys({ query });
  });
}

/** Of those who came before there were keys. */
async function fillKeys({ query }: Queries): Promise<void> {
  const people = await query("select id, name from roundtable.person where name_key is null order by id");
  for (const { id, name } of people) {
    await query({
      text: `update roundtable.person set name_key = $2
        where id = $1 and not exists (select from roundtable.person where name_key = $2)`,
      values: [id, nameKey(String(name))],
    });
  }
  const invited = await query(
    "select distinct person_name from roundtable.code where person_name is not null and person_name_key is null",
  );
  for (const { person_name: name } of invited) {
    await query({
      text: "update roundtable.code set person_name_key = $2 where person_name = $1",
      values: [name, nameKey(String(name))],
    });
  }
}
