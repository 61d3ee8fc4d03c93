/** Names by which something could be planted for the next start of an agent outside of any sandbox. */

const dirs = (folder: string, names: string): string[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => `${folder}/${name}`);

/** In the home directory, by agent: settings, instructions, hooks, tool servers, extensions, trust, programs. */
export const homePlants: Readonly<Record<string, readonly string[]>> = {
  claude: dirs(
    ".claude",
    `settings.json settings.local.json CLAUDE.md .mcp.json .claude.json .config.json keybindings.json remote-settings.json
    daemon.json loop.md hooks/x.sh commands/x.md agents/x.md skills/x/SKILL.md plugins/x/plugin.json rules/x.md
    output-styles/x.md workflows/x.js themes/x.json local/claude`,
  ),
  codex: dirs(
    ".codex",
    `config.toml AGENTS.md AGENTS.override.md hooks.json .env managed_config.toml requirements.toml mcp.json
    hooks/x.sh prompts/x.md skills/x/SKILL.md agents/x.toml plugins/x/plugin.json rules/default.rules themes/x.tmTheme
    memories/x.md packages/x bin/codex`,
  ),
  pi: dirs(
    ".pi/agent",
    `settings.json models.json mcp.json keybindings.json trust.json AGENTS.md AGENTS.override.md CLAUDE.md SYSTEM.md
    APPEND_SYSTEM.md extensions/x.ts skills/x/SKILL.md prompts/x.md commands/x.md themes/x.json tools/rg bin/rg
    npm/package.json git/x/index.ts`,
  ),
  gemini: dirs(
    ".gemini",
    `settings.json .env trustedFolders.json trusted_hooks.json mcp-server-enablement.json keybindings.json GEMINI.md
    AGENTS.md system.md policy_integrity.json commands/x.toml skills/x/SKILL.md agents/x.md hooks/x.sh
    extensions/x/gemini-extension.json policies/x.toml acknowledgments/agents.json tmp/bin/rg`,
  ),
  qwen: dirs(
    ".qwen",
    `settings.json .env trustedFolders.json QWEN.md system.md output-language.md commands/x.md skills/x/SKILL.md
    agents/x.md extensions/x/qwen-extension.json locales/en.js channels/x.json tmp/bin/rg bin/rg`,
  ),
  opencode: [
    ...dirs(".local/share/opencode", "bin/rg"),
    ...dirs(".cache/opencode", "package.json bin/rg node_modules/x/index.js packages/x/index.js"),
  ],
  copilot: dirs(
    ".copilot",
    `settings.json mcp-config.json lsp-config.json copilot-instructions.md permissions-config.json AGENTS.md hooks/x.json
    agents/x.md skills/x/SKILL.md plugins/x/plugin.json installed-plugins/x/plugin.json pkg/x/index.js`,
  ),
};

/** A script that tries to write each of them, also under another name first and by a link. Prints "tried". */
export function plantScript(names: readonly string[]): string {
  const tries = names.map((name) => {
    const file = `"$HOME/${name}"`;
    const folder = `"$HOME/${name.slice(0, name.lastIndexOf("/"))}"`;
    return `mkdir -p ${folder}; echo evil > ${file}; echo evil > ${file}.new; mv -f ${file}.new ${file}
      rm -rf ${file}; mv ${folder} ${folder}.old; mkdir -p ${folder}; echo evil > ${file}; ln -sfn "$HOME/evil" ${file}`;
  });
  return `exec 3>&1 >/dev/null 2>&1\n${tries.join("\n")}\necho tried >&3`;
}

/**
 * Scripts that plant a git configuration or hook below a repository; $C is a program that leaves a mark when somebody
 * uses git there later. Each prints the directory to use git in.
 */
