/** User and password inside an address. They are used for requests and shown, logged or sent nowhere else. */

const USER_INFO = /^(\s*[a-z][a-z0-9+.-]*:[/\\]*)[^/\\?#]*@/i;

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** The same address otherwise, also when it is none. */
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
    // A percent sign that encodes nothing is itself.
    return text;
  }
}
