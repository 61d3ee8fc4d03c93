/** Recognises lines that define a name in common languages. Heuristic, not a parser. */

export interface Definition {
  name: string;
  /** The keyword as written, "heading" for Markdown, "target" for make. */
  as: string;
  /** Nested and not a member: "const" in a function body. */
  isLocal: boolean;
}

/** Longer lines are data or minified code. */
const LINE_CHARS_MAX = 240;

const MODIFIERS =
  "(?:(?:export|default|pub(?:\\([^)]*\\))?|public|private|protected|internal|static|abstract|async|declare|readonly|override|final|sealed|unsafe|inline|extern|data|open|local|global) +)*";
const KEYWORD =
  "function\\*?|class|def|const|let|var|val|interface|fn|type|enum|struct|trait|union|module|namespace|func|fun|object|record|protocol|macro_rules!|#define|package|defmodule|defp|sub";
const KEYWORD_LINE = new RegExp(
  `^\\s*${MODIFIERS}(${KEYWORD}) +(?:\\([^)]*\\) *)?([\\p{L}_$#][\\p{L}\\p{N}_$.#]*)`,
  "u",
);
const METHOD_LINE =
  /^\s+(?:(?:public|private|protected|static|async|override|readonly|get|set) +|\* *)*(#?[\p{L}_$][\p{L}\p{N}_$]*) *(?:<[^>]*>)?\(/u;
const ASSIGNED_LINE =
  /^\s*(?:exports\.|module\.exports\.|this\.)?([\p{L}_$][\p{L}\p{N}_$]*) *(?:[:=]) *(?:async *)?(?:function\b|\([^)]*\) *=>|class\b)/u;
const SHELL_LINE = /^([\p{L}_][\p{L}\p{N}_-]*) *\(\) *\{?/u;
const HEADING_LINE = /^#{1,4} +(.{1,80}?)\s*#*$/u;
const C_LINE = /^(?:[\w*&:<>]+ +)+\**([A-Za-z_]\w*)\([^;]*$/;
const TARGET_LINE = /^([A-Za-z][\w./-]*) *:(?!=)/;

/** Refers to something defined elsewhere. */
const IMPORTED = /= *(?:await +)?(?:require|import) *\(/;
const LOCAL_KEYWORDS = new Set(["const", "let", "var", "val"]);

const NOT_METHODS = new Set(["if", "for", "while", "switch", "catch", "return", "with", "function", "else", "do"]);

export function definitionOf(line: string, path: string): Definition | undefined {
  if (line.length > LINE_CHARS_MAX) return undefined;
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  if (extension === "md" || extension === "mdx" || extension === "markdown")
    return named(HEADING_LINE, line, "heading");
  if (/(?:^|\/)(?:GNU)?[Mm]akefile$|\.mk$/.test(path)) return named(TARGET_LINE, line, "target");
  if (PROSE.has(extension)) return undefined;
  const keyword = KEYWORD_LINE.exec(line);
  if (keyword !== null) {
    const [, as = "", name = ""] = keyword;
    return IMPORTED.test(line) ? undefined : { name, as, isLocal: /^\s/.test(line) && LOCAL_KEYWORDS.has(as) };
  }
  if (extension === "sh" || extension === "bash" || extension === "") return named(SHELL_LINE, line, "function");
  if (/^(?:[ch]|cc|cpp|hpp|cxx|java|cs)$/.test(extension)) {
    const definition = named(C_LINE, line, "function");
    if (definition !== undefined) return NOT_METHODS.has(definition.name) ? undefined : definition;
  }
  const method = line.endsWith("{") && !line.includes(";") ? named(METHOD_LINE, line, "method") : undefined;
  if (method !== undefined && !NOT_METHODS.has(method.name)) return method;
  return named(ASSIGNED_LINE, line, "function");
}

const PROSE = new Set([
  "txt",
  "rst",
  "json",
  "jsonc",
  "yaml",
  "yml",
  "toml",
  "lock",
  "csv",
  "html",
  "xml",
  "svg",
  "log",
]);

function named(pattern: RegExp, line: string, as: string): Definition | undefined {
  const name = pattern.exec(line)?.[1];
  return name === undefined ? undefined : { name, as, isLocal: false };
}
