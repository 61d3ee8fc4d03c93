/** Questions of the program: read out with numbers, answered by the next line. One at a time, in order. */
import type { Choice } from "../app/screen/port.ts";
import { createSearchedChoices, numberedChoices, readNumbers, type SearchAnswer } from "./numbered-choices.ts";
import type { LineOutput } from "./terminal-lines.ts";

interface Question {
  read(): void;
  /** True when it is answered. */
  handleLine(line: string): boolean;
  leave(): void;
}

export class OwnQuestions {
  readonly #lines: LineOutput;
  readonly #onChange: () => void;
  readonly #waiting: Question[] = [];

  constructor(lines: LineOutput, onChange: () => void) {
    this.#lines = lines;
    this.#onChange = onChange;
  }

  get isAsking(): boolean {
    return this.#waiting.length > 0;
  }

  handleLine(line: string): void {
    const [first] = this.#waiting;
    if (first?.handleLine(line) === true) this.#next();
  }

  /** Cancels the question. */
  leave(): void {
    this.#waiting[0]?.leave();
    this.#next();
  }

  leaveAll(): void {
    for (const question of this.#waiting.splice(0)) question.leave();
  }

  pick<Value>(title: string, choices: readonly Choice<Value>[], { at }: { readonly at?: number } = {}) {
    const usual = at === undefined ? undefined : choices[at];
    const enter = usual === undefined ? "" : ` An empty line selects ${(at ?? 0) + 1}.`;
    return this.#ask<Value | undefined>({
      read: () => {
        this.#lines.write(`${title}:`);
        numberedChoices(choices, this.#lines, `Answer with a number, or q for none.${enter}`);
      },
      handleLine: (line) => {
        if (isLeaving(line)) return { value: undefined };
        if (line.trim() === "" && usual !== undefined) return { value: usual.value };
        const read = readNumbers(line, choices);
        if ("why" in read) return read;
        const [only] = read.chosen;
        return only === undefined || read.chosen.length > 1
          ? { why: "Only one can be chosen." }
          : { value: only.value };
      },
      otherwise: undefined,
    });
  }

  /** Picks from many choices with filtering. `at` is picked by an empty line before filtering. */
  search<Value>(title: string, choices: readonly Choice<Value>[], at: number): Promise<Value | undefined> {
    const searched = createSearchedChoices(title, choices, { lines: this.#lines, at });
    return this.#ask<Value | undefined>({
      read: () => searched.read(),
      handleLine: (line) => (isLeaving(line) ? { value: undefined } : searched.handleLine(line)),
      otherwise: undefined,
    });
  }

  confirm(title: string, message: string): Promise<boolean> {
    return this.#ask<boolean>({
      read: () => {
        this.#lines.write(`${title}: ${message}`);
        this.#lines.write("Answer with y for yes or n for no.");
      },
      handleLine(line) {
        if (/^\s*y(?:es)?\s*$/i.test(line)) return { value: true };
        return /^\s*(?:n|no|q)\s*$/i.test(line) ? { value: false } : { why: "That is neither yes nor no." };
      },
      otherwise: false,
    });
  }

  askLine(title: string): Promise<string | undefined> {
    return this.#ask<string | undefined>({
      read: () => this.#lines.write(`${title}: answer with a line, or q for none.`),
      handleLine: (line) => ({ value: isLeaving(line) ? undefined : line }),
      otherwise: undefined,
    });
  }

  #ask<Value>(question: {
    read: () => void;
    handleLine: (line: string) => SearchAnswer<Value>;
    otherwise: Value;
  }): Promise<Value> {
    const { promise, resolve } = Promise.withResolvers<Value>();
    this.#waiting.push({
      read: question.read,
      handleLine: (line) => {
        const result = question.handleLine(line);
        if ("isAgain" in result) {
          question.read();
          return false;
        }
        if ("why" in result) {
          this.#lines.write(`Not an answer, and not sent. ${result.why}`);
          return false;
        }
        resolve(result.value);
        return true;
      },
      leave: () => resolve(question.otherwise),
    });
    if (this.#waiting.length === 1) question.read();
    this.#onChange();
    return promise;
  }

  #next(): void {
    this.#waiting.shift();
    this.#waiting[0]?.read();
    this.#onChange();
  }
}

function isLeaving(line: string): boolean {
  return line.trim().toLowerCase() === "q";
}
