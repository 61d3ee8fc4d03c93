import { expect, test } from "vitest";
import { nameKey } from "../../protocol/index.ts";
import { GivenName, nameLike, PersonName } from "./person-name.ts";

const RULE = "a name has up to 32 letters, digits, dots, underscores and dashes";
const SCRIPTS = "a name has letters of one script only, such as Latin or Cyrillic";

/** The name as it is stored, or why there can be none. */
function outcome(given: string): string {
  const { data, error } = PersonName.safeParse(given);
  return data ?? error?.issues[0]?.message ?? "";
}

test("a name is in letters of one script, with digits, dots, underscores and dashes", () => {
  const names = [
    ..."ada Ada.L build_box-2 007 Zoë Łukasz Nguyễn Strauß İbrahim kahoʻolani o\u02bcbrien".split(" "),
    ..."Иван Ёлка-2 Νίκος Հայկ דוד محمد علی۱ प्रिया_२ শ্রী சுந்தர் ไพลิน བསྟན".split(" "),
    ..."လျှော့ សុខា გიორგი ሰላም 山田太郎 ヤマダ ひろし-3 すずきイチロー 김철수 金철수 ㄅㄆ王".split(" "),
    // There is no letter with both marks.
    "e\u0323\u0301".normalize("NFC"),
  ];
  expect(names.map(outcome)).toEqual(names);
});

test("names that pass for others are refused", () => {
  const mixed = [
    "b\u043eb",
    "\u0430da",
    "αda",
    "Ωmega",
    "ada\u0967",
    "adaー",
    "Хan",
    "山田taro",
    "김cheol",
    "ばb",
    "ᎠᏓ",
    "ꓐꓳꓐ",
  ];
  expect(mixed.map(outcome)).toEqual(mixed.map(() => SCRIPTS));
  const unseen = ["a\u200bda", "a\u00adda", "ada\u200e", "a\u3164", "\u1160da", "ada\ufe0f", "a\u034fda", "\u202eada"];
  const marks = [
    "\u0301da",
    "ada-\u0301",
    "1\u0301",
    "e\u0323\u0323",
    "q\u0301\u0300\u0302\u0303\u0304",
    "i\u0307",
    "a\u20dd",
    "a\u0488",
  ];
  const others = ["", " ", "-ada", ".", "a b", "a/b", "a:b", "a@b", "a\0", "\ud83d", "😀", "½", "❶", "n".repeat(33)];
  expect([...unseen, ...marks, ...others].map(outcome)).toEqual([...unseen, ...marks, ...others].map(() => RULE));
  // Marks of no script: these would make one letter of another.
  expect(["o\u0338", "l\u0335"].map(outcome)).toEqual([SCRIPTS, SCRIPTS]);
});

test("names are stored in one form, and the length is that of this form", () => {
  const forms = ["e\u0301va", "ａｄａ", "ﬁnn", "ｱﾀﾞ", "ℌans", " ada ", "Ⅳ"];
  expect(forms.map(outcome)).toEqual(["éva", "ada", "finn", "アダ", "Hans", "ada", "IV"]);
  expect(outcome("e\u0301".repeat(32))).toBe("é".repeat(32));
  expect([outcome("ﬁ".repeat(17)), outcome("𠀀".repeat(17))]).toEqual([RULE, RULE]);
});

test("names of one key are one name, in whatever case and form", () => {
  const same = [
    ["ada", "ADA", "Ada", "ａｄａ"],
    ["éva", "E\u0301VA", "Éva"],
    ["strauß", "STRAUSS", "STRAUẞ"],
    ["νίκος", "ΝΊΚΟΣ", "νίκοσ"],
    ["ёлка", "Е\u0308ЛКА"],
    ["გიორგი", "ᲒᲘᲝᲠᲒᲘ"],
  ];
  for (const names of same) expect(new Set(names.map(nameKey)).size, names.join()).toBe(1);
  expect(new Set(["ada", "äda", "åda", "ad", "aда", "ada.", "ada-"].map(nameKey)).size).toBe(7);
});

test("the key of a name does not change with its case or form, for any letter", () => {
  for (let point = 0; point <= 0x1_ff_ff; point += 1) {
    const letter = String.fromCodePoint(point);
    if (!/^\p{L}$/u.test(letter)) continue;
    const forms = [letter.toLowerCase(), letter.toUpperCase(), letter.normalize("NFD"), letter.normalize("NFKD")];
    const keys = new Set([letter, ...forms, nameKey(letter)].map(nameKey));
    if (keys.size > 1) expect([point.toString(16), letter, ...keys]).toEqual([]);
  }
});

test("whoever had a name before the rule can be named", () => {
  for (const name of ["b\u043eb", "e\u0301va", "Ⅳ", "❶", "ꓐꓳꓐ", "n".repeat(32)])
    expect(GivenName.parse(name)).toBe(name);
  for (const name of ["", "a\0", "\ud83d", "a b", "n".repeat(65)])
    expect(GivenName.safeParse(name).success).toBe(false);
});

test("a name is made of what an account is called", () => {
  const made = {
    ada: "ada",
    " Ada Lovelace ": "Ada-Lovelace",
    "ada+work": "ada-work",
    "Eva\u200b Maria": "Eva-Maria",
    ["n".repeat(40)]: "n".repeat(32),
    // A letter of two units at the end.
    [`山${"𠀀".repeat(20)}`]: `山${"𠀀".repeat(15)}`,
    "e\u0301va": "éva",
  };
  expect(Object.keys(made).map(nameLike)).toEqual(Object.values(made));
  expect(["", "(ada)", "b\u043eb", "ada \u0430", "😀"].map(nameLike)).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});
