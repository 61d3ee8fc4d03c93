/**
 * Whether a line of shell only reads, as far as its words tell.
 * No wall by itself: the program judges what passes here once more. What does not pass may be anything.
 */

export function isReadingCommand(line: string): boolean {
  const commands = line.length > LINE_CHARS_MAX ? null : commandsIn(line.replaceAll(TO_NOWHERE, " "));
  return commands !== null && commands.length > 0 && commands.every(isReading);
}

const LINE_CHARS_MAX = 10_000;
/** Output that is thrown away or joined to the other stream. */
const TO_NOWHERE = /(?:\d?>&\d|[\d&]?>>? ?\/dev\/null)(?=[\s;|&]|$)/g;

/** Read only, whatever their arguments are. */
const READERS = new Set(
  (
    "arch basename cal cat cd cksum cmp column comm cut df diff dirname du echo egrep expand expr false fgrep fmt " +
    "fold free grep groups head help hexdump history id jq locale ls lsof md5sum netstat nl nproc numfmt od paste pgrep " +
    "pr printf ps pwd readlink realpath rev seq sha1sum sha256sum sha512sum sleep stat strings tac tail test tput tr " +
    "true tsort type uname unexpand uptime wc whereis which whoami [ [["
  ).split(" "),
);

/** Read only, but for these arguments. */
const READERS_UNLESS: ReadonlyMap<string, RegExp> = new Map([
  ["base64", /^(?:-o|--output)/],
  ["date", /^(?:-s|--set|\d{8})/],
  ["file", /^(?:-C|--compile)/],
  ["fd", /^(?:-[A-Za-z]*[xX]|--exec)/],
  ["fdfind", /^(?:-[A-Za-z]*[xX]|--exec)/],
  ["find", /^-(?:exec|ok|delete|fprint|fls)/],
  ["hostname", /^(?:[^-]|-F|-b|--file|--boot)/],
  ["man", /^(?:-P|-H|--pager|--html)/],
  ["rg", /^--(?:pre|hostname-bin)/],
  ["sort", /^(?:-[A-Za-z]*o|--output|--compress-program)/],
  ["ss", /^(?:-[A-Za-z]*K|--kill)/],
  ["tree", /^(?:-[A-Za-z]*[oR]|--output)/],
]);

const TELLS_VERSION = new Set(
  "bun cargo deno docker gh git go java javac make node npm php pnpm python python3 ruby rustc tsc yarn".split(" "),
);
const VERSION = /^(?:-v|-V|-version|--version|version)$/;

/** The second word of these decides, and for some the third. */
const GIT_READERS = new Set(
  (
    "blame cat-file count-objects describe diff for-each-ref grep log ls-files ls-remote ls-tree merge-base name-rev " +
    "rev-list rev-parse shortlog show show-ref status"
  ).split(" "),
);
const GIT_LISTS: ReadonlyMap<string, RegExp> = new Map([
  ["branch", /^(?:-a|-r|-v|-vv|-avv|-av|--all|--remotes|--verbose|--list|--show-current)$/],
  ["config", /^(?:--get|--get-all|--list|-l|get|list)$/],
  ["reflog", /^(?:show|list|-n|-\d+)$/],
  ["remote", /^(?:-v|--verbose|show|get-url)$/],
  ["stash", /^(?:list|show)$/],
  ["tag", /^(?:-l|--list)$/],
  ["worktree", /^list$/],
]);
/** Lists of the branches that have to do with what follows. */
const GIT_BRANCHES_OF = /^--(?:contains|merged|no-merged|points-at|list)$/;
/** Lists when nothing follows. */
const GIT_BARE_LISTS = new Set(["branch", "reflog", "remote", "tag"]);
const GIT_WRITES = /^(?:--output|--ext-diff|--textconv|--open-files-in-pager|-O|--upload-pack|--exec)/;
const GH_READS = /^(?:checks|diff|list|status|view)$/;
const DOCKER_READS = new Set(["images", "inspect", "logs", "ps"]);
const SED_PRINTS = /^(?:(?:\d+|\$)?(?:,(?:\+?\d+|\$))?p(?:; ?)?)+$/;
const IP_SHOWS = /^(?:a|addr|address|l|link|n|neigh|r|route)(?: (?:show|list|ls))?$/;

