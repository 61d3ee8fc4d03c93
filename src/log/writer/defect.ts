/** Deliberate defects, for tests that prove the suite would notice. Never set by the product. */
export type LogDefect = "ack-before-write" | "split-write" | "skip-recovery" | "reuse-epoch";
