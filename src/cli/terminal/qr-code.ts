/** A QR code in half blocks, two rows of it to a line, in colours that do not depend on the terminal's theme. */
import { generate } from "lean-qr";

/** Readers need an empty border. */
const BORDER = 4;
const BLACK_ON_WHITE = "\u001B[38;5;16;48;5;231m";
const PLAIN = "\u001B[0m";
const BLOCKS = [" ", "▄", "▀", "█"] as const;

export function qrCode(text: string): string {
  const code = generate(text);
  const from = -BORDER;
  const to = code.size + BORDER;
  let lines = "";
  for (let y = from; y < to; y += 2) {
    let line = "";
    for (let x = from; x < to; x += 1) line += BLOCKS[(code.get(x, y) ? 2 : 0) + (code.get(x, y + 1) ? 1 : 0)] ?? " ";
    lines += `  ${BLACK_ON_WHITE}${line}${PLAIN}\n`;
  }
  return lines;
}
