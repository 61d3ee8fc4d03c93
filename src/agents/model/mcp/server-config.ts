/** A tool server that the configuration names. Kept in memory only: its headers and variables are secrets. */
export type McpServer =
  | {
      /** Program and arguments. */
      readonly command: readonly string[];
      /** Further arguments, which may name variables as `${NAME}`. */
      readonly args?: readonly string[] | undefined;
      /** Names of variables that it may see beyond the allow list. */
      readonly env?: readonly string[] | undefined;
      /** Variables that are set for it; values may name variables as `${NAME}`. */
      readonly values?: Readonly<Record<string, string>> | undefined;
    }
  | {
      readonly url: string;
      /** By the older protocol, where a stream of events comes from one address and messages go to another. */
      readonly isSse?: boolean | undefined;
      /** Values may name variables as `${NAME}`. */
      readonly headers?: Readonly<Record<string, string>> | undefined;
    };

/** By the name that the tools of each are known under. */
export type McpServers = Readonly<Record<string, McpServer>>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** `${NAME}`, also as `${env:NAME}`, with what holds where it is not set as `${NAME:-this}`. */
const VARIABLE = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;
const INPUT = /\$\{(input:[^}]{0,80})\}/;

/** Throws when a variable that is named is not set: a server would only say that somebody is not let in. */
export function fillIn(value: string, env: Environment): string {
  const [, input] = INPUT.exec(value) ?? [];
  if (input !== undefined) throw new Error(`nobody is asked for \${${input}} here; name a variable instead`);
  return value.replaceAll(VARIABLE, (_whole, name: string, otherwise: string | undefined) => {
    const variable = env[name];
    if (variable !== undefined && variable !== "") return variable;
    if (otherwise === undefined) throw new Error(`the variable ${name} is not set`);
    return otherwise;
  });
}
