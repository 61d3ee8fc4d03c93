/** What makes git do more than its subcommand says: other configuration, other programs, other files. */
import { mayBeOption, type Arg } from "./arg.ts";
import { shown } from "./finding.ts";
import { hasName, readRisks, type Risks } from "./risks.ts";

export interface GitRisk {
  readonly reason: string;
  readonly runsCode: boolean;
}

const GLOBAL = readRisks(
  "!-c -C !--bare !--git-dir !--work-tree !--exec-path !--config-env !-p !--paginate --namespace --super-prefix --attr-source",
);
/** Harmless global options. */
const GLOBAL_HARMLESS = new Set([
  "-P",
  "--no-pager",
  "--no-replace-objects",
  "--no-optional-locks",
  "--literal-pathspecs",
  "--glob-pathspecs",
  "--noglob-pathspecs",
  "--icase-pathspecs",
  "--no-lazy-fetch",
  "--no-advice",
  "--version",
  "-v",
  "--help",
  "-h",
  "--html-path",
  "--man-path",
  "--info-path",
]);
const GLOBAL_VALUES = new Set([
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--exec-path",
  "--namespace",
  "--config-env",
  "--super-prefix",
  "--attr-source",
  "--list-cmds",
]);

const ANY =
  "!--ext-diff !--textconv --output !--exec !--upload-pack !--receive-pack !--open-files-in-pager !--template !--extcmd --output-directory --export-marks --index-output";
const OF: ReadonlyMap<string, Risks> = new Map(
  Object.entries({
    grep: "!-O",
    clone: "!-u !-c !--config",
    // `git merge-NAME` of PATH.
    merge: "!-s !--strategy",
    pull: "!-s !--strategy --upload-pack",
    revert: "!--strategy",
    "cherry-pick": "!--strategy",
    rebase: "!-x !-i !--interactive !--edit-todo !-s !--strategy",
    archive: "-o --remote",
    "format-patch": "-o",
    difftool: "!-x !-t !--tool",
    mergetool: "!-t !--tool",
    commit: "!-e !--edit",
    add: "!-e !--edit !-i !-p !--interactive !--patch",
    "cat-file": "!--filters",
    "ls-remote": "",
    bundle: "",
    init: "--separate-git-dir",
    worktree: "",
    submodule: "",
  }).map(([name, spec]) => [name, readRisks(`${ANY} ${spec}`)]),
);
const OTHERS = readRisks(ANY);

/** Subcommands that run code from their arguments or set up what runs later. */
const RUN_CODE =
  /^(?:filter-branch|difftool|mergetool|merge-index|hook|send-email|instaweb|daemon|gui|citool|web--browse|gitk|remote-ext|fast-import|shell|cvsserver|http-backend|upload-pack|receive-pack|upload-archive|credential|credential-.*|p4|svn|imap-send|maintenance|fsmonitor--daemon|scalar|sh-i18n|sh-setup|for-each-repo|alias)$/;

const KNOWN = new Set(
  `add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap
  check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config
  count-objects describe diagnose diff diff-files diff-index diff-tree difftool fast-export fast-import fetch fetch-pack
  filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep hash-object help hook
  index-pack init init-db interpret-trailers lfs log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base
  merge-file merge-index merge-tree mergetool mktag mktree mv name-rev notes pack-objects pack-refs patch-id prune prune-packed
  pull push range-diff read-tree rebase reflog refs remote repack replace request-pull rerere reset restore rev-list rev-parse
  revert rm send-email shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule
  switch symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info var verify-commit verify-pack
  verify-tag version whatchanged worktree write-tree`.split(/\s+/),
);

/** Subcommand and the rest; undefined without one, an unknown word for an unknown one. */
export function gitSubcommand(
  args: readonly Arg[],
): { name: Arg; rest: readonly Arg[]; globals: readonly Arg[] } | undefined {
  let at = 0;
  while (at < args.length) {
    const { text, start } = args[at] ?? { text: undefined, start: "" };
    if (text === undefined ? !start.startsWith("-") : !text.startsWith("-")) break;
    at += text !== undefined && GLOBAL_VALUES.has(text) ? 2 : 1;
  }
  const name = args[at];
  return name === undefined ? undefined : { name, rest: args.slice(at + 1), globals: args.slice(0, at) };
}

/** Without harmless options before the subcommand; `args` starts with git. */
export function plainGit([program, ...args]: readonly Arg[]): readonly Arg[] {
  const at = args.findIndex(({ text }) => text === undefined || !GLOBAL_HARMLESS.has(text));
  return program === undefined ? [] : [program, ...args.slice(at === -1 ? 0 : at)];
}

/** Whether it is built in; any other is an alias or an external program. */
export function isGitCommand(name: string): boolean {
  return KNOWN.has(name);
}

/** `args` without the program. */
export function findRiskyGit(args: readonly Arg[]): GitRisk | undefined {
  const subcommand = gitSubcommand(args);
  const globals = subcommand?.globals ?? args;
  const strange = globals.find(({ start }) => start.startsWith("-") && !GLOBAL_HARMLESS.has(start));
  if (strange !== undefined) return risk(strange, hasName(GLOBAL.code, strange.start));
  if (subcommand === undefined) return undefined;
  const { name, rest } = subcommand;
  const { text } = name;
  if (text === undefined) return risk(name, true, "a subcommand of git is only known at run time");
  if (!isGitCommand(text)) return risk(name, true, `git ${shown(text)} may be an alias`);
  return findInSubcommand(text, name, rest);
}

function findInSubcommand(text: string, name: Arg, rest: readonly Arg[]): GitRisk | undefined {
  const first = rest.find((arg) => !arg.start.startsWith("-"));
  const runs = RUN_CODE.test(text) || (text === "bisect" && runsInBisect(rest)) || isForEach(text, rest);
  if (runs) return risk(name, true, `git ${text} runs other programs`);
  const operands = rest.filter((arg) => !arg.start.startsWith("-")).length;
  const isSetting =
    text === "config" && (operands > 1 || first?.text === "edit" || rest.some(({ start }) => hasName(SETTING, start)));
  if (isSetting) return risk(name, true, "git config changes what git runs");
  const risks = OF.get(text) ?? OTHERS;
  let isOptions = true;
  for (const arg of rest) {
    if (arg.text === "--") isOptions = false;
    if (/^ext::|^fd::|^--?[a-z-]*=?ext::/.test(arg.start)) return risk(arg, true);
    if (!isOptions) continue;
    if (arg.text === undefined && mayBeOption(arg))
      return risk(arg, false, "an argument of git is only known at run time");
    if (hasName(risks.all, arg.start)) return risk(arg, hasName(risks.code, arg.start));
  }
  return undefined;
}

const SETTING = new Set(
  "-e --edit --add --unset --unset-all --rename-section --remove-section --replace-all".split(" "),
);

/** `git bisect view git …` runs that program; so does a name that is known only at run time. */
function runsInBisect([first, ...others]: readonly Arg[]): boolean {
  const { text } = first ?? { text: "" };
  if (text === undefined || text === "run") return true;
  return /^v(?:iew|isualize)$/.test(text) && others.length > 0 && !others[0]?.start.startsWith("-");
}

function isForEach(text: string, rest: readonly Arg[]): boolean {
  return text === "submodule" && rest.some((arg) => arg.text === undefined || arg.text === "foreach");
}

function risk(
  arg: Arg,
  runsCode: boolean,
  reason = `${shown(arg.source)} makes git do more than its command says`,
): GitRisk {
  return { reason, runsCode };
}
