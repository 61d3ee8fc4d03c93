/** Page title and browser notifications when a request arrives while the page is hidden. */
import { useState } from "react";
import { describeRequest, isRunning, type Transcript } from "../../transcript/index.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import type { AppState } from "../store/app-state.ts";
import type { AppStore } from "../store/app-store.ts";

export function watchAttention(store: AppStore): void {
  let before = store.getState().transcript;
  store.subscribe(() => {
    const state = store.getState();
    const { transcript } = state;
    const title = titleOf(state);
    if (document.title !== title) document.title = title;
    if (transcript === before) return;
    if (document.hidden) {
      const message = news(before, transcript);
      if (message !== undefined) notify(inPlainSight(transcript?.head.title ?? "Roundtable"), inPlainSight(message));
    }
    before = transcript;
  });
}

const PAGE_TITLES = { settings: "Settings", inbox: "Inbox", sessions: "Sessions" } as const;

function titleOf({ ownPage, inbox, transcript }: AppState): string {
  if (ownPage !== undefined) {
    const count = ownPage.page === "inbox" && inbox.length > 0 ? `(${inbox.length}) ` : "";
    return `${count}${PAGE_TITLES[ownPage.page]} · Roundtable`;
  }
  if (transcript === undefined) return "Roundtable";
  const { head } = transcript;
  const mark = head.requests.length > 0 ? "? " : isRunning(head) ? "● " : "";
  return `${mark}${inPlainSight(head.ui.title ?? head.title)} · Roundtable`;
}

function news(before: Transcript | undefined, after: Transcript | undefined): string | undefined {
  if (before === undefined || after === undefined || before.head.sessionId !== after.head.sessionId) return undefined;
  const request = after.head.requests.find(
    (one) => !before.head.requests.some((old) => old.requestId === one.requestId),
  );
  if (request !== undefined) return `${request.member} asks: ${describeRequest(request).what}`;
  if (after.head.council.state === "paused" && before.head.council.state !== "paused")
    return after.head.council.message;
  return isRunning(before.head) && !isRunning(after.head) ? "Everyone has answered." : undefined;
}

function canNotify(): boolean {
  return "Notification" in globalThis;
}

function notify(title: string, body: string): void {
  if (!canNotify() || Notification.permission !== "granted") return;
  try {
    const shown = new Notification(title, { body, tag: "roundtable" });
    shown.addEventListener("click", () => {
      window.focus();
      shown.close();
    });
  } catch {
    // Some phones only let a service worker notify; the title says it too.
  }
}

const PERMISSION_LABELS = {
  granted: "On",
  denied: "Blocked. Allow them for this address in the browser's settings.",
} as const;

/** Asks for the notification permission, which browsers grant only on a click. */
export function NotifySwitch() {
  const [permission, setPermission] = useState(() => (canNotify() ? Notification.permission : "denied"));
  if (permission !== "default") return <span className="fact">{PERMISSION_LABELS[permission]}</span>;
  return (
    <button
      type="button"
      className="btn sm quiet"
      onClick={() => void Notification.requestPermission().then(setPermission)}
    >
      Notify me
    </button>
  );
}
