/**
 * Patterns of keys and tokens. A pattern with a group `secret` redacts only that; the rest is context. Every repetition
 * is bounded, so that no text causes catastrophic backtracking.
 */
export interface SecretPattern {
  /** The pattern is skipped when none of these occurs in the text. */
  readonly hints: readonly string[];
  readonly pattern: RegExp;
}

const TOKEN = "[A-Za-z0-9_-]";

export const secretPatterns: readonly SecretPattern[] = [
  { hints: ["sk-"], pattern: new RegExp(`(?<![A-Za-z0-9])sk-${TOKEN}{16,512}`, "dg") },
  { hints: ["sk-"], pattern: new RegExp(`(?<![A-Za-z0-9])sk-(?:ant|proj|svcacct|admin|or)-${TOKEN}{8,512}`, "dg") },
  { hints: ["gh"], pattern: /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{8,255}/dg },
  { hints: ["github_pat_"], pattern: /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{8,255}/dg },
  {
    hints: ["AKIA", "ASIA", "AROA", "AIDA"],
    pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,32}/dg,
  },
  { hints: ["xox", "xapp-"], pattern: /(?<![A-Za-z0-9])(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{8,255}/dg },
  {
    hints: ["hooks.slack.com"],
    pattern: /hooks\.slack\.com\/(?:services|workflows)\/(?<secret>[A-Za-z0-9/_-]{8,255})/dg,
  },
  { hints: ["AIza", "ya29."], pattern: /(?<![A-Za-z0-9])(?:AIza|ya29\.)[A-Za-z0-9_-]{16,512}/dg },
  {
    hints: [
      "glpat-",
      "gldt-",
      "hf_",
      "npm_",
      "pypi-",
      "dop_v1_",
      "shpat_",
      "_live_",
      "_test_",
      "whsec_",
      "SG.",
      "xai-",
    ],
    pattern:
      /(?<![A-Za-z0-9])(?:glpat-|gldt-|hf_|npm_|pypi-|dop_v1_|shpat_|[rs]k_live_|[rs]k_test_|whsec_|SG\.|xai-)[A-Za-z0-9_.-]{12,512}/dg,
  },
  {
    hints: ["gsk_", "pplx-", "r8_", "tvly-", "nvapi-", "AGE-SECRET-KEY-"],
    pattern: /(?<![A-Za-z0-9])(?:gsk_|pplx-|r8_|tvly-|nvapi-|AGE-SECRET-KEY-)[A-Za-z0-9_-]{12,512}/dg,
  },
  {
    hints: ["eyJ"],
    pattern: /(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,8192}(?:\.[A-Za-z0-9_-]{0,2048})?/dg,
  },
  {
    hints: ["earer", "EARER", "asic ", "oken "],
    pattern: /\b(?:bearer|basic|token)\s{1,4}(?=[A-Za-z._~+/=-]{0,64}\d)(?<secret>[A-Za-z0-9._~+/=-]{12,8192})/dgi,
  },
  {
    hints: ["uthorization", "UTHORIZATION"],
    pattern:
      /\bauthorization["'\\]{0,4}\s{0,3}[:=]\s{0,3}["'\\]{0,4}(?:[A-Za-z]{1,16}\s{1,3})?(?<secret>[^\s"'\\,;]{8,8192})/dgi,
  },
  { hints: ["://"], pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>]{0,128}:(?<secret>[^\s/@"'<>]{1,256})@/dgi },
  { hints: ["ookie:", "OOKIE:"], pattern: /\bcookie2?["']?:\s{0,3}["']?(?<secret>[^\r\n"']{8,4096})/dgi },
];

const PEM_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const PEM_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** Longer than any key; a block without an end is assumed to be this long. */
const PEM_CHARS_MAX = 16 * 1024;

/**
 * PEM blocks, also where their lines are joined by a literal `
 * `.
 */
export function findPemBlocks(text: string): { start: number; end: number }[] {
  if (!text.includes("PRIVATE KEY")) return [];
  const matches: { start: number; end: number }[] = [];
  PEM_BEGIN.lastIndex = 0;
  for (let begin = PEM_BEGIN.exec(text); begin !== null; begin = PEM_BEGIN.exec(text)) {
    const bodyStart = begin.index + begin[0].length;
    PEM_END.lastIndex = bodyStart;
    const ending = PEM_END.exec(text);
    const isNear = ending !== null && ending.index - bodyStart <= PEM_CHARS_MAX;
    const end = isNear ? ending.index + ending[0].length : Math.min(text.length, bodyStart + PEM_CHARS_MAX);
    matches.push({ start: begin.index, end });
    PEM_BEGIN.lastIndex = end;
  }
  return matches;
}
