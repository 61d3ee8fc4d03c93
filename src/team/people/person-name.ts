/**
 * What a name of a person may be. People are found and given roles by name, and are seen by name beside what they wrote,
 * so a name must not pass for another one: it is in one form, without invisible characters, in letters of one script.
 * Names are the same when `nameKey` makes the same of them.
 */
import * as z from "zod";

/** In UTF-16 units, as every limit of a client id. */
const CHARS_MAX = 32;
const RULE = "a name has up to 32 letters, digits, dots, underscores and dashes";
const SCRIPT_RULE = "a name has letters of one script only, such as Latin or Cyrillic";

/** Marks belong to the letter before them. */
const NAME = /^(?!.*\p{DI})(?:\p{L}[\p{Mn}\p{Mc}]*|\p{Nd})(?:\p{L}[\p{Mn}\p{Mc}]*|[\p{Nd}._-])*$/u;
/** Marks that cannot be seen, or not be counted: UTS 39, 5.4. */
const HIDDEN_MARKS = /(\p{Mn})\1|\p{Mn}{5}|\p{Soft_Dotted}\p{Mn}*\u0307/u;
const UNFIT = /(?:[^\p{L}\p{Mn}\p{Mc}\p{Nd}._-]|\p{DI})+/gu;

/** In everyday use: UAX 31, table 5. */
const ALONE =
  "Latin Cyrillic Greek Arabic Armenian Bengali Devanagari Ethiopic Georgian Gujarati Gurmukhi Hebrew Kannada Khmer Lao " +
  "Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan";
/** Written as one. */
const TOGETHER = [
  ["Han", "Hiragana", "Katakana"],
  ["Han", "Hangul"],
  ["Han", "Bopomofo"],
];
const SCRIPTS = [...ALONE.split(" ").map((one) => [one]), ...TOGETHER].map(
  (set) => new RegExp(`^[${["Common", ...set].map((one) => `\\p{Script_Extensions=${one}}`).join("")}]*$`, "u"),
);

/** A name that nobody has yet. Those from before this rule stay as they are. */
export const PersonName = z
  .string()
  .normalize("NFKC")
  .trim()
  .max(CHARS_MAX, RULE)
  .regex(NAME, RULE)
  // `max` counts code points.
  .refine((name) => name.length <= CHARS_MAX && !HIDDEN_MARKS.test(name.normalize("NFD")), RULE)
  .refine((name) => SCRIPTS.some((one) => one.test(name)), SCRIPT_RULE);

/** How somebody who may be called so is written: also a name from before the rule, or in another form. */
export const GivenName = z
  .string()
  .trim()
  .max(2 * CHARS_MAX, RULE)
  .regex(/^[\p{L}\p{M}\p{N}._-]+$/u, RULE);

/** The nearest name to this text; undefined when there is none. */
export function nameLike(text: string): string | undefined {
  const plain = text.normalize("NFKC").trim().replaceAll(UNFIT, "-");
  // Half of a pair of surrogates may be left at the end.
  return PersonName.safeParse(plain.slice(0, CHARS_MAX).replace(/[\uD800-\uDBFF]$/, "")).data;
}
