/** Says above the conversation what is between the page and the session: no connection, a store that fails, or the end. */
import type { ConnectionState } from "../client/index.ts";
import { element, setShown, setText } from "./element.ts";

/** A cut that is mended sooner than this is nobody's business. */
const QUIET_MS = 400;
const TICK_MS = 250;

export interface ConnectionBanner {
  readonly node: HTMLElement;
  showState(state: ConnectionState): void;
  /** What is wrong with the store of the session; an empty text when nothing is. */
  showStore(text: string): void;
  /** There will be no further try; only loading the page anew helps. */
  showEnd(text: string): void;
}

export function createConnectionBanner({ onTryNow }: { onTryNow: () => void }): ConnectionBanner {
  const words = element("span");
  const tryNow = element("button", { type: "button" }, "Try now");
  const reload = element("button", { type: "button" }, "Reload");
  const node = element("p", { class: "banner", role: "alert" }, words, tryNow, reload);
  let connection = "";
  let store = "";
  let end = "";
  let timer: ReturnType<typeof setInterval> | undefined;
  tryNow.addEventListener("click", onTryNow);
  reload.addEventListener("click", () => location.reload());

  function draw(): void {
    const text = end || connection || store;
    setText(words, text);
    setShown(tryNow, end === "" && connection !== "");
    setShown(reload, end !== "");
    setShown(node, text !== "");
  }

  function follow(state: ConnectionState, since: number): void {
    const leftMs = since + state.nextInMs - performance.now();
    const next = state.state === "offline" && leftMs > 0 ? ` in ${Math.ceil(leftMs / 1000)} s` : " now";
    connection = `Offline, trying again${next}. ${sentence(state.reason)}`;
    draw();
  }

  draw();
  return {
    node,
    showState(state) {
      clearInterval(timer);
      const since = performance.now();
      if (state.state === "online") {
        connection = "";
        draw();
        return;
      }
      if (connection !== "") follow(state, since);
      timer = setInterval(() => follow(state, since), connection === "" ? QUIET_MS : TICK_MS);
    },
    showStore(text) {
      store = sentence(text);
      draw();
    },
    showEnd(text) {
      end = text;
      draw();
    },
  };
}

function sentence(text: string): string {
  if (text === "") return "";
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
}
