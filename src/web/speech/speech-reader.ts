/**
 * Reads one answer at a time with the browser's voice, sentence by sentence, while it streams. Stops on request, when
 * the turn is interrupted, and when the session is left.
 */
import { turnById, turnText } from "../../transcript/index.ts";
import type { ReadAloud, SpokenStore, TextToSpeech } from "../store/text-to-speech.ts";

/** Voices break off long texts; longer sentences are split. */
const SENTENCE_CHARS_MAX = 240;

/** Maximum length read in one go. */
const TEXT_CHARS_MAX = 200_000;

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;

const OWN_LINE = /^\s*(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)\s/;

const RULE = /^\s*(?:[-*_|:=]\s*){3,}$/;

/** May become a fence, a rule or a table. */
const UNDECIDED = /^\s*(?:[`~|]|[-*_=|:\s]*$)/;

const END = /(?<=[.!?…。！？]["')\]»”’]?)\s+/;

type Speaker = Pick<SpeechSynthesis, "speak" | "cancel">;

interface Reading {
  readonly store: SpokenStore;
  readonly turnId: string;
  readonly unsubscribe: () => void;
  /** The turn was open when reading started: an interrupt stops the voice. */
  readonly isLive: boolean;
  /** Number of sentences passed to the voice. */
  given: number;
  /** A sentence is being spoken. */
  isSpeaking: boolean;
  /** Time spoken without the current sentence. */
  doneMs: number;
  /** Start of the current sentence; undefined until the voice has started. */
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

  read(store: SpokenStore, turnId: string): void {
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
      // A stopped utterance also ends, later.
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

/**
 * Markdown as spoken sentences without code. Earlier sentences do not change as the text grows, so that the reader can
 * count them. `isWhole`: the text is complete; until then only finished sentences are returned.
 */
export function sentencesOf(text: string, { isWhole }: { isWhole: boolean }): string[] {
  return paragraphsOf(text.slice(0, TEXT_CHARS_MAX), isWhole).flatMap(({ content, isOpen }) =>
    sentencesIn(content, isOpen),
  );
}

interface Paragraph {
  readonly content: string;
  /** More may be added to it. */
  readonly isOpen: boolean;
}

function paragraphsOf(text: string, isWhole: boolean): Paragraph[] {
  const paragraphs: string[][] = [[]];
  let fence: string | undefined;
  const lines = text.split("\n");
  // The last line is incomplete while more may follow.
  const lastOpen = isWhole ? undefined : (lines.pop() ?? "");
  for (const line of lines) {
    const [, mark] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true) fence = undefined;
    } else if (mark !== undefined) {
      fence = mark;
      paragraphs.push([]);
    } else if (line.trim() === "" || RULE.test(line)) paragraphs.push([]);
    else addLine(paragraphs, line);
  }
  const isInside = fence !== undefined || lastOpen === undefined || UNDECIDED.test(lastOpen);
  if (!isInside) addLine(paragraphs, lastOpen);
  return paragraphs.map((lines_, at) => ({
    content: plainText(lines_.join(" ")),
    isOpen: !isWhole && at === paragraphs.length - 1,
  }));
}

function addLine(paragraphs: string[][], line: string): void {
  const isOwn = OWN_LINE.test(line) || line.trimStart().startsWith("|");
  if (isOwn) paragraphs.push([line]);
  else paragraphs.at(-1)?.push(line);
}

function plainText(source: string): string {
  return source
    .replace(/^\s*(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)\s+(?:\[[ xX]\]\s)?/, "")
    .replaceAll(/!\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/https?:\/\/\S+/g, "(a link)")
    .replaceAll(/<\/?[A-Za-z][^>]*>/g, "")
    .replaceAll(/[*_~`]+/g, "")
    .replaceAll(/\s*\|/g, ", ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/^[\s,]+|[\s,]+$/g, "");
}

function sentencesIn(content: string, isOpen: boolean): string[] {
  const sentences = content.split(END);
  if (isOpen) sentences.pop();
  return sentences.filter((one) => /[\p{L}\p{N}]/u.test(one)).flatMap(splitLong);
}

function splitLong(sentence: string): string[] {
  if (sentence.length <= SENTENCE_CHARS_MAX) return [sentence];
  const cut = Math.max(sentence.lastIndexOf(", ", SENTENCE_CHARS_MAX), sentence.lastIndexOf("; ", SENTENCE_CHARS_MAX));
  const space = cut > 0 ? cut + 1 : sentence.lastIndexOf(" ", SENTENCE_CHARS_MAX);
  const at = space > 0 ? space : SENTENCE_CHARS_MAX;
  return [sentence.slice(0, at).trim(), ...splitLong(sentence.slice(at).trim())];
}
