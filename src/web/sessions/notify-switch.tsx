/** Lets the browser say when somebody asks while the page is hidden; browsers want a click for that. */
import { useState } from "react";
import { canNotify } from "../app/attention.ts";

export function NotifySwitch() {
  const [permission, setPermission] = useState(() => (canNotify() ? Notification.permission : "denied"));
  if (permission !== "default") return null;
  return (
    <button type="button" className="quiet" onClick={() => void Notification.requestPermission().then(setPermission)}>
      Notify me
    </button>
  );
}
