/** Options as a set of names, so that `-rf`, `-fr`, `-r --force` and `--recursive -f` are one. */

const LETTERS: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map(
  Object.entries({
    rm: { recursive: "r", force: "f", dir: "d", interactive: "i", verbose: "v" },
    cp: { recursive: "r", force: "f", archive: "a" },
    mv: { force: "f" },
    chmod: { recursive: "r" },
    chown: { recursive: "r" },
    git: { force: "f", delete: "d", all: "a", message: "m", "no-verify": "n" },
  }),
);

/** By a sign before its name a branch is pushed by force. */
export function optionsOfOperand(program: string, operand: string): string[][] {
  return program === "git" && /^\+\S/.test(operand) ? [["-f", "--force"]] : [];
}

/** In small letters: each option of a word, with all of its names. `-rf` are two; `--force` is also `-f`. */
export function optionNames(program: string, word: string): string[][] {
  if (word === "-" || word === "--") return [];
  if (!word.startsWith("--"))
    return word
      .slice(1)
      .split("")
      .filter(isLetter)
      .map((letter) => [`-${letter}`]);
  const [name = ""] = word.slice(2).split("=", 1);
  const plain = name.replace(/\*+$/, "");
  const letters = Object.entries(LETTERS.get(program) ?? {}).filter(([long]) => plain !== "" && long.startsWith(plain));
  return [[`--${name}`, ...letters.map(([, letter]) => `-${letter}`)]];
}

function isLetter(character: string): boolean {
  return character !== "*";
}
