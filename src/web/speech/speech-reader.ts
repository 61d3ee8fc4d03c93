/**
 * Reads one answer at a time with the browser's voice, sentence by sentence, while it is still being written. It falls
 * silent when somebody stops it, when the turn is interrupted, and when the session is left.
 */
import { turnById, turnText } from "../../transcript/index.ts";
import type { PageStore } from "../store/page-store.ts";
import type { ReadAloud, TextToSpeech } from "../store/text-to-speech.ts";
import { sentencesOf } from "./sentences.ts";

/** What it needs of the browser. */
type Speaker = Pick<SpeechSynthesis, "speak" | "cancel">;

interface Reading {
  readonly store: PageStore;
  readonly turnId: string;
  readonly unsubscribe: () => void;
  /** Reading began while the turn was open: when it is interrupted, the voice falls silent. */
  readonly isLive: boolean;
  /** Sentences that were handed to the voice. */
  given: number;
  /** The voice is at one of them. */
  isSpeaking: boolean;
  /** Time spoken, the sentence that is being spoken not counted. */
  doneMs: number;
  /** When that one began; undefined until the voice has. */
  sinceMs: number | undefined;
}

export class SpeechReader implements TextToSpeech {
  readonly canSpeak = true;
  readonly #speaker: Speaker;
  readonly #listeners = new Set<() => void>();
  #reading: Reading | undefined;

  constructor(speaker: Speaker) {
    this.#speaker = speaker;
  }

  get turnId(): string | undefined {
    return this.#reading?.turnId;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  read(store: PageStore, turnId: string): void {
    this.stop();
    const { transcript } = store.getState();
    const isLive = transcript !== undefined && turnById(transcript, turnId)?.end === undefined;
    const unsubscribe = store.subscribe(() => this.#resumeSession());
    this.#reading = { store, turnId, unsubscribe, isLive, given: 0, isSpeaking: false, doneMs: 0, sinceMs: undefined };
    this.#notify();
    this.#resumeSession();
  }

  stop(): ReadAloud | undefined {
    const reading = this.#reading;
    if (reading === undefined) return undefined;
    this.#reading = undefined;
    reading.unsubscribe();
    this.#speaker.cancel();
    this.#notify();
    const openMs = reading.sinceMs === undefined ? 0 : performance.now() - reading.sinceMs;
    return { turnId: reading.turnId, ms: Math.round(reading.doneMs + openMs) };
  }

  #resumeSession(): void {
    const reading = this.#reading;
    if (reading === undefined) return;
    const { transcript } = reading.store.getState();
    const turn = transcript === undefined ? undefined : turnById(transcript, reading.turnId);
    if (turn === undefined || (reading.isLive && turn.end?.outcome === "interrupted")) {
      this.stop();
      return;
    }
    if (reading.isSpeaking) return;
    const isWhole = turn.end !== undefined;
    const sentence = sentencesOf(turnText(turn), { isWhole })[reading.given];
    if (sentence !== undefined) this.#speak(reading, sentence);
    else if (isWhole) this.stop();
  }

  #speak(reading: Reading, sentence: string): void {
    reading.given += 1;
    reading.isSpeaking = true;
    const utterance = new SpeechSynthesisUtterance(sentence);
    utterance.addEventListener("start", () => (reading.sinceMs = performance.now()));
    const next = (): void => {
      if (reading.sinceMs !== undefined) reading.doneMs += performance.now() - reading.sinceMs;
      reading.sinceMs = undefined;
      reading.isSpeaking = false;
      // One that was stopped says so too, later.
      if (this.#reading === reading) this.#resumeSession();
    };
    utterance.addEventListener("end", next);
    // A voice that fails at one sentence may speak the next.
    utterance.addEventListener("error", next);
    this.#speaker.speak(utterance);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
