/**
 * Reasoning before tool calls, over /v1/chat/completions and back. DeepSeek, Kimi and others reject a conversation
 * without it, each under its own field name.
 * Size is limited; a list of details is kept whole or not at all, because servers verify its signatures.
 */
import { isFields, listOf, type Fields } from "../../../kit/fields.ts";
import { contentText } from "./message.ts";
import type { Reply } from "./dialect.ts";
import type { ModelQuirks } from "./quirks.ts";

const TEXTS = ["reasoning_content", "reasoning"] as const;
const DETAILS = "reasoning_details";
const SEALED = "encrypted_content";
/** About 64,000 tokens, more than models produce before a call. */
const THOUGHT_CHARS_MAX = 256 * 1024;
/** Default: DeepSeek accepts an empty text for a missing one. */
const NO_THOUGHT = " ";

/** Collects the reasoning of one reply. */
export class ReasoningCollector {
  #name: (typeof TEXTS)[number] | undefined;
  #text = "";
  #details: Fields[] = [];
  #detailChars = 0;

  /** Returns the part to display. */
  read(delta: Fields): string {
    const details = listOf(delta[DETAILS]).filter(isFields);
    this.#addDetails(details);
    const name = TEXTS.find((field) => contentText(delta[field]) !== "");
    if (name === undefined) {
      // Kimi and DeepSeek also want an empty one back: the model did not reason.
      if (delta["reasoning_content"] === "") this.#name ??= "reasoning_content";
      return detailsText(details);
    }
    const text = contentText(delta[name]);
    if (this.#text === "") this.#name = name;
    this.#text += text.slice(0, THOUGHT_CHARS_MAX - this.#text.length);
    return text;
  }

  providerMetadata(): Fields[] {
    const hasDetails = this.#details.length > 0 && this.#detailChars <= THOUGHT_CHARS_MAX;
    // OpenRouter sends the same reasoning as `reasoning` and as details, and wants one of them back.
    const isTwice = hasDetails && this.#name === "reasoning";
    return [
      ...(hasDetails ? [{ [DETAILS]: this.#details }] : []),
      ...(this.#name === undefined || isTwice ? [] : [{ [this.#name]: this.#text }]),
    ];
  }

  #addDetails(details: readonly Fields[]): void {
    for (const [at, detail] of details.entries()) {
      const last = this.#details.at(-1);
      // Without an index only a part in a chunk of its own continues the previous one.
      const isMore = last?.["index"] === detail["index"] && (detail["index"] !== undefined || at === 0);
      if (last !== undefined && isMore && continuesDetail(last, detail)) {
        this.#detailChars += detailsText([detail]).length + contentText(detail["signature"]).length;
        this.#details.splice(-1, 1, joined(last, detail));
      } else {
        this.#detailChars += JSON.stringify(detail).length;
        this.#details.push(detail);
      }
      if (this.#detailChars > THOUGHT_CHARS_MAX) this.#details = [];
    }
  }
}

/** What is returned with a reply: always before tool calls, otherwise only to models that require it. */
export function metadataToReturn(
  { providerMetadata = [], calls }: Reply,
  model: string,
  quirks: ModelQuirks,
): readonly Fields[] {
  if (calls.length === 0 && !(quirks.api === "chat" && quirks.wantsThoughts)) return [];
  // Encrypted for its model; another one rejects the signature.
  return providerMetadata.map((one) => (DETAILS in one || !isReasoning(one) ? { ...one, model } : one));
}

/**
 * Encrypted reasoning of the Responses API that this model can decrypt. Reasoning of chat completions does not belong
 * there.
 */
export function sealedReasoning(providerMetadata: readonly Fields[], model: string, quirks: ModelQuirks): Fields[] {
  if (!quirks.takesReasoning || !quirks.takesThoughts(SEALED)) return [];
  return providerMetadata
    .filter((one) => !isReasoning(one) && (one["model"] === undefined || one["model"] === model))
    .map(({ model: _model, ...item }) => item);
}

/** Fields of an assistant message that carry reasoning of this API. */
export function reasoningFields(providerMetadata: readonly Fields[], model: string, quirks: ModelQuirks): Fields {
  const given: Fields = Object.fromEntries(providerMetadata.flatMap((one) => Object.entries(one)));
  const details = listOf(given[DETAILS]).filter(isFields);
  const name = TEXTS.find((field) => typeof given[field] === "string");
  const text = name === undefined ? detailsText(details) : contentText(given[name]);
  const isForIt = details.length > 0 && given["model"] === model && quirks.takesThoughts(DETAILS);
  return {
    ...(quirks.wantsThoughts ? { reasoning_content: text.trim() === "" ? NO_THOUGHT : text } : {}),
    ...(!quirks.wantsThoughts && name !== undefined && quirks.takesThoughts(name) ? { [name]: text } : {}),
    ...(isForIt ? { [DETAILS]: details } : {}),
  };
}

/** Whether `reasoningFields` sends it. */
export function isReasoning(fields: Fields): boolean {
  return [...TEXTS, DETAILS].some((field) => field in fields);
}

/** Only text is joined: encrypted parts come whole, one per call. */
function continuesDetail(last: Fields, { type }: Fields): boolean {
  return last["type"] === type && (type === "reasoning.text" || type === "reasoning.summary");
}

function joined(last: Fields, chunk: Fields): Fields {
  const given = Object.entries(chunk).filter(([, value]) => value !== null && value !== undefined);
  const joinedTexts = ["text", "summary"].flatMap((field) => {
    const before = last[field];
    const more = chunk[field];
    return typeof before === "string" && typeof more === "string" ? [[field, before + more] as const] : [];
  });
  return { ...last, ...Object.fromEntries(given), ...Object.fromEntries(joinedTexts) };
}

function detailsText(details: readonly Fields[]): string {
  return details.map(({ text, summary }) => contentText(text) || contentText(summary)).join("");
}
