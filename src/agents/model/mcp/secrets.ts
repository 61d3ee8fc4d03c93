/** Takes what a tool server was given in confidence out of whatever is to be shown or logged. */
import { fillIn, type Environment, type McpServer } from "./server-config.ts";

/** A shorter value is no secret, and taking it out would garble ordinary text. */
const SECRET_CHARS_MIN = 6;

export function createScrub(server: McpServer, env: Environment): (text: string) => string {
  const secrets = valuesOf(server, env)
    .filter((value) => value.length >= SECRET_CHARS_MIN)
    .sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "•••"), text);
}

function valuesOf(server: McpServer, env: Environment): string[] {
  if ("command" in server) {
    const set = Object.values(server.values ?? {}).map((value) => tryFill(value, env));
    return [...(server.env ?? []).flatMap((name) => env[name] ?? []), ...set];
  }
  const headers = Object.values(server.headers ?? {}).flatMap((value) => {
    const filled = tryFill(value, env);
    // "Bearer x" is a secret as a whole and in its last word.
    return [filled, filled.split(/\s+/).at(-1) ?? ""];
  });
  const { username, password, search } = new URL(server.url);
  return [...headers, username, password, search, ...new URLSearchParams(search).values()];
}

function tryFill(value: string, env: Environment): string {
  try {
    return fillIn(value, env);
  } catch {
    // Nothing was filled in, so nothing of it is known to anybody.
    return value;
  }
}