export const gitPlants: readonly string[] = [
  `git init -q n && git -C n config core.fsmonitor "$C"; echo n`,
  `git init -q n && mkdir h && cp "$C" h/post-checkout && git -C n config core.hooksPath ../h; echo n`,
  `git init -q n && cp "$C" n/.git/hooks/post-checkout; echo n`,
  `git init -q n && cp "$C" n/.git/hooks/pre-commit; echo n`,
  `git init -q n && git -C n config alias.st "!$C" && git -C n config alias.log2 "!$C"; echo n`,
  `git init -q n && printf '[core]\\n\\tfsmonitor = %s\\n' "$C" > n/inc && git -C n config include.path ../inc; echo n`,
  `git init -q n && printf '[core]\\n\\tfsmonitor = %s\\n' "$C" > n/inc && git -C n config includeIf.gitdir:/.path ../inc; echo n`,
  `git init -q n && git -C n config filter.x.clean "$C" && git -C n config filter.x.smudge "$C" && echo '* filter=x' > n/.git/info/attributes; echo n`,
  `git init -q n && git -C n config diff.external "$C"; echo n`,
  `git init -q n && git -C n config diff.x.textconv "$C" && echo '* diff=x' > n/.git/info/attributes; echo n`,
  `git init -q n && git -C n config core.editor "$C"; echo n`,
  `git init -q n && git -C n config gpg.program "$C" && git -C n config commit.gpgsign true; echo n`,
  `git init -q n && git -C n config remote.origin.url "ext::$C" && git -C n config protocol.ext.allow always; echo n`,
  `git init -q n && git -C n config core.sshCommand "$C" && git -C n config remote.origin.url ssh://a/b; echo n`,
  `git init -q n && git -C n config extensions.worktreeConfig true && git -C n config --worktree core.fsmonitor "$C"; echo n`,
  `git init -q --bare n && git -C n config core.bare false && git -C n config core.worktree . && git -C n config core.fsmonitor "$C"; echo n`,
  `git init -q d && git -C d config core.fsmonitor "$C" && mv d/.git real && mkdir n && echo 'gitdir: ../real' > n/.git; echo n`,
  `git init -q "$HOME/r" && git -C "$HOME/r" config core.fsmonitor "$C" && mkdir n && echo "gitdir: $HOME/r/.git" > n/.git; echo n`,
  `mkdir -p a/b/c/d/e/f && git init -q a/b/c/d/e/f/n && git -C a/b/c/d/e/f/n config core.fsmonitor "$C"; echo a/b/c/d/e/f/n`,
  `git init -q n && (cd n && git commit -q --allow-empty -m one) && git add n && git -C n config core.fsmonitor "$C"; echo .`,
  `mkdir -p node_modules && git init -q node_modules/n && (cd node_modules/n && git commit -q --allow-empty -m one) && git add -f node_modules/n && git -C node_modules/n config core.fsmonitor "$C"; echo .`,
  `git init -q .git/modules/x && mv .git/modules/x/.git/* .git/modules/x/ && git --git-dir .git/modules/x config core.fsmonitor "$C" && git --git-dir .git/modules/x config core.worktree ../../../n && mkdir n && echo 'gitdir: ../.git/modules/x' > n/.git; echo n`,
  `git init -q e && git -C e config core.fsmonitor "$C" && git init -q n && echo ../../e/.git > n/.git/commondir; echo n`,
  `mkdir -p .git/rebase-merge && cd .git/rebase-merge && git rev-parse HEAD | tee onto > orig-head && echo refs/heads/main > head-name && touch interactive done && echo "exec $C" > git-rebase-todo; echo .`,
];

/** Links in the repository by which git would write to $HOME when a person uses it. */
export const gitLinks: readonly string[] = [
  `ln -sf "$HOME/.bashrc" .git/COMMIT_EDITMSG`,
  `ln -sf "$HOME/.bashrc" .git/logs/HEAD`,
  `for f in .git/logs/refs/heads/*; do ln -sf "$HOME/.bashrc" $f; done`,
  `ln -sf "$HOME/.bashrc" .git/FETCH_HEAD`,
  `mv .git/logs .git/l; ln -s "$HOME" .git/logs`,
  `mv .git/refs "$HOME.refs"; cp -r "$HOME.refs" "$HOME/refs"; ln -s "$HOME/refs" .git/refs`,
  `rm -rf .git/objects/pack; ln -s "$HOME" .git/objects/pack`,
  `rm -rf .git/logs/refs; ln -s "$HOME" .git/logs/refs`,
];

/** What a person may do there later. */
export const GIT_USES = `git rebase --continue; git status; git add -A; git commit -qm two; echo three > file; git diff; git log -p -1; git checkout -qb other; git fetch
  git st; git log2; git commit --amend --allow-empty; git checkout -q .; git status; git gc -q; git fetch -q .`;
