/** Messages for a model, and their approximate size. */
import type { ShownImage } from "../../attached.ts";
import { recordsOf, type Fields } from "../../../kit/fields.ts";

export interface SentCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra_content?: Readonly<Record<string, unknown>>;
}

export type Message =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string; readonly images?: readonly ShownImage[] }
  | {
      readonly role: "assistant";
      readonly content: string | null;
      readonly tool_calls?: readonly SentCall[];
      /** Server data to be returned with the reply; only for the API that sent it. */
      readonly providerMetadata?: readonly Fields[];
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

/** Overhead per message as servers count it. */
const FRAME_BYTES = 16;
/** Approximate cost of an image as text; servers count by pixel size. */
const IMAGE_BYTES = 6_000;

/** Messages are immutable, so each is measured once. */
const measured = new WeakMap<Message, number>();

export function bytesOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => {
    const bytes = measured.get(message) ?? measure(message);
    measured.set(message, bytes);
    return sum + bytes;
  }, 0);
}

function measure(message: Message): number {
  const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
  const inCalls = calls.reduce(
    (all, call) => all + call.function.name.length + Buffer.byteLength(call.function.arguments),
    0,
  );
  const inMetadata =
    message.role === "assistant" && message.providerMetadata !== undefined
      ? Buffer.byteLength(JSON.stringify(message.providerMetadata))
      : 0;
  const images = message.role === "user" ? (message.images?.length ?? 0) * IMAGE_BYTES : 0;
  return FRAME_BYTES + images + Buffer.byteLength(message.content ?? "") + inCalls + inMetadata;
}

/** A text, or a list of parts of which those are taken that are text. */
export function contentText(value: unknown): string {
  if (typeof value === "string") return value;
  return recordsOf(value)
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .join("");
}
