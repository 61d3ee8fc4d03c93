/** Changes of a streamed message, sent beside the whole message. */
import { contentText, type Content } from "./structs.ts";

/** Such as ["text_delta", 0, "Hello"]; the message itself is appended. */
export type Change = readonly [kind: string, index: number, what: unknown];

/** Every update repeats the whole message, so long ones are sent in growing steps to keep the total size linear. */
const STEPS = 64;
const SHORT_CHARS = 4096;

export function isWorthSending(sent: readonly Content[], now: readonly Content[]): boolean {
  if (sent.length !== now.length) return true;
  const isOther = now.some((one, index) => !isContinued(sent[index], one));
  if (isOther) return true;
  const sentChars = charsOf(sent);
  const grown = charsOf(now) - sentChars;
  return grown > (sentChars < SHORT_CHARS ? 0 : sentChars / STEPS);
}

export function changesBetween(sent: readonly Content[], now: readonly Content[]): Change[] {
  const changes = now.flatMap((one, index) => changeOf(sent[index], one, index));
  const gone = sent.slice(now.length).map((_, offset): Change => ["text_end", now.length + offset, ""]);
  return [...changes, ...gone];
}

function changeOf(before: Content | undefined, now: Content, index: number): Change[] {
  if (now.type === "tool_call") return before?.type === "tool_call" ? [] : [["tool_call_end", index, now]];
  const old = before === undefined ? "" : contentText(before);
  const text = contentText(now);
  const name = now.type === "text" ? "text" : "thinking";
  if (before !== undefined && (before.type !== now.type || !text.startsWith(old)))
    return [[`${name}_end`, index, text]];
  return text.length > old.length ? [[`${name}_delta`, index, text.slice(old.length)]] : [];
}

function isContinued(before: Content | undefined, now: Content): boolean {
  return before !== undefined && before.type === now.type && contentText(now).startsWith(contentText(before));
}

function charsOf(content: readonly Content[]): number {
  return content.reduce((sum, one) => sum + contentText(one).length, 0);
}
