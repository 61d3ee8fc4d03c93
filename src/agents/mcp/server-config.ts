/** A tool server that the configuration names. Kept in memory only: its headers and variables are secrets. */
export type McpServer =
  | {
      /** Program and arguments. */
      readonly command: readonly string[];
      /** Names of variables that it may see beyond the allow list. */
      readonly env?: readonly string[] | undefined;
    }
  | {
      readonly url: string;
      /** Values may name variables as `${NAME}`. */
      readonly headers?: Readonly<Record<string, string>> | undefined;
    };

/** By the name that the tools of each are known under. */
export type McpServers = Readonly<Record<string, McpServer>>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Throws when a variable that is named is not set: a server would only say that somebody is not let in. */
export function fillIn(value: string, env: Environment): string {
  return value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_whole, name: string) => {
    const found = env[name];
    if (found === undefined || found === "") throw new Error(`the variable ${name} is not set`);
    return found;
  });
}
