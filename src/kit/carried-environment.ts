/**
 * The environment of a client's terminal as handed to the session host: over the local socket, kept in memory only.
 * Variables that no agent may get are filtered out here.
 */
export type CarriedEnvironment = Readonly<Record<string, string>>;

/** Our own variables (one is a token), and shell or loader internals. */
const STAYS = /^(ROUNDTABLE_.*|NODE_OPTIONS|NODE_CHANNEL_.*|LD_.*|DYLD_.*|PWD|OLDPWD|SHLVL|_)$/i;
/** Above the limit of `execve` on any system. */
const CHARS_MAX = 4 * 1024 * 1024;

/** Undefined when the environment is larger than a process can be started with. */
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
