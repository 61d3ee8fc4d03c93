/** Options as a set of names, so that `-rf`, `-fr`, `-r --force` and `--recursive -f` are one. */

const LETTERS: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map(
  Object.entries({
    rm: { recursive: "r", force: "f", dir: "d", interactive: "i", verbose: "v" },
    cp: { recursive: "r", force: "f", archive: "a" },
    mv: { force: "f" },
    chmod: { recursive: "r" },
    chown: { recursive: "r" },
    git: { force: "f", delete: "d", all: "a", message: "m", "no-verify": "n", hard: "--hard" },
  }),
);

/** In small letters; a long name that has a letter is that letter, also when it is cut short. */
export function unclustered(program: string, option: string): string[] {
  const letters = LETTERS.get(program) ?? {};
  if (!option.startsWith("--"))
    return option === "-"
      ? []
      : option
          .slice(1)
          .split("")
          .map((letter) => `-${letter}`);
  const [name = ""] = option.slice(2).split("=", 1);
  const fitting = Object.entries(letters).filter(([long]) => name !== "" && long.startsWith(name));
  const [only] = fitting;
  if (fitting.length !== 1 || only === undefined) return [`--${name}`];
  const [long, letter] = only;
  return letter.startsWith("-") ? [`--${long}`] : [`-${letter}`, ...(long === name ? [] : [`--${name}`])];
}
