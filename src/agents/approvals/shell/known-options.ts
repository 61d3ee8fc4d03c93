/**
 * Programs that load code or write files by many of their options: only those listed here are covered by a pattern. What
 * a later version adds is asked about.
 */
import type { Arg } from "./arg.ts";
import { shown } from "./finding.ts";
import { isFileRisk, isGenericRisk } from "./risks.ts";

/** Accepted values of an option. */
type Limits = Readonly<Record<string, RegExp>>;

interface Known {
  /** Options without a value, or with one attached by `=`. */
  readonly flags: ReadonlySet<string>;
  /** Options whose value is attached or the next word. */
  readonly values: ReadonlySet<string>;
  /** Value options with a harmless kind of value. */
  readonly limits: Limits;
  /** What follows the first operand belongs to a script. */
  readonly hasScript: boolean;
  /** What follows `--` belongs to a script that is named elsewhere. */
  readonly hasScriptAfterDashes: boolean;
  /** `-name` is one option. */
  readonly isOneSign: boolean;
}

function known(flags: string, values = "", limits: Limits = {}, more: Partial<Known> = {}): Known {
  const setOf = (text: string) => new Set(text.split(/\s+/).filter((one) => one !== ""));
  return {
    flags: setOf(flags),
    values: setOf(values),
    limits,
    hasScript: false,
    hasScriptAfterDashes: false,
    isOneSign: false,
    ...more,
  };
}

const HELP = "-h --help --version";
const COLOR = "--color --no-color";
/** The name of something that comes with the program, not of a file. */
const OWN_NAME = /^[a-z][\w:-]*$/i;
const WARNING = /^(?:default|error|always|module|once|ignore)$/;

