/**
 * Connections to PostgreSQL. Every statement has a time limit, and every failure becomes a `TeamStoreError` with a
 * sentence for the person who can fix it.
 */
import { Client, Pool, type ClientBase, type ClientConfig } from "pg";
import { withoutCredentials } from "../../../kit/url-credentials.ts";
import { TeamStoreError, type TeamStoreCode } from "../team-store.ts";

const CONNECTIONS_MAX = 10;
const CONNECT_MS = 5_000;
const STATEMENT_MS = 30_000;
/** For a server that no longer answers at all; after the server's own limit. */
const SILENCE_MS = STATEMENT_MS + 5_000;
const VERSION_MIN = 15;

export interface Statement {
  /** Prepared under this name on each connection. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

export type Row = Readonly<Record<string, unknown>>;

export interface Queries {
  readonly query: (statement: Statement | string) => Promise<readonly Row[]>;
}

export interface Database extends Queries {
  /** Commits when `work` resolves; rolls back when it rejects. */
  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>;
  /** A connection of its own, for LISTEN and NOTIFY. `onEnd` is called once, when it is lost or closed. */
  listen(channel: string, onMessage: (payload: string) => void, onEnd: () => void): Promise<Listener>;
  close(): Promise<void>;
}

export type OnFailure = (failure: TeamStoreError) => void;

export interface Listener extends Queries {
  close(): Promise<void>;
}

