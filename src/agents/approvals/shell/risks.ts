/** Risky options by table, and whether an argument is one of them in any spelling. */

export interface Risks {
  readonly all: ReadonlySet<string>;
  /** Those that run code. */
  readonly code: ReadonlySet<string>;
}

export function readRisks(spec: string): Risks {
  const names = spec.split(/\s+/).filter((one) => one !== "");
  return {
    all: new Set(names.map((one) => one.replace(/^!/, ""))),
    code: new Set(names.filter((one) => one.startsWith("!")).map((one) => one.slice(1))),
  };
}

/** How a program parses its options. */
export interface Style {
  /** `-name` is one option, not a cluster of letters. */
  readonly isOneSign?: boolean;
  /** Long names cannot be abbreviated. */
  readonly isExact?: boolean;
}

/** Abbreviated long names and letters in clusters count; case matters for letters only. */
export function hasName(names: ReadonlySet<string>, argument: string, { isOneSign, isExact }: Style = {}): boolean {
  if (!argument.startsWith("-") || argument === "-" || argument === "--") return false;
  const [option = ""] = argument.split("=", 1);
  if (option.startsWith("--")) {
    const given = option.toLowerCase();
    return [...names].some(
      (one) =>
        (isExact === true ? one.toLowerCase() === given : one.toLowerCase().startsWith(given)) ||
        (isWord(one) && `-${one.toLowerCase()}` === given),
    );
  }
  if ([...names].some((one) => isWord(one) && one === option)) return true;
  // The value of a letter may be attached: `-B.`.
  if (isOneSign === true)
    return [...names].some((one) => one === option || (one.length === 2 && option.startsWith(one)));
  return option
    .slice(1)
    .split("")
    .some((letter) => names.has(`-${letter}`));
}

/** Options such as `-exec`: one dash and a name. */
function isWord(name: string): boolean {
  return /^-[^-]./.test(name);
}

/** For programs without a list of options: one whose name contains one of these. */
const GENERIC =
  /exec|eval|command|cmd|pre$|preproc|preload|output|outfile|^out$|out-|outdir|engine|provider|pager|shell|script|config|conf$|rcfile|plugin|extension|load|require|import|include|init|setup|hook|editor|run|program|write|save|logs|log-?file|in-?place|delete|remove|force|upload|rsh|rules|dir$|directory|fix|cwd|root|prefix|chdir|file$|spawn|expression|daemon|filter|callback|module|resolver|transform|macro|template|proxy|trigger|trace|dump|profil/i;
/** `--filter NAME` chooses packages; as a program's own it comes with a path. */
const HARMLESS = /^--(?:run|runInBand|dry-run|no-[a-z-]*(?:file|config|run)[a-z-]*|filter(?:=[\w@-]*)?)$/;

export function isGenericRisk(start: string): boolean {
  if ((!start.startsWith("-") && !start.startsWith("+")) || HARMLESS.test(start)) return false;
  const [option = ""] = start.split("=", 1);
  return option.startsWith("--") ? GENERIC.test(option.slice(2)) : option.length > 3 && GENERIC.test(option.slice(1));
}

const CODE_FILE = /\.(?:[cm]?[jt]sx?|py|rb|php|so)$/;
const CONFIG_FILE = /^\.{0,2}\/|\.(?:json[c5]?|ya?ml|toml|xml|ini|cfg|conf|config)$/;

/** Many programs load a file that `-c` or `-r` names: a configuration, a module. A long option with code as its value too. */
export function isFileRisk(start: string, next: string | undefined): boolean {
  const [, attached] = /^-[crCI](?:=?([\s\S]+))?$/.exec(start) ?? [undefined, null];
  if (attached === null) return /^--?[\w-]+=/.test(start) && CODE_FILE.test(start);
  const file = attached ?? next ?? "";
  return CODE_FILE.test(file) || CONFIG_FILE.test(file);
}
