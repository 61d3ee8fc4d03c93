/** User name and password inside a URL: used for requests, never shown, logged or sent elsewhere. */

const USER_INFO = /^(\s*[a-z][a-z0-9+.-]*:[/\\]*)[^/\\?#]*@/i;

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Accepts anything; text that is not a URL is returned unchanged. */
export function withoutCredentials(url: string): string {
  return url.replace(USER_INFO, "$1");
}

export function credentialsOf(url: string): Credentials | undefined {
  if (!URL.canParse(url)) return undefined;
  const { username, password } = new URL(url);
  return username === "" && password === "" ? undefined : { username: decoded(username), password: decoded(password) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign stands for itself.
    return text;
  }
}
