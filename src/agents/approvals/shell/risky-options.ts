/**
 * Arguments by which an allowed program does more than the pattern suggests: writes a file, reads another
 * configuration, runs code. In the tables `!` marks options that run code.
 */
import { literalArg, mayBeOption, type Arg } from "./arg.ts";
import { shown } from "./finding.ts";
import { findRiskyGit } from "./risky-git.ts";
import { findUnknownOption, hasKnownOptions } from "./known-options.ts";
import { hasName, isFileRisk, isGenericRisk, readRisks, type Risks, type Style } from "./risks.ts";
import { SHELL_PROGRAMS } from "./wrappers.ts";

/** None of their options is harmful, so unknown arguments do not matter. */
const HARMLESS = new Set(
  `echo printf ls pwd true false : cat wc head tail nl cut tr basename dirname realpath readlink stat du df uname
  whoami id hostname which type test [ sleep seq expr cmp comm paste rev tac fold cksum md5sum sha1sum sha256sum sha512sum
  b2sum mkdir touch rmdir rm cp mv ln chmod chown cd pushd popd exit return break continue shift set ps pgrep kill jq
  grep egrep fgrep exa eza lsd strings od hexdump column expand unexpand nproc uptime free lscpu tty`.split(/\s+/),
);

const TABLES: ReadonlyMap<string, Risks> = new Map(
  Object.entries({
    rg: "!--pre --pre-glob !--hostname-bin --search-zip -z",
    find: "-delete -fprint -fprint0 -fprintf -fls -files0-from",
    fd: "",
    sort: "-o --output !--compress-program -T --temporary-directory --files0-from",
    uniq: "",
    xxd: "",
    tree: "-o -R",
    file: "-C -m --compile --magic-file",
    base64: "-o --output",
    tee: "",
    diff: "--output -o",
    tar: "!-I !--use-compress-program !--to-command !--checkpoint-action !--rsh-command !--rmt-command !--info-script !--new-volume-script !-F -P --absolute-names --index-file --volno-file -g --listed-incremental",
    zip: "!-T !-TT !--unzip-command",
    unzip: "",
    gzip: "",
    sed: "-i -I --in-place -f --file",
    awk: "",
    gawk: "!-l !--load !-i !--include !-e !--source !-E !--exec -o --pretty-print -p --profile -d --dump-variables",
    man: "!-P !--pager !-H !--html !-C --config-file !-l --local-file",
    less: "-o -O --log-file --LOG-FILE !-k !--lesskey-file !--lesskey-src !--lesskey-content !-t",
    date: "-s --set -f --file",
    tsc: "--outdir --outfile --init",
    npm: "!--script-shell !--node-options !--prefix -C !--globalconfig !--userconfig !--shell !--git !--editor !--viewer !-c !--call",
    pnpm: "!--script-shell !--dir -C !--shell-mode !-c",
    yarn: "!--cwd !--use-yarnrc",
    make: "!-f !--file !--makefile !-C !--directory !--eval !-E -I --include-dir",
    gmake: "!-f !--file !--makefile !-C !--directory !--eval !-E -I --include-dir",
    cmake: "!-P !-E -C",
    go: "!-exec !-toolexec !-overlay !-modfile -C -o -ldflags -gcflags !-vettool !-mod",
    cargo: "!--config !-Z --manifest-path --target-dir !-C",
    curl: "-o -O --output --remote-name --remote-name-all -J --remote-header-name !-K !--config --output-dir -T --upload-file -F --form -d --data --data-binary --data-raw --data-urlencode --json -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --libcurl --hsts --alt-svc --etag-save !--engine --unix-socket --proxy -x --create-dirs --netrc-file --dns-servers --next",
    wget: "-O --output-document -o --output-file -a --append-output -P --directory-prefix !-e !--execute !--config !--use-askpass --post-file --post-data --body-file -i --input-file --save-cookies !--metalink-file --rejected-log --warc-file",
    pytest:
      "!-c !--config-file !-p --rootdir --confcutdir -o --override-ini --basetemp --junitxml --junit-xml --resultlog --log-file --pdbcls --pastebin --import-mode",
    python: "",
    python3: "",
    node: "!--require !-r !--import !--loader !--experimental-loader --env-file --test-reporter-destination !--inspect !--inspect-brk --cpu-prof-dir --heapsnapshot-signal --report-directory --snapshot-blob --build-snapshot --experimental-sea-config !--openssl-config --redirect-warnings --diagnostic-dir --trace-event-file-pattern",
    eslint:
      "!-c !--config !--rulesdir !--resolve-plugins-relative-to !--plugin !--parser !-f !--format -o --output-file --fix --cache-location --init",
    prettier: "!--config !--plugin -w --write --cache-location",
    vitest: "!-c !--config !--root -r --outputfile -u --update",
    jest: "!-c !--config !--setupfiles !--globalsetup !--testrunner !--reporters !--resolver !--transform --outputfile -u --updatesnapshot --coveragedirectory --rootdir",
    rsync: "!-e !--rsh !--rsync-path --write-batch --log-file !--remote-option -M --password-file",
    scp: "!-S !-o !-F !-J",
    gcc: "!-fplugin -o !-B !-wrapper !-specs",
    cc: "!-fplugin -o !-B !-wrapper !-specs",
    docker:
      "!-v --volume --mount --privileged --config -H --host --context -o --output --iidfile --metadata-file --cache-to --allow --ssh --secret",
    kubectl: "--kubeconfig !--editor --cache-dir --profile-output -k --kustomize --server -s",
    deno: `-A --allow-all --allow-run --allow-write --allow-ffi --allow-env --allow-net --allow-sys --allow-import -R -W -N
      -E -S -I --coverage --junit-path --cert --unsafely-ignore-certificate-errors -c --config --import-map --preload
      --env-file --lock --node-modules-dir`,
    gh: "!--editor",
    env: "",
    yq: "-i --inplace --in-place -s --split-exp",
    apt: "!-o !--option !-c !--config-file",
    "apt-get": "!-o !--option !-c !--config-file",
  }).map(([name, spec]) => [name, readRisks(spec)]),
);

