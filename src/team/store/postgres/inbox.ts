/** Commands on their way to runners that may be connected to another node. */
import { Ack } from "../../../protocol/index.ts";
import { RunnerCommand } from "../../frames.ts";
import { inboxKey, isPassing, TeamStoreError, type CommandInbox, type PostedCommand } from "../team-store.ts";
import type { WakeUps } from "../wake-ups.ts";
import type { Database, Queries, Row } from "./database.ts";

/** Commands without an acknowledgement per runner; more are refused. */
const PENDING_MAX = 1_000;

/** What people wrote is in the log; nobody repeats a command that is older. */
const COMMAND_LIFE = "1 day";

export interface InboxOptions {
  readonly wakeUps: WakeUps;
  readonly wake: (id: string) => void;
  readonly over: AbortSignal;
}

export function createInbox({ query }: Database, options: InboxOptions): CommandInbox {
  const { wake } = options;
  const repeat = createRepeat(options);
  return {
    async post(posted) {
      const { runnerId, sessionId, sender, command } = posted;
      const [row] = await query({
        text: `with pending as (select count(*) as count from roundtable.command where runner = $2 and ack is null),
          posted as (
            insert into roundtable.command (key, runner, session, sender, command)
            select $1, $2, $3, $4, $5 from pending where count < ${PENDING_MAX} on conflict do nothing
          )
          select count from pending`,
        values: [inboxKey(posted), runnerId, sessionId, sender, JSON.stringify(command)],
      });
      if (Number(row?.["count"]) >= PENDING_MAX) {
        throw new TeamStoreError("too_large", `${PENDING_MAX} commands are already waiting for this machine.`, {
          hint: "It handles them when it reconnects.",
        });
      }
      wake(runnerId);
    },
    async *receive(runnerId, signal) {
      const read = createUnread(query, runnerId);
      for (;;) {
        const rows = await repeat(runnerId, signal, read);
        if (rows === undefined) return;
        for (const row of rows) yield postedOf(row);
      }
    },
    async acknowledge(posted, ack) {
      const [row] = await query({
        text: `update roundtable.command set ack = coalesce(ack, $3) where key = $1 and runner = $2 returning ack`,
        values: [inboxKey(posted), posted.runnerId, JSON.stringify(ack)],
      });
      if (row === undefined)
        throw new TeamStoreError("conflict", `There is no command ${ack.commandId} for this runner.`);
      wake(inboxKey(posted));
      return Ack.parse(JSON.parse(String(row["ack"])));
    },
    ...createWaiting({ query }, wake),
    answer: (posted, signal) =>
      repeat(inboxKey(posted), signal, async () => {
        const [row] = await query({
          text: "select ack from roundtable.command where key = $1",
          values: [inboxKey(posted)],
        });
        return typeof row?.["ack"] === "string" ? Ack.parse(JSON.parse(row["ack"])) : undefined;
      }),
  };
}

/**
 * What waits for a runner, as a whole. PostgreSQL reads nothing of a command: a NUL or half of a surrogate pair anywhere in
 * it, such as in the text of a message, is JSON and an error there.
 */
function createWaiting({ query }: Queries, wake: InboxOptions["wake"]): Pick<CommandInbox, "continuing" | "expire"> {
  return {
    async continuing(runnerId, sessionId) {
      const rows = await query({
        text: "select * from roundtable.command where runner = $1 and ack is null and session = ''",
        values: [runnerId],
      });
      const isMeant = ({ command }: PostedCommand) => command.type === "start" && command.from?.sessionId === sessionId;
      return [...new Set(rows.map(postedOf).flatMap((posted) => (isMeant(posted) ? [posted.sender] : [])))];
    },
    async expire(runnerId, ageMs, error) {
      await query(`delete from roundtable.command where created < now() - interval '${COMMAND_LIFE}'`);
      const rows = await query({
        text: `update roundtable.command
          set ack = json_build_object('commandId', substr(key, length(sender) + 2), 'ok', false, 'error', $3::json)::text
          where runner = $1 and ack is null and created < now() - $2 * interval '1 ms' returning key`,
        values: [runnerId, ageMs, JSON.stringify(error)],
      });
      for (const row of rows) wake(String(row["key"]));
    },
  };
}

function postedOf(row: Row): PostedCommand {
  return {
    runnerId: String(row["runner"]),
    sessionId: String(row["session"]),
    sender: String(row["sender"]),
    command: RunnerCommand.parse(JSON.parse(String(row["command"]))),
  };
}

/** A database that is away is asked again after this time. */
const AWAY_MS = 500;

/** Attempts again at every wake-up of a topic, until there is a result or the signal is aborted. */
function createRepeat({ wakeUps, over }: InboxOptions) {
  return async <Result>(
    id: string,
    signal: AbortSignal,
    attempt: () => Promise<Result | undefined>,
  ): Promise<Result | undefined> => {
    const either = AbortSignal.any([signal, over]);
    const waking = wakeUps.follow(id, either);
    try {
      while (!either.aborted) {
        let limitMs: number | undefined;
        const result = await attempt().catch((error: unknown) => {
          if (!isPassing(error)) throw error;
          limitMs = AWAY_MS;
          return undefined;
        });
        if (result !== undefined) return result;
        await waking.next(limitMs);
      }
      return undefined;
    } finally {
      waking.end();
    }
  };
}

/** Rows without an acknowledgement that it has not given before. Not by position: a later one may become visible first. */
function createUnread(query: Queries["query"], runnerId: string): () => Promise<readonly Row[] | undefined> {
  const given = new Set<string>();
  return async () => {
    const rows = await query({
      text: "select * from roundtable.command where runner = $1 and ack is null order by position",
      values: [runnerId],
    });
    const fresh = rows.filter((row) => !given.has(String(row["key"])));
    given.clear();
    for (const row of rows) given.add(String(row["key"]));
    return fresh.length === 0 ? undefined : fresh;
  };
}
