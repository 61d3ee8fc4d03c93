/** Options that a shell is started with or sets for what follows. Only harmless ones: others change what a line means. */
import type { Arg } from "./arg.ts";

/** Without `no` before it and underscores, as zsh compares them. */
const HARMLESS = new Set(
  `errexit errtrace functrace unset xtrace verbose exec pipefail glob clobber allexport braceexpand hashall monitor notify
  physical posix emacs vi nullglob dotglob globstar failglob caseglob casematch extglob inheriterrexit lastpipe
  checkwinsize histappend huponexit interactivecomments`.split(/\s+/),
);

/** Of `set`; the value of `o` is a name. */
const LETTERS = /^[-+][euxvnfCETabhmBHPo]+$/;

export function isHarmlessOption(name: string): boolean {
  const plain = name.toLowerCase().replaceAll("_", "");
  return HARMLESS.has(plain) || HARMLESS.has(plain.replace(/^no/, ""));
}

/** `operands` of a builtin that sets options: the first that is not known to be harmless. */
export function findStrangeOption(name: string, operands: readonly Arg[]): Arg | undefined {
  for (const [at, arg] of operands.entries()) {
    const { text } = arg;
    if (text === undefined) return arg;
    if (name === "set") {
      if (!/^[-+]./.test(text) || text === "--") return undefined;
      if (!LETTERS.test(text)) return arg;
      const named = text.includes("o") ? operands[at + 1] : undefined;
      if (named !== undefined && !isHarmlessOption(named.text ?? "")) return named;
      if (named !== undefined) return findStrangeOption(name, operands.slice(at + 2));
    } else if (!/^-[suqpo]+$/.test(text) && !isHarmlessOption(text)) return arg;
  }
  return undefined;
}
