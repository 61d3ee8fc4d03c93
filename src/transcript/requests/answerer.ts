/** Who answered a request, in the labels of who wrote a message. */
import { authorOf, type SeenAs } from "../../protocol/index.ts";
import type { Answerer } from "../messages.ts";

/** A person of the team, or "you"; undefined where there is no team, and devices are named instead. */
export function answererOf({ clientId, by }: Answerer, seenAs: SeenAs | undefined): string | undefined {
  const isAnswered = clientId !== undefined || by !== undefined;
  return isAnswered && seenAs?.me !== undefined ? (authorOf(clientId, seenAs) ?? "you") : undefined;
}

/** "by bob", or "from terminal a7wy" where there is no team; undefined when nobody answered. */
export function answeredBy(answer: Answerer, seenAs: SeenAs | undefined): string | undefined {
  const person = answererOf(answer, seenAs);
  if (person !== undefined) return `by ${person}`;
  return answer.by === undefined ? undefined : `from ${answer.by}`;
}
