/** The manual switch of the look. */
import { useState } from "react";
import { storeTheme, readLook, type Look } from "../store/kept.ts";
import { applyLook } from "./look.ts";

const THEMES: readonly { look: Look; label: string }[] = [
  { look: "auto", label: "As the system" },
  { look: "light", label: "Light" },
  { look: "dark", label: "Dark" },
];

export function LookSwitch() {
  const [look, setLook] = useState(readLook);
  return (
    <label className="look">
      <span className="fact">Look</span>
      <select
        value={look}
        onChange={({ target }) => {
          const next = THEMES.find((one) => one.look === target.value)?.look ?? "auto";
          setLook(next);
          storeTheme(next);
          applyLook(next);
        }}
      >
        {THEMES.map((one) => (
          <option key={one.look} value={one.look}>
            {one.label}
          </option>
        ))}
      </select>
    </label>
  );
}
