/** How many cells a text takes. Where terminals differ it says the larger number: too narrow a row does no harm. */
const NONE = /^(?:\p{M}|[\u200b-\u200d]|\p{Variation_Selector})$/u;
const WIDE =
  /^[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]$/u;

function charWidth(char: string): number {
  if (char >= " " && char <= "~") return 1;
  if (NONE.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}

export function textWidth(text: string): number {
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

/** The text as rows of at most `columns` cells. Newlines end a row; a tab is drawn as spaces. Never empty. */
export function wrapRows(text: string, columns: number): string[] {
  const rows: string[] = [];
  for (const line of text.replaceAll("\t", "    ").split("\n")) {
    let row = "";
    let width = 0;
    for (const char of line) {
      const next = charWidth(char);
      if (width + next > columns && row !== "") {
        rows.push(row);
        row = "";
        width = 0;
      }
      row += char;
      width += next;
    }
    rows.push(row);
  }
  return rows;
}
