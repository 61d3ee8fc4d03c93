import type { UserMessage } from "../model.ts";

/** What the user said, with whom it was said to where that was not everybody, as one would type it. */
export function addressedText({ text, to, toAll }: Pick<UserMessage, "text" | "to" | "toAll">): string {
  return toAll || to.length === 0 ? text : `${to.map((name) => `@${name}`).join(" ")} ${text}`;
}
