/** A session of any length with answers in Markdown as models write it, and single answers of any length. */
import type { EventDraft } from "../../src/protocol/index.ts";
import { opening, question, questionsFor } from "./session-drafts.ts";

/** One block of every kind, of a few hundred characters each. */
const PIECES = [
  "## What happens\n\nThe log is **appended** once, and `fdatasync` follows; see the [reader](https://example.org) for what is lost when the *second* program reads an empty holder before the first has written its record.\n\n",
  "- one item that says where it is\n- another item with `code` and **weight**\n  - and one below it\n- a last one\n\n1. first\n2. then\n3. at the end\n\n",
  '```ts\n// The record is written before the lock is given out.\nexport function takeLock(path: string): Lock {\n  const held = tryLock(openSync(path, "a"), { waitMs: 250 });\n  return held ?? refuse(path);\n}\n```\n\n',
  "| case | before | after |\n|---|---:|---:|\n| two starts at once | 1 in 40 fails | 0 of 10,000 |\n| a killed holder | 2.1 s | 0.3 s |\n\n",
  "> A quote of what was said before, with `code` in it.\n\nThe wait costs $O(n)$ looks at the file. It is paid once for each start, and nobody has ever seen it take longer than the time the disk needs.\n\n",
] as const;

export function answer(chars: number): string {
  let text = "";
  for (let at = 0; text.length < chars; at += 1) text += PIECES[at % PIECES.length];
  return text.slice(0, chars);
}

const QUESTIONS_A_BATCH = 50;
const ANSWER_CHARS = [180, 900, 420, 1_600, 60] as const;

export function* markdownSession(messages: number): Generator<EventDraft[], void, void> {
  yield opening();
  const questions = questionsFor(messages);
  for (let from = 0; from < questions; from += QUESTIONS_A_BATCH) {
    const count = Math.min(QUESTIONS_A_BATCH, questions - from);
    yield Array.from({ length: count }, (_, at) => wholeAnswers(from + at)).flat();
  }
}

function wholeAnswers(number: number): EventDraft[] {
  const { messageId, asked, turns } = question(number);
  const usage = { inputTokens: 10, outputTokens: 400 };
  const answers = turns.flatMap(({ turnId, member, begins }, at): EventDraft[] => {
    const turn = { turnId, member };
    const toolCallId = `c-${turnId}`;
    const text = answer(ANSWER_CHARS[(number + at) % ANSWER_CHARS.length] ?? 0);
    return [
      begins,
      { type: "tool_call_start", ...turn, toolCallId, name: "read", args: { path: "src/log/lock.ts" } },
      { type: "tool_result", ...turn, toolCallId, ok: true, durationMs: 12 },
      { type: "text_done", ...turn, segmentId: `${turnId}-s`, text },
      { type: "turn_end", ...turn, outcome: "completed", usage, durationMs: 1_000 },
      { type: "message_delivery", messageId, member, state: "answered" },
    ];
  });
  return [asked, ...answers];
}
