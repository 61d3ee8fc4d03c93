/** The text being written and the place in it, as a value; every key makes a new one. Places are between code points. */
export interface Draft {
  readonly text: string;
  /** In UTF-16 units, never inside a pair. */
  readonly at: number;
}

/** More than any message may hold; a paste beyond it is cut. */
export const DRAFT_CHARS_MAX = 1_000_000;

export const emptyDraft: Draft = { text: "", at: 0 };

export function insert({ text, at }: Draft, piece: string): Draft {
  const fitting = piece.slice(0, Math.max(0, DRAFT_CHARS_MAX - text.length));
  return { text: text.slice(0, at) + fitting + text.slice(at), at: at + fitting.length };
}

const edits = {
  left: (draft: Draft) => ({ ...draft, at: before(draft) }),
  right: (draft: Draft) => ({ ...draft, at: after(draft) }),
  home: ({ text, at }: Draft) => ({ text, at: text.lastIndexOf("\n", at - 1) + 1 }),
  end: ({ text, at }: Draft) => ({ text, at: lineEnd(text, at) }),
  backspace: (draft: Draft) => cut(draft, before(draft), draft.at),
  delete: (draft: Draft) => cut(draft, draft.at, after(draft)),
  killWord: (draft: Draft) => cut(draft, draft.text.slice(0, draft.at).search(/\S*\s*$/), draft.at),
  killToStart: (draft: Draft) => cut(draft, draft.text.lastIndexOf("\n", draft.at - 1) + 1, draft.at),
  killToEnd: (draft: Draft) => cut(draft, draft.at, lineEnd(draft.text, draft.at)),
} as const satisfies Record<string, (draft: Draft) => Draft>;

export type Edit = keyof typeof edits;

export function edit(draft: Draft, how: Edit): Draft {
  return edits[how](draft);
}

function cut({ text }: Draft, from: number, to: number): Draft {
  return { text: text.slice(0, from) + text.slice(to), at: from };
}

function before({ text, at }: Draft): number {
  const isPair = at > 1 && (text.codePointAt(at - 2) ?? 0) > 0xffff;
  return Math.max(0, at - (isPair ? 2 : 1));
}

function after({ text, at }: Draft): number {
  return Math.min(text.length, at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1));
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}