function isReading(words: readonly string[]): boolean {
  const [first = "", ...args] = words[0] === "!" ? words.slice(1) : words;
  const program = first.replace(/^\/(?:usr\/)?bin\//, "");
  const unless = READERS_UNLESS.get(program);
  if (unless !== undefined) return !args.some((arg) => unless.test(arg));
  if (READERS.has(program)) return true;
  const [second = "", third] = args;
  if (args.length === 1 && TELLS_VERSION.has(program) && VERSION.test(second)) return true;
  switch (program) {
    case "git":
      return isReadingGit(args);
    case "sed":
      return /^-n[Er]?$/.test(second) && SED_PRINTS.test(third ?? "") && !args.slice(2).some(isOption);
    case "xargs":
      return isReadingEach(args);
    case "ip":
      return IP_SHOWS.test(args.filter((arg) => !isOption(arg)).join(" "));
    case "uniq":
      return args.filter((arg) => !isOption(arg)).length < 2;
    case "gh":
      return GH_READS.test(third ?? "") && !args.some((arg) => arg === "-w" || arg === "--web");
    case "docker":
      return DOCKER_READS.has(second);
    default:
      return false;
  }
}

function isReadingGit(words: readonly string[]): boolean {
  const args = [...words];
  while (args[0] === "--no-pager" || args[0] === "-C") args.splice(0, args[0] === "-C" ? 2 : 1);
  const [verb = "", ...rest] = args;
  if (rest.some((arg) => GIT_WRITES.test(arg))) return false;
  if (GIT_READERS.has(verb)) return true;
  const [first] = rest;
  if (first === undefined) return GIT_BARE_LISTS.has(verb);
  if (verb === "branch" && GIT_BRANCHES_OF.test(first)) return rest.length <= 2;
  return GIT_LISTS.get(verb)?.test(first) === true && (verb !== "branch" || rest.every(isOption));
}

/** What `xargs` adds may be any argument. */
function isReadingEach(args: readonly string[]): boolean {
  const at = args.findIndex((arg, index) => !isOption(arg) && !/^-[dILnPs]$/.test(args[index - 1] ?? ""));
  return at === -1 || READERS.has(args[at] ?? "");
}

function isOption(word: string): boolean {
  return word.startsWith("-");
}

/** The commands of a line, each as its words; null when there is more to it than commands beside each other. */
function commandsIn(line: string): string[][] | null {
  const commands: string[][] = [];
  let words: string[] = [];
  let at = 0;
  const endCommand = (): void => {
    if (words.length > 0) commands.push(words);
    words = [];
  };
  while (at < line.length) {
    const rest = line.slice(at);
    const blank = /^(?:[ \t]+|\\\n|#[^\n]*|<<<|<(?![<(&]))/.exec(rest)?.[0];
    const separator = /^(?:&&|\|\|?|;|[\n\r]+)/.exec(rest)?.[0];
    const word = wordAt(rest);
    if (blank === undefined && separator === undefined && word === null) return null;
    if (separator !== undefined) endCommand();
    else if (blank === undefined && word !== null) words.push(word.text);
    at += (blank ?? separator ?? word?.source ?? rest).length;
  }
  endCommand();
  return commands;
}

/** Plain characters, quoted ones and escaped ones; a variable stands for itself, and nothing is put in its place. */
const WORD_PARTS = /^(?:[^\s"'`\\$&|;<>(){}]|\$(?![({'"])|\\[^\n]|'[^']*'|"(?:[^"`\\$]|\\[^]|\$(?!\())*")+/;

function wordAt(rest: string): { source: string; text: string } | null {
  const source = WORD_PARTS.exec(rest)?.[0];
  if (source === undefined) return null;
  return { source, text: source.replaceAll(/\\([^])|["']/g, "$1") };
}
