/** Programs of awk and sed that stand in a line: only those that can do nothing but print are known to be harmless. */
import { type Arg } from "./arg.ts";

export function isSafeAwk(args: readonly Arg[]): boolean {
  for (let at = 1; at < args.length; at++) {
    const { text } = args[at] ?? { text: null };
    if (text === null) return false;
    if (/^-[Fv]$/.test(text)) {
      at++;
      if (args[at]?.text == null) return false;
    } else if (text.startsWith("-") && text !== "--") {
      if (!/^-[Fv]./.test(text)) return false;
    } else if (text !== "--") return isSafeAwkText(text);
  }
  return true;
}

/** No pipe, no file, no other program, no calls by a name that is put together. */
function isSafeAwkText(text: string): boolean {
  // `$3 > 5` before anything is printed is a comparison, after `print` it names a file.
  return !/system|getline|@|close|fflush|\||extension|load|print[\s\S]*>/.test(text);
}

const SED_VALUES = new Set(["-e", "--expression", "-l", "--line-length"]);

export function isSafeSed(args: readonly Arg[]): boolean {
  let hasScript = false;
  for (let at = 1; at < args.length; at++) {
    const { text } = args[at] ?? { text: null };
    if (text === null) return hasScript;
    const attached = /^(?:-[nErzsu]*e|--expression=)([\s\S]+)$/.exec(text)?.[1];
    if (attached !== undefined) {
      if (!isSafeSedText(attached)) return false;
      hasScript = true;
    } else if (SED_VALUES.has(text) || /^-[nErzsu]+e$/.test(text)) {
      const script = args[++at]?.text;
      if (script == null || (!/^-l|^--line/.test(text) && !isSafeSedText(script))) return false;
      hasScript ||= !/^-l|^--line/.test(text);
    } else if (/^-[a-zA-Z]*f|^--fi/.test(text)) return false;
    else if (!text.startsWith("-") && !hasScript) {
      if (!isSafeSedText(text)) return false;
      hasScript = true;
    }
  }
  return true;
}

/** Substitutions without `e` and `w`, and commands that edit what is printed. */
function isSafeSedText(text: string): boolean {
  const address = String.raw`(?:\d+|\$|\/(?:[^\/\\\n]|\\.)*\/I?|\d+~\d+)`;
  const substitution = String.raw`[sy]([^\w\s\\;])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiIm\d]*`;
  const command = String.raw`(?:${address}(?:,[+~]?${address})?)?\s*!?\s*(?:${substitution}|[pdqQnNgGhHxPDlz=]\s*\d*|[aic]\\?[^\n]*|[bt]\s*\w*|\{|:\s*\w+)`;
  const known = new RegExp(String.raw`^(?:\s*${command}\s*(?:[;\n}]|$)|[\s;}]+|\s*${address}\s*!?\s*\{)`);
  let rest = text;
  for (let count = 0; rest !== "" && count < 200; count++) {
    const [matched] = known.exec(rest) ?? [];
    if (matched === undefined || matched === "") return false;
    rest = rest.slice(matched.length);
  }
  return rest === "";
}