const PROGRAMS: ReadonlyMap<string, Known> = new Map([
  [
    "npm",
    known(
      `${HELP} ${COLOR} -v -s -d -q -a -g -f -D -S -E -l -y --silent --quiet --verbose --if-present --workspaces
  --include-workspace-root --foreground-scripts --no-audit --no-fund --production --dry-run --json --all --long --parseable
  --ignore-scripts --no-update-notifier --prefer-offline --offline --save-dev --save --save-exact --no-save --no-progress
  --legacy-peer-deps --global --yes --no-install`,
      "-w --workspace --loglevel --omit --include --depth",
      {},
      { hasScriptAfterDashes: true },
    ),
  ],
  [
    "node",
    known(
      `${HELP} -v -c --check --test --test-only --test-force-exit --experimental-test-coverage --watch --no-warnings
      --enable-source-maps --experimental-strip-types --experimental-transform-types --no-experimental-strip-types
      --max-old-space-size --max_old_space_size --trace-warnings --trace-uncaught --trace-deprecation --throw-deprecation
      --no-deprecation --pending-deprecation --stack-trace-limit --expose-gc --expose_gc --preserve-symlinks --unhandled-rejections
      --experimental-vm-modules --disable-warning`,
      `--test-name-pattern --test-skip-pattern --test-concurrency --test-timeout --test-shard --test-coverage-include
      --test-coverage-exclude`,
      { "--test-reporter": /^(?:spec|tap|dot|junit|lcov)$/ },
      { hasScript: true },
    ),
  ],
  [
    "python",
    known(
      `${HELP} -u -B -O -OO -s -S -E -I -b -bb -v -q -V -P`,
      "",
      { "-W": WARNING, "-X": /^(?:dev|utf8|faulthandler|tracemalloc|importtime)$/ },
      { hasScript: true },
    ),
  ],
  [
    "vitest",
    known(
      `${HELP} ${COLOR} -w --run --watch --coverage --coverage.enabled --silent --passWithNoTests --changed --no-file-parallelism
      --fileParallelism --isolate --no-isolate --globals --dom --logHeapUsage --allowOnly --sequence.shuffle --hideSkippedTests
      --printConsoleTrace --disableConsoleIntercept --typecheck --typecheck.only --no-coverage --no-watch --expandSnapshotDiff`,
      `-t --testNamePattern --bail --shard --project --retry --testTimeout --hookTimeout --teardownTimeout --maxWorkers
      --minWorkers --sequence.seed --mode --exclude`,
      {
        "--reporter": OWN_NAME,
        "--coverage.reporter": OWN_NAME,
        "--pool": /^(?:forks|threads|vmThreads|vmForks)$/,
        "--environment": /^(?:node|jsdom|happy-dom|edge-runtime)$/,
      },
    ),
  ],
  [
    "jest",
    known(
      `${HELP} ${COLOR} --colors --coverage --no-coverage --watch --watchAll --ci --silent --verbose --runInBand -i -b --bail
      --passWithNoTests --onlyChanged -o --onlyFailures -f --findRelatedTests --listTests --no-cache --detectOpenHandles
      --forceExit --expand -e --randomize --logHeapUsage --json`,
      `-t -w --testNamePattern --maxWorkers --testPathPattern --testPathPatterns --testPathIgnorePatterns --changedSince
      --shard --testTimeout --seed --selectProjects`,
      { "--env": /^(?:node|jsdom)$/, "--reporters": /^(?:default|summary|github-actions)$/ },
    ),
  ],
  [
    "eslint",
    known(
      `${HELP} ${COLOR} -v --quiet --no-ignore --no-error-on-unmatched-pattern --report-unused-disable-directives --stdin
      --fix-dry-run --no-inline-config --no-warn-ignored --stats --pass-on-no-patterns --env-info --no-cache`,
      "--ext --max-warnings --stdin-filename --print-config --ignore-pattern --rule --concurrency",
      {
        "-f": /^(?:stylish|json|html|json-with-metadata)$/,
        "--format": /^(?:stylish|json|html|json-with-metadata)$/,
      },
    ),
  ],
  [
    "prettier",
    known(
      `${HELP} ${COLOR} -c -l -u --check --list-different --ignore-unknown --no-config --no-editorconfig --use-tabs --single-quote
      --semi --no-semi --support-info --no-error-on-unmatched-pattern`,
      `--log-level --loglevel --stdin-filepath --tab-width --print-width --trailing-comma --prose-wrap --end-of-line
      --find-config-path --file-info --ignore-path`,
    ),
  ],
  [
    "tsc",
    known(
      `${HELP} -v -w -b --noEmit --pretty --watch --build --skipLibCheck --strict --listFiles --listFilesOnly --showConfig
      --incremental -noEmit --all --diagnostics --extendedDiagnostics --explainFiles --traceResolution --noErrorTruncation`,
      "-p --project --target --module --lib --jsx --moduleResolution",
      {},
      { isOneSign: true },
    ),
  ],
  [
    "pytest",
    known(
      `${HELP} -v -vv -vvv -q -qq -x -s -l --lf --last-failed --ff --failed-first --nf --sw --stepwise --co --collect-only
      --no-cov --no-header --no-summary --showlocals --strict-markers --strict-config --markers --fixtures --disable-warnings
      --exitfirst --verbose --quiet --setup-show --cov`,
      `-k -m -n -r --tb --maxfail --durations --durations-min --color --capture --timeout --deselect --ignore --ignore-glob
      --numprocesses --dist --reruns --asyncio-mode`,
      { "-W": WARNING, "-p": /^no:\w+$/, "--cov-report": /^term(?:-missing)?$/, "--cov": /^[\w./-]+$/ },
    ),
  ],
  [
    "cargo",
    known(
      `${HELP} -V -v -vv -q -r -i -e --release --workspace --all --all-targets --all-features --no-default-features --lib --bins
      --tests --examples --benches --doc --no-run --no-fail-fast --quiet --verbose --locked --offline --frozen --keep-going
      --list --check --no-deps --nocapture --no-capture --ignored --include-ignored --exact --show-output --bench`,
      `-F -p -j -D -W -A --features --package --bin --test --example --exclude --color --jobs --message-format --profile --target
      --depth --invert --edges --test-threads --skip --format`,
    ),
  ],
  [
    "go",
    known(
      `-v -race -cover -short -benchmem -json -failfast -x -n -a -trimpath -m -u -e -d -l -h -c -covermode -buildvcs -buildmode
      -t -test -deps`,
      `-run -count -timeout -bench -benchtime -parallel -p -tags -list -shuffle -cpu -skip -coverpkg -f`,
      { "-mod": /^(?:readonly|vendor|mod)$/ },
      { isOneSign: true },
    ),
  ],
  [
    "curl",
    known(
      `-s -S -f -L -l -I -i -v -k -g -G -4 -6 -# -N -h -V -q -0 -Z --silent --show-error --fail --fail-with-body --location
      --include --head --verbose --insecure --get --compressed --retry-all-errors --retry-connrefused --http1.1 --http2 --http3
      --ipv4 --ipv6 --no-progress-meter --progress-bar --no-buffer --globoff --path-as-is --tlsv1.2 --tlsv1.3 --version --help
      --fail-early --parallel`,
      `-X -A -e -m -r -u --request --user-agent --referer --max-time --connect-timeout --range --user --retry --retry-delay
      --retry-max-time --max-redirs --url --noproxy --resolve --limit-rate --speed-limit --speed-time --oauth2-bearer --proto`,
      {
        "-H": /^[^@]/,
        "--header": /^[^@]/,
        // `%output{file}` writes a file.
        "-w": /^(?!@)(?![\s\S]*output\{)/,
        "--write-out": /^(?!@)(?![\s\S]*output\{)/,
        "-o": /^\/dev\/(?:null|stdout)$/,
        "--output": /^\/dev\/(?:null|stdout)$/,
      },
    ),
  ],
  [
    "make",
    known(
      `${HELP} -v -k -s -n -B -i -w -q -d -p -r -R -j -O --keep-going --silent --quiet --dry-run --just-print --always-make
      --no-print-directory --print-directory --warn-undefined-variables --trace --output-sync --jobs --debug --question`,
      "",
      { "-j": /^\d*$/, "--jobs": /^\d*$/ },
    ),
  ],
  [
    "gradle",
    known(
      `${HELP} -v -q -i -d -s -S -m --quiet --info --debug --warn --stacktrace --full-stacktrace --offline --continue --daemon
      --no-daemon --parallel --no-parallel --build-cache --no-build-cache --rerun-tasks --dry-run --refresh-dependencies
      --configuration-cache --no-configuration-cache --rerun`,
      "-x --exclude-task --tests --max-workers --warning-mode --console --configuration",
    ),
  ],
  [
    "mvn",
    known(
      `${HELP} -v -q -e -X -B -o -U -C -c -N -am -amd -ff -fae -fn -ntp -nsu --quiet --errors --debug --batch-mode --offline
      --update-snapshots --also-make --also-make-dependents --fail-fast --fail-at-end --fail-never --no-transfer-progress
      --non-recursive -DskipTests -DskipITs`,
      "-pl -P -T -rf --projects --activate-profiles --threads --resume-from --color -Dtest -Dit.test -Dgroups",
      {},
      { isOneSign: true },
    ),
  ],
  [
    "dotnet",
    known(
      `${HELP} -h --nologo --no-build --no-restore --no-dependencies --list-tests -t --blame --blame-crash --blame-hang --force
      --info --list-sdks --list-runtimes --include-transitive --outdated`,
      "--filter -c --configuration -f --framework -v --verbosity --runtime --arch --os",
      {
        "--logger": /^(?:console|trx|html)(?:;verbosity=\w+)?$/,
        "-l": /^(?:console|trx|html)(?:;verbosity=\w+)?$/,
        "--collect": /^(?:XPlat )?Code Coverage$/,
      },
    ),
  ],
]);

const SAME: ReadonlyMap<string, string> = new Map([
  ["nodejs", "node"],
  ["gmake", "make"],
  ["py.test", "pytest"],
  ["gradlew", "gradle"],
  ["mvnw", "mvn"],
]);

function programOf(name: string): Known | undefined {
  return PROGRAMS.get(SAME.get(name) ?? name) ?? PROGRAMS.get(/^(?:python|pypy)[\d.]*$/.test(name) ? "python" : name);
}

/** Whether its options are listed here. */
export function hasKnownOptions(name: string): boolean {
  return programOf(name) !== undefined;
}

/** `covered`: words before these, which the rule itself names. */
export function findUnknownOption(name: string, args: readonly Arg[], covered: readonly Arg[]): string | undefined {
  const program = programOf(name);
  const unknown = program === undefined ? undefined : firstUnknown(program, name, args, covered.slice(1));
  return unknown === undefined ? undefined : `${shown(unknown.source)} may make ${name} do more than its name says`;
}

function firstUnknown(program: Known, name: string, args: readonly Arg[], covered: readonly Arg[]): Arg | undefined {
  const operands = covered.filter(isOperand);
  if (program.hasScript && operands.length > 0) return undefined;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg === undefined) break;
    const { start } = arg;
    if (start === "--") {
      if (program.hasScript || operands[0]?.text === "run") return undefined;
      if (program.hasScriptAfterDashes) {
        return args
          .slice(at)
          .find((one, index) => isGenericRisk(one.start) || isFileRisk(one.start, args[at + index + 1]?.start));
      }
    } else if (isOperand(arg)) {
      // A response file, a variable of a build.
      const isSetting = (name.endsWith("make") && start.includes("=")) || (name === "dotnet" && /^\/\w+:/.test(start));
      if (start.startsWith("@") || isSetting) return arg;
      operands.push(arg);
      if (program.hasScript || (name === "go" && operands[0]?.text === "run" && operands.length > 1)) return undefined;
    } else {
      if (start === "-args" && name === "go") return undefined;
      const read = readKnown(program, start, args[at + 1]);
      if (read === undefined) return arg;
      if (read.takesNext) at++;
    }
  }
  return undefined;
}

