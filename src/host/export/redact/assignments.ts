/** Values that are secret by the name they are assigned to, or because they look random. */

const ASSIGNMENT =
  /(?<![A-Za-z0-9])(?<name>[A-Za-z_][A-Za-z0-9_.-]{0,63})["'\\]{0,4}\s{0,3}(?:=>|:=|[=:])\s{0,3}["'`\\]{0,4}(?<secret>[^\s"'`,;}\])<>\\&|]{3,4096})/dg;

/** Upper-case environment variables, whatever their value. */
const SHOUTED = /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PWD_HASH|APIKEY)$/;
/** Names whose values are always secret. */
const SECRET_NAME =
  /(?:^|[_.-]|(?<=[a-z0-9]))(?:[Pp]assword|[Pp]asswd|[Pp]assphrase|[Ss]ecret|[Cc]lient[_-]?[Ss]ecret|[Aa]pi[_-]?[Kk]ey|[Aa]ccess[_-]?[Kk]ey|[Pp]rivate[_-]?[Kk]ey|[Ss]ecret[_-]?[Kk]ey|[Ss]ecret[_-]?[Aa]ccess[_-]?[Kk]ey)$/;
/** Names whose values are secret if they look random. */
const TOKEN_NAME = /(?:[Tt]oken|[_-][Kk]ey|[a-z]Key|[Cc]redentials?|[Aa]uth|[Pp]wd)$/;
/** Names of long, mixed and harmless values. */
const HARMLESS_NAME =
  /(?:hash|sha\d*|md5|digest|checksum|integrity|commit|revision|rev|etag|uuid|guid|id|ids|ref|version|tree|parent|cursor|segment|href|url|uri|path|file|src|cid|fingerprint|nonce)$/i;
/** Values that only refer to a secret, or name its type. */
const REFERENCE =
  /^(?:\$|%|<|\{|\*|…|\.\.\.|process\.env|os\.|env\.|ENV\[|getenv|string\b|number\b|boolean\b|bool\b|str\b|int\b|null\b|nil\b|None\b|undefined\b|true\b|false\b|unknown\b|any\b|required\b|optional\b|redacted|\[redacted)/i;

const RANDOM_CHARS_MIN = 24;
const HEX_CHARS_MIN = 32;

export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

export function findAssignments(text: string): TextSpan[] {
  if (!text.includes("=") && !text.includes(":")) return [];
  const matches: TextSpan[] = [];
  ASSIGNMENT.lastIndex = 0;
  for (let match = ASSIGNMENT.exec(text); match !== null; match = ASSIGNMENT.exec(text)) {
    const [start = 0, end = 0] = match.indices?.groups?.["secret"] ?? [];
    const { name = "", secret = "" } = match.groups ?? {};
    if (isSecretValue(name, secret)) matches.push({ start, end });
    // A value can itself be the name of the next assignment, as in `--env API_KEY=…`.
    else ASSIGNMENT.lastIndex = start;
  }
  return matches;
}

/** Whether a value with this name must be redacted. */
export function isSecretValue(name: string, value: string): boolean {
  if (value === "" || REFERENCE.test(value)) return false;
  if (SHOUTED.test(name)) return true;
  if (SECRET_NAME.test(name)) return value.length >= 3 && !value.includes("(");
  if (TOKEN_NAME.test(name)) return value.length >= 8 && /\d/.test(value) && /^[\w.~+/=-]+$/.test(value);
  return !HARMLESS_NAME.test(name) && looksRandom(value);
}

/** Long, a single word, with upper case, lower case and digits well mixed. */
export function looksRandom(value: string): boolean {
  if (/^[0-9a-f]+$/i.test(value)) {
    return value.length >= HEX_CHARS_MIN && /\d/.test(value) && /[a-f]/i.test(value) && entropyOf(value) >= 3.2;
  }
  if (value.length < RANDOM_CHARS_MIN || !/^[A-Za-z0-9+/=_-]+$/.test(value)) return false;
  return (
    (value.match(/\d/g)?.length ?? 0) >= 2 && /[a-z]/.test(value) && /[A-Z]/.test(value) && entropyOf(value) >= 3.8
  );
}

/** Bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
