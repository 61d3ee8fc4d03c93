const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Plain text, safe between tags and in a quoted attribute. Control characters are removed. */
export function escapeHtml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[&<>"']/g, (char) => escapes[char] ?? char)
    .replaceAll(CONTROLS, "�");
}

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;