function isOperand({ start, text }: Arg): boolean {
  return !start.startsWith("-") || text === "-";
}

interface Read {
  readonly takesNext: boolean;
}

function readKnown(program: Known, start: string, next: Arg | undefined): Read | undefined {
  const [option = ""] = start.split("=", 1);
  const value = start.includes("=") ? start.slice(option.length + 1) : undefined;
  const names = program.isOneSign ? [option, option.replace(/^--/, "-")] : [option];
  const one = names.map((name) => readOne(program, name, value, next)).find((read) => read !== undefined);
  return one ?? (start.startsWith("--") || program.isOneSign ? undefined : readLetters(program, start, next));
}

function readOne(
  { flags, values, limits }: Known,
  option: string,
  value: string | undefined,
  next: Arg | undefined,
): Read | undefined {
  // Where a value is optional, a word with a dash is the next option.
  const follows = next?.start.startsWith("-") === true ? undefined : next?.text;
  const given = value ?? follows;
  const takesNext = value === undefined && follows !== undefined;
  const limit = limits[option];
  if (limit !== undefined && given !== undefined && limit.test(given)) return { takesNext };
  if (flags.has(option)) return { takesNext: false };
  return values.has(option) ? { takesNext } : undefined;
}

/** `-sSf`, `-n4`, `-Xpost`. */
function readLetters(program: Known, start: string, next: Arg | undefined): Read | undefined {
  for (let at = 1; at < start.length; at++) {
    const option = `-${start.charAt(at)}`;
    const rest = start.slice(at + 1);
    const limit = program.limits[option];
    if (rest !== "" && (program.values.has(option) || limit?.test(rest) === true)) return { takesNext: false };
    const one = rest === "" ? readOne(program, option, undefined, next) : undefined;
    if (rest === "") return one;
    if (!program.flags.has(option)) return undefined;
  }
  return undefined;
}
