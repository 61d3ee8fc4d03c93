/** The part of the browser that hears, which goes by two names and is missing in some. */
export interface RecognitionResult {
  readonly resultIndex: number;
  readonly results: ArrayLike<{ readonly isFinal: boolean } & ArrayLike<{ readonly transcript: string }>>;
}

export interface Recognition {
  continuous: boolean;
  interimResults: boolean;
  lang: string;
  addEventListener(type: "result", listener: (event: RecognitionResult) => void): void;
  addEventListener(type: "error", listener: (event: { error: string }) => void): void;
  addEventListener(type: "end", listener: () => void): void;
  start(): void;
  stop(): void;
  abort(): void;
}

type Maker = new () => Recognition;

export function findRecognition(): (() => Recognition) | undefined {
  const browser = globalThis as { SpeechRecognition?: Maker; webkitSpeechRecognition?: Maker };
  const Recogniser = browser.SpeechRecognition ?? browser.webkitSpeechRecognition;
  return Recogniser === undefined ? undefined : () => new Recogniser();
}

/** What is new and final in it. */
export function finalText({ results, resultIndex }: RecognitionResult): string {
  return Array.from(results)
    .slice(resultIndex)
    .filter((one) => one.isFinal)
    .map((one) => one[0]?.transcript.trim() ?? "")
    .filter((one) => one !== "")
    .join(" ");
}

const ERROR_MESSAGES: Readonly<Record<string, string | undefined>> = {
  "not-allowed": "The browser does not let this page hear you. Allow the microphone for it.",
  "service-not-allowed": "The browser does not offer its hearing here.",
  "audio-capture": "No microphone was found.",
  network: "The browser's hearing needs the network, and it cannot be reached.",
  "no-speech": "Nothing was heard.",
};

export function dictationError(error: string): string {
  return ERROR_MESSAGES[error] ?? (error === "aborted" ? "" : `Dictation ended: ${error}.`);
}
