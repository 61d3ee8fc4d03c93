/** Icons for buttons whose glyph may be missing in fonts; the button has a text label too. */
const PATHS = {
  clip: "M13.5 7.5 8 13a3.5 3.5 0 0 1-5-5l5.7-5.7a2.3 2.3 0 0 1 3.3 3.3L6.4 11.2a1.1 1.1 0 0 1-1.6-1.6L9.6 4.8",
  microphone: "M8 1.5a2 2 0 0 0-2 2v4a2 2 0 0 0 4 0v-4a2 2 0 0 0-2-2zM3.5 7.5a4.5 4.5 0 0 0 9 0M8 12v2.5M5.5 14.5h5",
  previous: "M3 3v10M12.5 3.5 6 8l6.5 4.5z",
  next: "M13 3v10M3.5 3.5 10 8l-6.5 4.5z",
  back: "M10.5 3 5 8l5.5 5",
  forward: "M5.5 3 11 8l-5.5 5",
  play: "M4.5 2.5 13 8l-8.5 5.5z",
  pause: "M5 3v10M11 3v10",
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
