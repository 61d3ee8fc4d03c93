/**
 * Data directories with many sessions, written through the log: words in the frequencies of a language, identifiers and
 * paths, and a rare word at a known position.
 */
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { NO_CAPABILITIES, type EventDraft, type SessionSummary } from "../../src/protocol/index.ts";
import { MEMBERS, SETTINGS } from "./session-drafts.ts";
import { rooms } from "./product.ts";

const WRITTEN_AT_ONCE = 16;
const VOCABULARY = 40_000;
const DAY_MS = 86_400_000;
const FIRST_TS = Date.UTC(2026, 0, 1);
const SYLLABLES = [
  "ba",
  "cor",
  "den",
  "fi",
  "gal",
  "hum",
  "in",
  "jo",
  "ker",
  "lu",
  "men",
  "nor",
  "os",
  "pre",
  "qui",
  "ra",
];

export interface Filling {
  readonly dataDir: string;
  readonly sessions: number;
  readonly questions: number;
  /** Chunks of a streamed answer; 0 for none. */
  readonly pieces: number;
  readonly answerWords: number;
}

/** A word that occurs once, in the session whose number it contains. */
export function rareWord(session: number): string {
  return `zebrafish${session}`;
}

export function sessionId(number: number): string {
  return `01JN${String(number).padStart(22, "0")}`;
}

export async function fillDataDir(filling: Filling): Promise<number> {
  const numbers = Array.from({ length: filling.sessions }, (_, index) => index).values();
  mkdirSync(path.join(filling.dataDir, "sessions"), { recursive: true, mode: 0o700 });
  let events = 0;
  await Promise.all(
    Array.from({ length: WRITTEN_AT_ONCE }, async () => {
      for (const number of numbers) {
        const written = await writeSession(filling, number);
        events += written;
      }
    }),
  );
  return events;
}

async function writeSession(filling: Filling, number: number): Promise<number> {
  const { openFileLog, empty, fold, summaryOf } = await rooms();
  let ts = FIRST_TS + Math.floor((number / filling.sessions) * 300 * DAY_MS);
  const clock = {
    now: () => (ts += 200),
    monotonic: () => performance.now(),
    after(ms: number, callback: () => void) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
  const id = sessionId(number);
  const log = await openFileLog({ dataDir: filling.dataDir, sessionId: id, clock });
  const words = new Words(number + 1);
  let transcript = fold(empty(id), log.append(opening(number, words)).events);
  for (let question = 0; question < filling.questions; question += 1) {
    transcript = fold(transcript, log.append(asked(filling, { number, question, words })).events);
  }
  await log.flush();
  await log.close();
  writeSummary(filling.dataDir, id, summaryOf(transcript));
  return transcript.head.seq;
}

/** As written by the holder of a session. */
function writeSummary(dataDir: string, id: string, summary: SessionSummary): void {
  const logBytes = statSync(path.join(dataDir, "logs", `${id}.jsonl`)).size;
  const file = path.join(dataDir, "sessions", `${id}.meta.json`);
  writeFileSync(file, `${JSON.stringify({ format: 1, logBytes, summary })}\n`, { mode: 0o600 });
}

function opening(number: number, words: Words): EventDraft[] {
  const cwd = path.join("/home/user/projects", `project-${number % 200}`);
  return [
    { type: "session_created", format: 1, cwd, title: words.sentence(6), settings: SETTINGS },
    ...MEMBERS.map((member): EventDraft => ({
      type: "member_joined",
      member,
      spec: { name: member, kind: "embedded" },
      capabilities: NO_CAPABILITIES,
    })),
  ];
}

interface Asking {
  readonly number: number;
  readonly question: number;
  readonly words: Words;
}

function asked(filling: Filling, { number, question, words }: Asking): EventDraft[] {
  const messageId = `m${question}`;
  const rare = question === 0 ? ` ${rareWord(number)}` : "";
  const text = `${words.sentence(20)}${rare}`;
  return [
    { type: "user_message", messageId, text, to: [...MEMBERS], toAll: true, attachments: [] },
    ...MEMBERS.flatMap((member) => answered(filling, { member, turnId: `t${question}-${member}`, messageId, words })),
  ];
}

interface Answering {
  readonly member: string;
  readonly turnId: string;
  readonly messageId: string;
  readonly words: Words;
}

function answered({ pieces, answerWords }: Filling, { member, turnId, messageId, words }: Answering): EventDraft[] {
  const turn = { turnId, member };
  const cause = { cause: "user" as const, messageIds: [messageId], rootMessageId: messageId, round: 1, depth: 0 };
  const text = words.sentence(answerWords);
  const size = Math.ceil(text.length / Math.max(1, pieces));
  const toolCallId = `${turnId}-c`;
  const name = words.name();
  return [
    { type: "turn_start", ...turn, ...cause },
    {
      type: "tool_call_start",
      ...turn,
      toolCallId,
      name: "search",
      args: { text: `${name}(`, path: `src/${words.word()}/${words.word()}.ts` },
    },
    {
      type: "tool_result",
      ...turn,
      toolCallId,
      ok: true,
      result: `function ${name}(${words.sentence(answerWords / 2)})`,
    },
    ...Array.from({ length: pieces }, (_, index): EventDraft => ({
      type: "text_delta",
      ...turn,
      segmentId: `${turnId}-s`,
      text: text.slice(index * size, (index + 1) * size),
    })),
    { type: "text_done", ...turn, segmentId: `${turnId}-s`, text },
    {
      type: "turn_end",
      ...turn,
      outcome: "completed",
      usage: { inputTokens: 10, outputTokens: answerWords },
      durationMs: 1000,
    },
  ];
}

/** Words by Zipf's law, deterministic for a seed. */
class Words {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761) >>> 0;
  }

  #random(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state / 2 ** 32;
  }

  word(): string {
    // Each tenth of the draws falls on ten times as many words.
    let rank = Math.floor(VOCABULARY ** this.#random());
    let word = "";
    do {
      word += SYLLABLES[rank % SYLLABLES.length] ?? "";
      rank = Math.floor(rank / SYLLABLES.length);
    } while (rank > 0);
    return word;
  }

  name(): string {
    const [first, ...rest] = [this.word(), this.word(), this.word()];
    return (first ?? "") + rest.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
  }

  sentence(count: number): string {
    return Array.from({ length: Math.ceil(count) }, () => (this.#random() < 0.05 ? this.name() : this.word())).join(
      " ",
    );
  }
}
