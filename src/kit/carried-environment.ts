/**
 * The environment of a terminal as it is handed to the host of its sessions: over the local socket, into memory, and
 * nowhere else. What no agent program ever gets is left behind here already.
 */
export type CarriedEnvironment = Readonly<Record<string, string>>;

/** Our own variables, a token among them; and what belongs to the shell alone. */
const STAYS = /^(ROUNDTABLE_.*|NODE_OPTIONS|NODE_CHANNEL_.*|LD_.*|DYLD_.*|PWD|OLDPWD|SHLVL|_)$/i;
/** Larger than any system lets a program be started with. */
const CHARS_MAX = 4 * 1024 * 1024;

/** Undefined when there is more of it than a program can be given. */
export function carriedEnvironment(env: Readonly<Record<string, string | undefined>>): CarriedEnvironment | undefined {
  const carried = Object.entries(env).filter(
    (one): one is [string, string] => one[1] !== undefined && !STAYS.test(one[0]),
  );
  const chars = carried.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return chars > CHARS_MAX ? undefined : Object.fromEntries(carried);
}

export function isSameEnvironment(one: CarriedEnvironment, other: CarriedEnvironment): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
