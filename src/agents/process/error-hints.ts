/** What to do about a failed program, read from what it printed. Pure. */

export interface HintOptions {
  readonly member: string;
  /** How somebody logs its program in. */
  readonly loginHint?: string | undefined;
}

const LOGGED_OUT =
  /\b(?:not (?:logged|signed) in|logged out|(?:log|sign) ?in (?:first|again|required)|(?:please|must|need to) (?:log|sign) ?in|login required|not authenticated|authentication (?:required|failed)|unauthori[sz]ed|(?:invalid|missing|no) (?:api key|credentials?))\b/i;
const MISSING_VARIABLE =
  /\bmissing (?:required )?environment variable:?\s*[`'"]?([a-z]\w+)|\b([a-z][a-z0-9]*_\w+)[`'"]? (?:environment variable )?(?:is|was) (?:not set|missing)\b/i;

/** Undefined when what it printed points to nothing that is known. */
export function hintFor(printed: string, { member, loginHint }: HintOptions): string | undefined {
  const [, named, unset] = MISSING_VARIABLE.exec(printed) ?? [];
  const variable = named ?? unset;
  if (variable !== undefined) {
    return `Set ${variable} in the terminal that starts Roundtable. If it is set there, add it to agents.${member}.env in the configuration.`;
  }
  if (loginHint !== undefined && LOGGED_OUT.test(printed)) return `${member} is not logged in. ${loginHint}`;
  return undefined;
}