/** Options of one dash and a name, which are not clusters of letters. */
const ONE_SIGN = new Set(["go", "find", "gcc", "cc", "clang", "java", "javac", "terraform"]);

/** They accept long options in full only. */
const EXACT = new Set([
  "node",
  "cargo",
  "eslint",
  "prettier",
  "vitest",
  "jest",
  "tsc",
  "docker",
  "kubectl",
  "gh",
  "rg",
]);

function styleOf(name: string): Style {
  return { isOneSign: ONE_SIGN.has(name), isExact: EXACT.has(name) };
}

/** Programs that write their second operand. */
const SECOND_IS_WRITTEN = new Set(["uniq", "xxd"]);

/**
 * Why an argument is not covered by a pattern; undefined when all are. `args` without the program and `covered`, the words
 * that the rule itself names.
 */
export function findRisk(name: string, args: readonly Arg[], covered: readonly Arg[] = []): string | undefined {
  if (HARMLESS.has(name)) return undefined;
  const module = moduleOf(name, covered, args);
  if (module !== undefined) return findRisk(module.name, module.args, [module.word]);
  if (name === "git") return findRiskyGit(args)?.reason;
  const table = TABLES.get(name);
  const operands = args.filter(({ start, text }) => !start.startsWith("-") || text === "-");
  if (name === "date" && operands.some(({ start }) => /^\d{8,}/.test(start))) return "date sets the clock";
  if (SECOND_IS_WRITTEN.has(name) && operands.length > 1)
    return `${name} writes ${shown(operands.at(-1)?.source ?? "")}`;
  for (const [at, arg] of args.entries()) {
    if (arg.text === "--" && table === undefined) return undefined;
    if (arg.text === undefined && mayBeOption(arg)) return `an argument of ${name} is only known at run time`;
    if (hasKnownOptions(name)) continue;
    // tar accepts its letters without a dash.
    const start = name === "tar" && at === 0 && !arg.start.startsWith("-") ? `-${arg.start}` : arg.start;
    const isRisky =
      (table === undefined || PASSES_ON.has(name)) && (isGenericRisk(start) || isFileRisk(start, args[at + 1]?.start));
    if (isRisky || (table !== undefined && hasName(table.all, start, styleOf(name))))
      return `${shown(arg.source)} makes ${name} do more than its name says`;
  }
  return findCodeInLine(name, args) ?? findUnknownOption(name, args, covered);
}

/** They give options that they do not know to a script. */
const PASSES_ON: ReadonlySet<string> = new Set(["pnpm", "yarn"]);

/** `python -m NAME` is a program of its own. */
function moduleOf(name: string, covered: readonly Arg[], args: readonly Arg[]) {
  if (!/^(?:python|pypy)[\d.]*$/.test(name)) return undefined;
  const all = [...covered.slice(1), ...args];
  const at = all.findIndex((arg) => !arg.start.startsWith("-") || /^-[a-zA-Z]*m/.test(arg.start));
  const { start = "" } = all[at] ?? {};
  const attached = /^-[a-zA-Z]*?m(.*)$/.exec(start)?.[1];
  if (attached === undefined) return undefined;
  const word = attached === "" ? all[at + 1] : literalArg(attached);
  const rest = all.slice(at + (attached === "" ? 2 : 1));
  const own = rest.slice(Math.max(0, rest.length - args.length));
  return word?.text === undefined ? undefined : { name: word.text.toLowerCase(), word, args: own };
}

/** An option that runs code evades any rule that denies another program. */
export function findCodeOption(name: string, args: readonly Arg[]): string | undefined {
  if (name === "git") {
    const risk = findRiskyGit(args);
    return risk?.runsCode === true ? risk.reason : undefined;
  }
  const table = TABLES.get(name);
  const option = args.find(({ start }) => table !== undefined && hasName(table.code, start, styleOf(name)));
  if (option !== undefined) return `${shown(option.source)} makes ${name} run something else`;
  return findCodeInLine(name, args);
}

/** Of programs that are not known: `tsx -e 'fs.rmSync("x")'`, `sbcl --eval '(delete-file "x")'`. */
const CODE_OPTION = /^(?:-[ecx]|--?(?:eval|evaluate|execute|expression|expr|code))(?:=([\s\S]*))?$/i;
const ATTACHED_CODE = /^-[ecx]([\s\S]*[(;{}`$|][\s\S]*)$/i;

function findCodeInLine(name: string, args: readonly Arg[]): string | undefined {
  const isKnown = HARMLESS.has(name) || SHELL_PROGRAMS.has(name) || (TABLES.has(name) && !PASSES_ON.has(name));
  if (isKnown) return undefined;
  const at = args.findIndex(({ text = "" }, index) => {
    const match = CODE_OPTION.exec(text);
    if (match === null) return ATTACHED_CODE.test(text);
    const value = match[1] ?? (args[index + 1] === undefined ? "" : args[index + 1]?.text);
    // With a blank only it may be a file, for the options that often take one.
    return value === undefined
      ? !/^-[cx]/i.test(text)
      : (/^-[cx]/i.test(text) ? /[(;{}`$|]/ : /[\s(;{}`$|]/).test(value);
  });
  return at === -1 ? undefined : `${shown(args[at]?.source ?? "")} makes ${name} run code from the line`;
}
