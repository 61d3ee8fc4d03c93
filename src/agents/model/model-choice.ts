/**
 * Models of a member in order of preference: "first,second,third". Models missing on the server are skipped from then
 * on.
 */
const MODEL_CHARS_MAX = 200;

export function parseModels(list: string | undefined): string[] {
  const names = (list ?? "").split(",").map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== "" && name.length <= MODEL_CHARS_MAX))];
}

export class ModelChoice {
  readonly #missing = new Set<string>();
  #models: readonly string[];

  constructor(models: readonly string[]) {
    this.#models = models;
  }

  get isEmpty(): boolean {
    return this.#models.length === 0;
  }

  use(models: readonly string[]): void {
    this.#models = models;
  }

  /** Start of a turn: the first model not known to be missing, or the very first when all are. */
  candidates(): readonly string[] {
    const known = this.#models.filter((model) => !this.#missing.has(model));
    return known.length === 0 ? this.#models : known;
  }

  markMissing(model: string): void {
    this.#missing.add(model);
  }
}
