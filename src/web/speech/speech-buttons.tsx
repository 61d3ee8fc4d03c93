/** Buttons for dictation and for reading aloud; absent where the browser cannot. */
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { useStore } from "../store/use-store.ts";

const ERROR_MESSAGES: Readonly<Record<string, string | undefined>> = {
  "not-allowed": "The browser blocks the microphone for this page. Allow it in the address bar.",
  "service-not-allowed": "Speech recognition isn't available in this browser.",
  "audio-capture": "No microphone was found.",
  network: "Speech recognition needs a network connection.",
  "no-speech": "Nothing was heard.",
};

export interface DictateButtonProps {
  readonly onText: (text: string) => void;
  readonly isDisabled: boolean;
}

export function DictateButton({ onText, isDisabled }: DictateButtonProps) {
  const store = useStore();
  const [isListening, setListening] = useState(false);
  const recognition = useRef<Recognition>(undefined);
  const latest = useRef(onText);
  latest.current = onText;
  useEffect(() => () => recognition.current?.abort(), []);
  const create = findRecognition();
  if (create === undefined) return null;

  function toggle(): void {
    if (recognition.current !== undefined) return recognition.current.stop();
    const made = create?.();
    if (made === undefined) return;
    recognition.current = made;
    made.continuous = true;
    made.interimResults = false;
    made.lang = navigator.language;
    made.addEventListener("result", (event) => latest.current(finalText(event)));
    made.addEventListener("error", ({ error }) => store.showProblem(dictationError(error)));
    made.addEventListener("end", () => {
      recognition.current = undefined;
      setListening(false);
    });
    made.start();
    setListening(true);
  }

  return (
    <button
      type="button"
      className="ib dictate"
      aria-label={isListening ? "Stop dictating" : "Dictate"}
      aria-pressed={isListening}
      title="Uses your browser's speech service"
      disabled={isDisabled}
      onClick={toggle}
    >
      <Icon name="mic" />
    </button>
  );
}

/** The browser's speech recognition, which has two names and is missing in some. */
interface RecognitionResult {
  readonly resultIndex: number;
  readonly results: ArrayLike<{ readonly isFinal: boolean } & ArrayLike<{ readonly transcript: string }>>;
}

interface Recognition {
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

function findRecognition(): (() => Recognition) | undefined {
  const browser = globalThis as { SpeechRecognition?: Maker; webkitSpeechRecognition?: Maker };
  const Recogniser = browser.SpeechRecognition ?? browser.webkitSpeechRecognition;
  return Recogniser === undefined ? undefined : () => new Recogniser();
}

/** New final text. */
function finalText({ results, resultIndex }: RecognitionResult): string {
  return Array.from(results)
    .slice(resultIndex)
    .filter((one) => one.isFinal)
    .map((one) => one[0]?.transcript.trim() ?? "")
    .filter((one) => one !== "")
    .join(" ");
}

function dictationError(error: string): string {
  return ERROR_MESSAGES[error] ?? (error === "aborted" ? "" : `Dictation ended: ${error}.`);
}

/** Reads an answer aloud, or stops. */
export function ReadButton({ turnId }: { turnId: string }) {
  const store = useStore();
  const { speech } = store;
  const isReading = useSyncExternalStore(
    (listener) => speech.subscribe(listener),
    () => speech.turnId === turnId,
  );
  if (!speech.canSpeak) return null;
  return (
    <IconButton
      icon={isReading ? "square" : "volume-2"}
      iconSize="s"
      label={isReading ? "Stop reading" : "Read aloud"}
      isOn={isReading}
      onClick={() => (isReading ? speech.stop() : speech.read(store, turnId))}
    />
  );
}