/** Refuses with `unavailable`, `access_denied` or `too_old`. `onFailure` is told everything that goes wrong. */
export async function connectDatabase(url: string, onFailure: OnFailure = () => {}): Promise<Database> {
  const config: ClientConfig = {
    connectionString: url,
    application_name: "roundtable",
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: SILENCE_MS,
    keepAlive: true,
  };
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new TeamStoreError("access_denied", "The database URL is not a postgres:// URL.", {
      hint: "Write postgres://USER:PASSWORD@HOST:5432/DATABASE. In the password, write %40 for @, %2F for / and %23 for #.",
    });
  }
  const { hash, pathname } = new URL(url);
  // A part of the password would pass for the host, and would be shown.
  if (hash !== "" || pathname.includes("@")) {
    throw new TeamStoreError("access_denied", "The user or the password in the database URL is not encoded.", {
      hint: "Write %40 for @, %2F for / and %23 for #.",
    });
  }
  const where = locationOf(url);
  const pool = new Pool({ ...config, max: CONNECTIONS_MAX, allowExitOnIdle: true });
  // An idle connection that ends is replaced when one is needed; without a listener the process would end.
  pool.on("error", () => {});
  const database = createDatabase(pool, config, (error) => {
    const failure = explain(error, where);
    onFailure(failure);
    throw failure;
  });
  try {
    await checkVersion(database, where);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

function createDatabase(pool: Pool, config: ClientConfig, fail: (error: unknown) => never): Database {
  const queriesOn = (client: ClientBase): Queries => ({
    query: (statement) => run(client, statement).catch(fail),
  });
  return {
    query: (statement) => run(pool, statement).catch(fail),
    async transaction(work) {
      const client = await pool.connect().catch(fail);
      let broken: Error | undefined;
      const onError = (error: Error): void => void (broken = error);
      client.on("error", onError);
      const queries = queriesOn(client);
      try {
        await queries.query("begin");
        const result = await work(queries);
        await queries.query("commit");
        return result;
      } catch (error) {
        // A connection in an unknown state is not used again.
        await client.query("rollback").catch((failed: Error) => (broken = failed));
        throw error;
      } finally {
        client.off("error", onError);
        client.release(broken);
      }
    },
    async listen(channel, onMessage, onEnd) {
      const client = new Client(config);
      client.on("error", () => {});
      client.on("notification", ({ payload = "" }) => onMessage(payload));
      client.once("end", onEnd);
      await client
        .connect()
        // A message that a crash of the server loses is only a hint: it does not wait for the disk.
        .then(() => client.query(`set synchronous_commit = off; listen ${channel}`))
        .catch(async (error: unknown) => {
          client.off("end", onEnd);
          await client.end().catch(() => {});
          return fail(error);
        });
      return { ...queriesOn(client), close: () => client.end() };
    },
    close: () => pool.end(),
  };
}

async function run(client: Pool | ClientBase, statement: Statement | string): Promise<readonly Row[]> {
  if (typeof statement === "string") return (await client.query<Row>(statement)).rows;
  const { values = [], ...rest } = statement;
  return (await client.query<Row>({ ...rest, values: [...values] })).rows;
}

async function checkVersion(queries: Queries, where: string): Promise<void> {
  const [row] = await queries.query("select current_setting('server_version_num')::int as version");
  expectVersion(Number(row?.["version"]), where);
}

/** Of `server_version_num`. */
export function expectVersion(versionNumber: number, where: string): void {
  const version = Math.floor(versionNumber / 10_000);
  if (version >= VERSION_MIN) return;
  throw new TeamStoreError("too_old", `The database at ${where} runs PostgreSQL ${version}.`, {
    hint: `Roundtable needs PostgreSQL ${VERSION_MIN} or newer.`,
  });
}

interface Explanation {
  readonly code: TeamStoreCode;
  readonly what: string;
  readonly hint: string;
}

const AWAY: Explanation = {
  code: "unavailable",
  what: "cannot be reached",
  hint: "Check that PostgreSQL is running and that the database URL is correct.",
};
const READ_ONLY: Explanation = {
  code: "read_only",
  what: "is read-only",
  hint: "Use the URL of the primary server, end the recovery, or turn default_transaction_read_only off.",
};
const FULL: Explanation = {
  code: "full",
  what: "has no space left",
  hint: "Free up disk space for PostgreSQL. Nothing is lost: runners send again what was rejected.",
};

/** The client says so, before PostgreSQL would. */
const NO_PASSWORD = /client password must be a/;

/** By SQLSTATE, or its class of two characters. */
const BY_STATE: Readonly<Record<string, Explanation | undefined>> = {
  "08": AWAY,
  "57P01": AWAY,
  "57P02": AWAY,
  "57P03": AWAY,
  "57014": { ...AWAY, what: `did not answer within ${STATEMENT_MS / 1_000} s` },
  "55P03": { ...AWAY, what: "is locked by another process" },
  "40": { ...AWAY, what: "rolled back the transaction because it conflicted with another" },
  "53300": {
    ...AWAY,
    what: "has no connections left",
    hint: "Raise max_connections of PostgreSQL, or the CONNECTION LIMIT of the user or the database.",
  },
  "25006": READ_ONLY,
  "53100": FULL,
  "53200": { ...FULL, what: "has no memory left", hint: "Give PostgreSQL more memory." },
  "58030": { ...FULL, what: "reports a failing disk", hint: "Check the disk and the log of PostgreSQL." },
  "28": {
    code: "access_denied",
    what: "rejects the sign-in",
    hint: "Check the user and password in the database URL, and pg_hba.conf.",
  },
  "3D000": { code: "access_denied", what: "does not exist", hint: "Create it with createdb." },
  "42501": {
    code: "access_denied",
    what: "denies permission",
    hint: "The user of the database URL must own the schema roundtable, or be allowed to create it.",
  },
};

const SYSTEM_AWAY =
  /^(?:ECONN|ENOTFOUND|ETIMEDOUT|EHOST|ENET|EPIPE|EAI_)|timeout|timed out|terminated|Connection|not queryable/i;

function explain(error: unknown, where: string): TeamStoreError {
  if (error instanceof TeamStoreError) return error;
  const { code = "", message } = error as { code?: string; message: string };
  if (NO_PASSWORD.test(message)) {
    return new TeamStoreError("access_denied", `The database at ${where} asks for a password.`, {
      hint: "Write it into the database URL, as in postgres://USER:PASSWORD@HOST:5432/DATABASE.",
      cause: error,
    });
  }
  const isAway = SYSTEM_AWAY.test(code) || SYSTEM_AWAY.test(message);
  const explanation = BY_STATE[code] ?? BY_STATE[code.slice(0, 2)] ?? (isAway ? AWAY : undefined);
  if (explanation === undefined) {
    return new TeamStoreError("internal", `The database at ${where} reports: ${message}`, { cause: error });
  }
  return new TeamStoreError(explanation.code, `The database at ${where} ${explanation.what} (${code || message}).`, {
    hint: explanation.hint,
    cause: error,
  });
}

/** Host and database, never the user or the password. */
function locationOf(url: string): string {
  const { host, pathname } = new URL(withoutCredentials(url));
  return `${host}${pathname}`;
}
