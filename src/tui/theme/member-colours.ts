/** A colour for each member by its slot, so that no two at one table look alike. */

export const SLOTS = 8;

export interface ColouredMember {
  readonly name: string;
  /** Set by the user. */
  readonly colour?: string | undefined;
}

/** For `Theme.member`: a slot, after the colour its member wants and those that were given away before it. */
const CHOICE = /^(?:(\S+) )?slot ([0-9]+)$/;
const BESIDE = " | ";

/**
 * By name. In the order of slots, which must include those whose member left: nobody's colour changes while a session
 * lasts.
 */
export function assignColours(members: readonly ColouredMember[]): ReadonlyMap<string, string> {
  const colours = new Map<string, string>();
  const choices: string[] = [];
  for (const [index, { name, colour }] of members.entries()) {
    if (colour === undefined) colours.set(name, `slot ${index}`);
    else {
      choices.push(`${colour.replaceAll(/\s/g, "")} slot ${index}`);
      colours.set(name, choices.join(BESIDE));
    }
  }
  return colours;
}

/** For names that are no members: a subagent. */
export function colourOfName(name: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193) >>> 0;
  return `slot ${((hash ^ (hash >>> 15)) >>> 0) % SLOTS}`;
}

export interface ColourChoice {
  /** Undefined for the colour of the slot. */
  readonly wanted: string | undefined;
  readonly slot: number;
  /** The choices that were granted before. */
  readonly before: readonly string[];
}

/** A bare colour, as in a configuration, counts as one of the first slot. */
export function readChoice(colour: string): ColourChoice {
  const choices = colour.split(BESIDE);
  const own = choices.at(-1) ?? colour;
  const match = CHOICE.exec(own);
  return {
    wanted: match === null ? own : match[1],
    slot: Number(match?.[2] ?? 0) % SLOTS,
    before: choices.slice(0, -1).map((_, at) => choices.slice(0, at + 1).join(BESIDE)),
  };
}
