/** Links that may be followed by a click: a terminal opens what it is given, so only schemes that cannot run anything. */
const SAFE = new Set(["http:", "https:", "mailto:"]);
const URL_CHARS_MAX = 2048;

/** The address in plain ASCII, or undefined when it is not one to click on. */
export function safeAddress(href: string): string | undefined {
  if (href.length > URL_CHARS_MAX) return undefined;
  const url = URL.parse(href);
  if (url === null || !SAFE.has(url.protocol)) return undefined;
  return /^[\u0021-\u007e]+$/.test(url.href) && url.href.length <= URL_CHARS_MAX ? url.href : undefined;
}

/** `label` is styled already; the address has passed `safeAddress`. */
export function hyperlink(label: string, address: string): string {
  const lines = label.split("\n").map((line) => `\u001b]8;;${address}\u001b\\${line}\u001b]8;;\u001b\\`);
  return lines.join("\n");
}
