/** What it means that a session is writable, or is not; the same words on every screen. */
export const WRITABLE_LABELS = {
  on: "members may change files and run commands; what no rule allows is asked about",
  off: "members only read and advise",
} as const;
