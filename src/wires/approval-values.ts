/** What the choices of an approval mean, by the values they have: the table's own ones, and those of agents. */
import type { UiRequestBody } from "../protocol/index.ts";

type Approval = Extract<UiRequestBody, { method: "approval" }>;

/** The table's own: a yes for the session, a yes for always. */
export const FOR_SESSION = "table_session";
export const FOR_ALWAYS = "table_always";

const ONCE = new Set(["once", "allow", "accept"]);

/** An agent that offers no yes that is known is refused rather than guessed at. */
export function onceOf({ options }: Approval): string | undefined {
  return options.find(({ value, description }) => ONCE.has(value) || description === "allow_once")?.value;
}
