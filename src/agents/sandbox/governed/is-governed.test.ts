import { expect, test } from "vitest";
import { isGoverned } from "./is-governed.ts";

test("files that govern agents, git, editors and shells are known at any depth and in any case", () => {
  const governed = `
    opencode.json AGENTS.md CLAUDE.md GEMINI.md .cursorrules .husky/pre-commit .gitattributes .gitmodules .vscode/tasks.json
    .envrc .npmrc .github/workflows/ci.yml .git/hooks/pre-commit .git/config .claude .codex/config.toml .cursor/rules/a.mdc
    .gemini/settings.json .pi/extensions/a.ts .opencode/plugin/a.ts .roundtable/config.jsonc .agents/skills/a .idea/x.xml
    .mcp.json .gitconfig .bashrc .bash_profile .zshrc .zprofile .profile .ripgreprc packages/a/AGENTS.md src/.CLAUDE/x
    agents.MD .Git/config. a.code-workspace tui.json src/tui.jsonc CONTEXT.md .vim/coc-settings.json lefthook.toml
    .lefthook-local.json .config/lefthook.yml .config/mise/config.toml .idx/dev.nix .amp/settings.json hk.pkl`;
  expect(
    governed
      .trim()
      .split(/\s+/)
      .filter((file) => !isGoverned(file)),
  ).toEqual([]);
  const others = [
    "README.md",
    "src/agents.ts",
    "src/claude/adapter.ts",
    ".gitignore",
    "git/hooks",
    "package.json",
    "a.github/x",
    "config/app.yml",
    "src/tui.ts",
  ];
  expect(others.filter((file) => isGoverned(file))).toEqual([]);
});
