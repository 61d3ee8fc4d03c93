/**
 * Files of a project that govern agents, git, editors, shells and builds on other machines: a change of one of them
 * becomes a command that nobody approved. One table for approvals, the sandbox and the watch.
 */

export interface GovernedName {
  readonly name: string;
  readonly isDirectory: boolean;
  /** Created when missing, so that the sandbox can keep it closed; removed again if it is still empty. */
  readonly isMade: boolean;
}

const DIRECTORIES = `
  .git .githooks .husky .lefthook
  .claude .codex .cursor .gemini .pi .opencode .roundtable .agents .agent .qwen .copilot .continue .windsurf .kiro .junie
  .roo .kilocode .augment .amazonq .goose .crush .factory .trae .aider .cline .openhands .rovodev .kimi .vibe
  .amp .warp .idx .iflow .qoder .codebuddy .grok .zencoder .tabnine .aiassistant .lingma .devin .antigravity
  .vscode .vscode-server .codesandbox .idea .zed .fleet .vim .nvim .helix .vs .devcontainer .direnv .shadowenv.d .mise .config .cargo
  .mvn .github .gitlab .circleci .buildkite .forgejo .gitea .woodpecker .teamcity .semaphore .tekton .builds`;

/** Directories from which agents or editors run things by themselves. */
const MADE = `.claude .codex .cursor .gemini .pi .opencode .roundtable .agents .vscode .idea .husky .github`;

const FILES = `
  AGENTS.md AGENTS.override.md AGENT.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md CODEX.md CONTEXT.md IFLOW.md
  CODEBUDDY.md CRUSH.md CRUSH.local.md COPILOT.md JULES.md .antigravityrules
  .cursorrules .windsurfrules .clinerules .roorules .goosehints .rules .cursorignore .geminiignore
  .roomodes .kilocodemodes .aider.conf.yml .aider.model.settings.yml
  opencode.json opencode.jsonc .opencode.json tui.json tui.jsonc .mcp.json mcp.json .crush.json crush.json WARP.md .replit replit.md
  .gitattributes .gitmodules .gitconfig .lfsconfig
  .huskyrc .huskyrc.json .huskyrc.js .huskyrc.cjs .huskyrc.yml .huskyrc.yaml .rusty-hook.toml rusty-hook.toml
  .pre-commit-config.yaml prek.toml hk.pkl .overcommit.yml .local-overcommit.yml
  .envrc .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs .bazelrc .prototools
  .mise.toml mise.toml .mise.local.toml mise.local.toml .rtx.toml .tool-versions .autoenv .autoenv.zsh
  .autoenv_leave.zsh
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout
  .inputrc .vimrc .exrc .nvimrc .nvim.lua .vimrc.local .lvimrc .local.vimrc .emacs .dir-locals.el .dir-locals-2.el
  .ycm_extra_conf.py .neoconf.json
  .tmux.conf .screenrc .ripgreprc .gdbinit .lldbinit .pdbrc .irbrc .pryrc .perldb .Rprofile .Renviron
  .ghci .ocamlinit .iex.exs .octaverc .erlang .byebugrc .rdbgrc .proverc .sbtopts .jvmopts
  .gitlab-ci.yml .travis.yml azure-pipelines.yml bitbucket-pipelines.yml .drone.yml .cirrus.yml .gitpod.yml
  .build.yml .woodpecker.yml .woodpecker.yaml .drone.yaml .gitlab-ci.yaml .devcontainer.json .appveyor.yml appveyor.yml Jenkinsfile`;

/** Lefthook takes its configuration in any of these. */
const LEFTHOOK = ["lefthook", ".lefthook", "lefthook-local", ".lefthook-local"].flatMap((stem) =>
  ["yml", "yaml", "toml", "json", "jsonc"].map((format) => `${stem}.${format}`),
);

/** By suffix. */
const ENDINGS = [".code-workspace", ".sublime-project"];

const made = new Set(split(MADE));

export const governedNames: readonly GovernedName[] = [
  ...split(DIRECTORIES).map((name) => ({ name, isDirectory: true, isMade: made.has(name) })),
  ...[...split(FILES), ...LEFTHOOK].map((name) => ({ name, isDirectory: false, isMade: false })),
];

const names = new Set(governedNames.map(({ name }) => comparable(name)));

/** Whether one path component is governed: everything below a governed directory is governed too. */
export function isGoverned(file: string): boolean {
  return file.split(/[/\\]/).some((part) => isGovernedName(part));
}

export function isGovernedName(part: string): boolean {
  const name = comparable(part);
  return names.has(name) || isGitName(part) || ENDINGS.some((ending) => name.endsWith(ending));
}

/** The second is its short name on Windows. */
export function isGitName(part: string): boolean {
  return comparable(part) === ".git" || /^git~\d+$/i.test(part);
}

/** Some file systems ignore case, ligatures, invisible characters and trailing dots. */
function comparable(name: string): string {
  return name
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[. ]+$/, "");
}

function split(list: string): string[] {
  return list.trim().split(/\s+/);
}
