/**
 * Syntax highlighter in a worker: its first use takes half a second, which must not block a stream. Takes code and
 * language, returns lines of runs with a kind each; the page maps kinds to classes, so that neither style nor markup
 * comes from here.
 */
import { createHighlighterCore, type HighlighterCore } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import bash from "shiki/langs/bash.mjs";
import c from "shiki/langs/c.mjs";
import csharp from "shiki/langs/csharp.mjs";
import css from "shiki/langs/css.mjs";
import diff from "shiki/langs/diff.mjs";
import docker from "shiki/langs/docker.mjs";
import go from "shiki/langs/go.mjs";
import html from "shiki/langs/html.mjs";
import java from "shiki/langs/java.mjs";
import json from "shiki/langs/json.mjs";
import jsonc from "shiki/langs/jsonc.mjs";
import kotlin from "shiki/langs/kotlin.mjs";
import lua from "shiki/langs/lua.mjs";
import make from "shiki/langs/make.mjs";
import markdown from "shiki/langs/markdown.mjs";
import php from "shiki/langs/php.mjs";
import python from "shiki/langs/python.mjs";
import ruby from "shiki/langs/ruby.mjs";
import rust from "shiki/langs/rust.mjs";
import sql from "shiki/langs/sql.mjs";
import swift from "shiki/langs/swift.mjs";
import toml from "shiki/langs/toml.mjs";
import tsx from "shiki/langs/tsx.mjs";
import typescript from "shiki/langs/typescript.mjs";
import xml from "shiki/langs/xml.mjs";
import yaml from "shiki/langs/yaml.mjs";

export interface HighlightJob {
  readonly id: number;
  readonly code: string;
  readonly language: string;
}

/** A run of characters with its kind; an empty kind is plain text. */
export type HighlightRun = readonly [text: string, kind: string];

export interface HighlightAnswer {
  readonly id: number;
  /** Undefined for an unknown language. */
  readonly lines: readonly (readonly HighlightRun[])[] | undefined;
}

const LANGUAGES = [
  bash,
  c,
  csharp,
  css,
  diff,
  docker,
  go,
  html,
  java,
  json,
  jsonc,
  kotlin,
  lua,
  make,
  markdown,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  toml,
  tsx,
  typescript,
  xml,
  yaml,
];

/** Common language names that the grammars do not list. */
const ALIASES: Readonly<Record<string, string>> = {
  sh: "bash",
  shell: "bash",
  zsh: "bash",
  console: "bash",
  js: "tsx",
  javascript: "tsx",
  jsx: "tsx",
  mjs: "tsx",
  ts: "typescript",
  py: "python",
  rs: "rust",
  yml: "yaml",
  md: "markdown",
  "c++": "c",
  cpp: "c",
  "c#": "csharp",
  cs: "csharp",
  dockerfile: "docker",
  makefile: "make",
  patch: "diff",
  svg: "xml",
};

/** Placeholder colours for kinds: a theme sorts the grammar's scopes, and its colours are our names. */
const KINDS = {
  comment: "#000001",
  string: "#000002",
  keyword: "#000003",
  number: "#000004",
  name: "#000005",
  type: "#000006",
  added: "#000007",
  removed: "#000008",
  mark: "#000009",
} as const;
const kindByColour = new Map<string, string>(Object.entries(KINDS).map(([kind, colour]) => [colour, kind]));

const theme = {
  name: "kinds",
  type: "light" as const,
  fg: "#000000",
  bg: "#ffffff",
  settings: [
    { settings: { foreground: "#000000", background: "#ffffff" } },
    { scope: ["comment", "punctuation.definition.comment"], settings: { foreground: KINDS.comment } },
    { scope: ["string", "punctuation.definition.string", "markup.inline.raw"], settings: { foreground: KINDS.string } },
    {
      scope: ["keyword", "storage", "variable.language", "constant.language"],
      settings: { foreground: KINDS.keyword },
    },
    { scope: ["keyword.operator"], settings: { foreground: "#000000" } },
    { scope: ["constant.numeric", "constant.other", "constant.character"], settings: { foreground: KINDS.number } },
    {
      scope: ["entity.name.function", "support.function", "entity.name.tag", "markup.heading"],
      settings: { foreground: KINDS.name },
    },
    {
      scope: [
        "entity.name.type",
        "entity.name.class",
        "support.type",
        "support.class",
        "entity.other.attribute-name",
        "support.type.property-name",
      ],
      settings: { foreground: KINDS.type },
    },
    { scope: ["markup.inserted"], settings: { foreground: KINDS.added } },
    { scope: ["markup.deleted"], settings: { foreground: KINDS.removed } },
    { scope: ["meta.diff", "markup.changed"], settings: { foreground: KINDS.mark } },
  ],
};

/** With embedded languages; the last of each is the language itself. */
const grammars = new Map(
  LANGUAGES.flatMap((grammar) => {
    const { name = "", aliases = [] } = grammar.at(-1) ?? {};
    return [name, ...aliases].map((one) => [one, grammar] as const);
  }),
);

let highlighter: Promise<HighlighterCore> | undefined;

addEventListener("message", (event: MessageEvent<HighlightJob>) => void answer(event.data));

async function answer({ id, code, language }: HighlightJob): Promise<void> {
  highlighter ??= createHighlighterCore({
    themes: [theme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const ready = await highlighter;
  const name = language.toLowerCase();
  const lang = ALIASES[name] ?? name;
  const grammar = grammars.get(lang);
  // Loaded on first use: all of them together would take a second.
  if (grammar !== undefined && !ready.getLoadedLanguages().includes(lang)) await ready.loadLanguage(...grammar);
  const lines =
    grammar !== undefined
      ? ready
          .codeToTokensBase(code, { lang, theme: "kinds", tokenizeTimeLimit: 0 })
          .map((line) =>
            line.map(({ content, color }) => [content, kindByColour.get(color?.toLowerCase() ?? "") ?? ""] as const),
          )
      : undefined;
  postMessage({ id, lines } satisfies HighlightAnswer);
}
