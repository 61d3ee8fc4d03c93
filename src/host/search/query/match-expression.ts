/** Terms and limits as the one expression the full-text index understands. Only folded letters and digits get into it. */
import { fact } from "../indexing/schema.ts";
import type { Term } from "./parse-query.ts";

export interface Narrowing {
  /** The number of the session in the index. */
  readonly session?: number;
  readonly directory?: number;
  readonly member?: string;
  readonly tool?: string;
}

export function matchExpression(terms: readonly Term[], narrowing: Narrowing): string {
  const { session, directory, member, tool } = narrowing;
  const facts = [
    ...(session === undefined ? [] : [fact("session", session)]),
    ...(directory === undefined ? [] : [fact("place", directory)]),
    ...(member === undefined ? [] : [fact("member", member)]),
    ...(tool === undefined ? [] : [fact("tool", tool)]),
  ];
  return [
    ...terms.filter(({ tokens }) => tokens.length > 0).map(termExpression),
    ...facts.map((one) => `facts : "${one}"`),
  ].join(" AND ");
}

/** Parts of names stand beside the text, not in it: a row of words is looked for in the text alone. */
function termExpression({ tokens, isPrefix }: Term): string {
  const columns = tokens.length === 1 ? "{body parts}" : "body";
  return `${columns} : "${tokens.join(" ")}"${isPrefix ? " *" : ""}`;
}
