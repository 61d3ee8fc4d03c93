/** Keys as a terminal with the kitty keyboard protocol reports them. */
export const keys = {
  enter: "\r",
  tab: "\t",
  backspace: "\u007f",
  escape: "\u001b[27u",
  up: "\u001b[A",
  down: "\u001b[B",
  right: "\u001b[C",
  left: "\u001b[D",
  home: "\u001b[H",
  end: "\u001b[F",
  delete: "\u001b[3~",
  pageUp: "\u001b[5~",
  pageDown: "\u001b[6~",
  f2: "\u001b[12~",
  f3: "\u001b[13~",
  f5: "\u001b[15~",
  shiftEnter: "\u001b[13;2u",
  altEnter: "\u001b[13;3u",
  shiftTab: "\u001b[9;2u",
  altUp: "\u001b[1;3A",
  shiftUp: "\u001b[1;2A",
  shiftDown: "\u001b[1;2B",
  ctrlUp: "\u001b[1;5A",
  ctrlDown: "\u001b[1;5B",
  ctrlLeft: "\u001b[1;5D",
  ctrlRight: "\u001b[1;5C",
  ctrlHome: "\u001b[1;5H",
  ctrlEnd: "\u001b[1;5F",
  ctrlPageUp: "\u001b[5;5~",
  ctrlPageDown: "\u001b[6;5~",
} as const;

const MODIFIERS = { alt: 3, ctrl: 5, ctrlAlt: 7, ctrlShift: 6 } as const;

/** A letter or sign with a modifier, as the protocol writes it. */
export function held(modifier: keyof typeof MODIFIERS, sign: string): string {
  return `\u001b[${sign.codePointAt(0)};${MODIFIERS[modifier]}u`;
}

export const ctrl = (sign: string) => held("ctrl", sign);
export const alt = (sign: string) => held("alt", sign);
