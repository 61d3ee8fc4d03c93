/** Configured MCP server. Kept in memory only: headers and variables are secrets. */
export type McpServer =
  | {
      /** Program and arguments. */
      readonly command: readonly string[];
      /** Further arguments; may contain `${NAME}`. */
      readonly args?: readonly string[] | undefined;
      /** Variables it may see beyond the allow list. */
      readonly env?: readonly string[] | undefined;
      /** Variables set for it; values may contain `${NAME}`. */
      readonly values?: Readonly<Record<string, string>> | undefined;
    }
  | {
      readonly url: string;
      /** The older HTTP transport with a separate event stream. */
      readonly isSse?: boolean | undefined;
      /** Values may contain `${NAME}`. */
      readonly headers?: Readonly<Record<string, string>> | undefined;
    };

/** By server name, which prefixes its tools. */
export type McpServers = Readonly<Record<string, McpServer>>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** `${NAME}`, `${env:NAME}`, or `${NAME:-default}`. */
const VARIABLE = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;
const INPUT = /\$\{(input:[^}]{0,80})\}/;

/** Throws when a variable is not set: the server would only report failed authentication. */
export function fillIn(value: string, env: Environment): string {
  const [, input] = INPUT.exec(value) ?? [];
  if (input !== undefined)
    throw new Error(`interactive inputs such as \${${input}} are not supported; use an environment variable`);
  return value.replaceAll(VARIABLE, (_whole, name: string, otherwise: string | undefined) => {
    const variable = env[name];
    if (variable !== undefined && variable !== "") return variable;
    if (otherwise === undefined) throw new Error(`the variable ${name} is not set`);
    return otherwise;
  });
}
