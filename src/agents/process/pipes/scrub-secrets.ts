/** Takes the secrets that a program was started with out of what it prints. */

/** A shorter value is a placeholder, and taking it out would garble ordinary text. */
const SECRET_CHARS_MIN = 8;
const SECRET_NAME = /key|token|secret|passw|credential/i;

export function createSecretScrub(env: Readonly<Record<string, string>>): (text: string) => string {
  const secrets = Object.entries(env)
    .flatMap(([name, value]) => (SECRET_NAME.test(name) && value.length >= SECRET_CHARS_MIN ? [value] : []))
    .sort((one, other) => other.length - one.length);
  return (text) =>
    secrets
      .reduce((rest, secret) => rest.replaceAll(secret, "•••"), text)
      .replaceAll(/\b(Bearer\s+)[\w.~+/=-]{8,}/gi, "$1•••")
      .replaceAll(/(:\/\/[^\s/:@]*):[^\s/@]+@/g, "$1:•••@");
}
