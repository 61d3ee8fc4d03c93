/** The user's part in a turn: answers what is asked until the turn has ended. */
import type { EventOf, Json, UiRequestBody } from "../../../src/protocol/index.ts";
import type { ServedSession } from "./served-session.ts";

/** Undefined leaves it unanswered. */
export type Decide = (request: UiRequestBody) => Json | undefined;

const YES = /^(allow|accept|approve|yes|proceed|once)/i;
const FOR_GOOD = /always|session|remember|don.t ask/i;

/** The agent's own choice for "yes, this once". */
export const grant: Decide = (request) => {
  if (request.method !== "approval") return undefined;
  const yes = request.options.filter(({ label, value }) => YES.test(value) || YES.test(label));
  const once = yes.find(({ label, value }) => !FOR_GOOD.test(label) && !FOR_GOOD.test(value));
  return (once ?? yes[0])?.value;
};

export const refuse: Decide = (request) => (request.method === "approval" ? false : undefined);

export interface Answered {
  readonly end: EventOf<"turn_end">;
  readonly asked: UiRequestBody[];
}

export async function answerUntilEnd(session: ServedSession, from: number, decide: Decide): Promise<Answered> {
  const asked: UiRequestBody[] = [];
  let seen = from;
  for (;;) {
    const news = await Promise.race([
      session.next("ui_request", { from: seen }),
      session.next("turn_end", { from: seen, fits: ({ member }) => member === session.members[0] }),
    ]);
    if (news.type === "turn_end") return { end: news, asked };
    seen = session.events.indexOf(news) + 1;
    asked.push(news.request);
    const result = decide(news.request);
    if (result === undefined) throw new Error(`nobody here answers ${JSON.stringify(news.request)}`);
    await session.command({ type: "answer", requestId: news.requestId, result });
  }
}
