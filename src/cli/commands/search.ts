/** `search`: queries the index of the data directory in this process; needs no server and locks no session. */
import { SEARCH_LIMIT_MAX, SearchQuery, type SearchAnswer, type SearchHit } from "../../protocol/index.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { jsonLine } from "../ask/output.ts";
import { colourStyle, plainStyle, wantsColour, type Style } from "../terminal/colours.ts";
import { dataDirectory, workingDirectory } from "../config/paths.ts";
import { existingDataDirectory } from "../config/data-directory.ts";
import { exitCodes, type ExitCode } from "../../kit/exit-codes.ts";
import { plural } from "../../kit/text/format.ts";
import { noteLine, usageFailure } from "../../kit/failure.ts";
import { localTime } from "../terminal/format.ts";
import type { CommonFlags } from "../flags.ts";
import { examples, type DeclareCommand } from "./command.ts";
import { toCount, toSince } from "./option-values.ts";
import { addCommonOptions, addServerOption } from "./options.ts";
import { note, stdout } from "../terminal/stdout.ts";

type SearchFlags = CommonFlags & {
  member?: string;
  since?: number;
  tool?: string;
  here?: boolean;
  limit?: number;
  json?: boolean;
};

const MATCHING = `
All terms must match in one entry: a message, an answer, a thought, a call, its output or a diff. A term matches at the
start of words and of parts of names (lock finds takeLock); with punctuation, such as 'takeLock(', it matches literally;
'"quoted terms"' match as a phrase. Case and accents are ignored. Newest first.
Exit codes: 0 with matches, 1 without, 2 for an invalid search.
`;

export const declareSearch: DeclareCommand = (command, run) => {
  command
    .argument("<words...>", "search terms")
    .option("--member <name>", "only messages and calls of this member")
    .option("--since <time>", "only entries since this time: 12h, 2d, 3w, or a date", (text: string) => toSince(text))
    .option("--tool <name>", "only calls of this tool and their output")
    .option("--here", "only sessions of this directory")
    .option("--limit <n>", "maximum number of matches (default: 50, at most 200)", toCount)
    .option("--json", "one JSON object");
  addServerOption(command);
  addCommonOptions(command);
  command.addHelpText(
    "after",
    MATCHING +
      examples([
        "roundtable search parser error",
        "roundtable search 'takeLock(' --since 2d",
        "roundtable search '\"torn tail\"' --member claude",
        "roundtable search migration --tool Bash --json | jq '.hits[0]'",
      ]),
  );
  command.action(async (terms: string[], flags: SearchFlags) => run(flags, (all) => search(terms, all)));
};

/** Time to index new sessions; the rest is reported. */
const PATIENCE_MS = 10_000;
const NOTHING: SearchAnswer = { hits: [], hasMore: false, isComplete: true, sessionsLeft: 0 };

async function search(terms: readonly string[], flags: SearchFlags): Promise<ExitCode> {
  const query = queryOf(terms, flags);
  const dataDir = existingDataDirectory(dataDirectory(process.env, flags.dataDir, process.cwd()));
  const answer = dataDir === undefined ? NOTHING : await ask(dataDir, query, flags);
  if (flags.json === true) stdout.write(jsonLine(answer));
  else {
    const style = wantsColour(flags.color ?? "auto", process.env, stdout.isTty) ? colourStyle : plainStyle;
    stdout.write(formatHits(answer.hits, style));
    reportMissing(answer, query);
  }
  return answer.hits.length > 0 ? exitCodes.ok : exitCodes.failure;
}

async function ask(dataDir: string, query: SearchQuery, flags: SearchFlags): Promise<SearchAnswer> {
  if (flags.server !== undefined) {
    const { openHost } = await import("../connect/team-server.ts");
    const host = await openHost(dataDir, flags);
    try {
      return await host.client.search(query);
    } finally {
      await host.close();
    }
  }
  const { searchDataDir } = await import("../../host/index.ts");
  return searchDataDir({ dataDir, query, patienceMs: PATIENCE_MS });
}

function queryOf(terms: readonly string[], flags: SearchFlags): SearchQuery {
  const { member, since, tool, here, limit } = flags;
  if (limit !== undefined && limit > SEARCH_LIMIT_MAX)
    throw usageFailure(
      `--limit takes at most ${SEARCH_LIMIT_MAX}`,
      "Narrow the search with --member, --tool or --since",
    );
  const parsed = SearchQuery.safeParse({
    words: terms.join(" "),
    ...(member === undefined ? {} : { member: member.replace(/^@/, "") }),
    ...(since === undefined ? {} : { sinceTs: since }),
    ...(tool === undefined ? {} : { tool }),
    ...(here === true ? { cwd: workingDirectory(flags.directory) } : {}),
    ...(limit === undefined ? {} : { limit }),
  });
  if (parsed.success) return parsed.data;
  throw usageFailure(parsed.error.issues[0]?.message ?? "the search is invalid");
}

function reportMissing({ hits, hasMore, isComplete, sessionsLeft }: SearchAnswer, { limit }: SearchQuery): void {
  if (hits.length === 0) note(noteLine("no matches"));
  if (hasMore)
    note(
      noteLine(
        `${plural(hits.length, "match", "matches")} shown; there may be more`,
        limit === undefined ? "See --limit and --since" : "",
      ),
    );
  if (!isComplete) {
    const sessions = sessionsLeft === 1 ? "1 session is" : `${sessionsLeft} sessions are`;
    note(noteLine(`${sessions} not indexed yet; search again to include them`));
  }
}

/** Grouped by session; newest first, within a session too. */
function formatHits(hits: readonly SearchHit[], style: Style): string {
  const sessions = Map.groupBy(hits, ({ sessionId }) => sessionId);
  return [...sessions.values()]
    .map((group) => {
      const [first] = group;
      if (first === undefined) return "";
      const title = terminalSafeLine(first.title === "" ? "(no title)" : first.title);
      const head = `${style.strong(title)}  ${style.dim(`${first.sessionId}  ${terminalSafeLine(first.cwd)}`)}`;
      return `${head}\n${group.map((hit) => `${hitLine(hit, style)}\n`).join("")}`;
    })
    .join("\n");
}

function hitLine(hit: SearchHit, style: Style): string {
  const prefix = style.dim(`  ${localTime(hit.ts)}  #${hit.seq}`);
  return `${prefix}  ${who(hit, style)}: ${marked(hit, style)}`;
}

function who({ kind, member, tool }: SearchHit, style: Style): string {
  const name = member === undefined ? undefined : style.member(member, terminalSafeLine(member));
  const what = tool === undefined ? kind : `${kind} of ${terminalSafeLine(tool)}`;
  if (kind === "user") return member === undefined ? "you" : terminalSafeLine(member);
  if (kind === "text" && name !== undefined) return name;
  return name === undefined ? what : `${name}, ${what}`;
}

/** Escaped chunk by chunk: escaping may change the length. */
function marked({ snippet, marks }: SearchHit, style: Style): string {
  let at = 0;
  let line = "";
  for (const [from, to] of marks) {
    line += terminalSafeLine(snippet.slice(at, from)) + style.strong(terminalSafeLine(snippet.slice(from, to)));
    at = to;
  }
  return line + terminalSafeLine(snippet.slice(at));
}
