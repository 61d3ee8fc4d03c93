/** Texts of recent user messages, for turns that they were steered into. */
const REMEMBERED_MAX = 256;

export class RecentTexts {
  readonly #texts = new Map<string, string>();

  remember(messageId: string, text: string): void {
    this.#texts.set(messageId, text);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > REMEMBERED_MAX && oldest !== undefined) this.#texts.delete(oldest);
  }

  readonly of = (messageId: string): string | undefined => this.#texts.get(messageId);
}
