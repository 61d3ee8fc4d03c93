/**
 * Test phrases: `/try NAME` makes scout raise one overlay, signal, error or stream, so that every screen can be tried
 * without a model. The table is the list; help and the answer to an unknown phrase are written from it.
 */
import type { EmbeddedTurn } from "../../../../src/agents/index.ts";
import { inlineCode } from "../../markdown.ts";
import type { TryPhrase } from "./phrase.ts";
import { overlayPhrases, signalPhrases, workPhrases } from "./signals.ts";
import { streamPhrases } from "./streams.ts";

const phrases: readonly TryPhrase[] = [...overlayPhrases, ...signalPhrases, ...streamPhrases, ...workPhrases];

export const tryPhraseNames: readonly string[] = phrases.map((one) => one.name);

export function isTryPhrase(text: string): boolean {
  return /^\/try(?:\s|$)/.test(text);
}

export async function runTryPhrase(turn: EmbeddedTurn, text: string): Promise<void> {
  const [name = "", ...rest] = text.slice("/try".length).trim().split(/\s+/);
  const phrase = phrases.find((one) => one.name === name);
  if (phrase !== undefined) return phrase.run(turn, rest.join(" "));
  const unknown = name === "" ? "" : `There is no test phrase ${inlineCode(name.slice(0, 40))}. `;
  await turn.write(`${unknown}These are the test phrases:\n\n${tryPhraseList()}\n`);
}

export function tryPhraseList(): string {
  return phrases
    .map((one) => `- \`/try ${one.name}${one.example === undefined ? "" : ` ${one.example}`}\`: ${one.does}`)
    .join("\n");
}
