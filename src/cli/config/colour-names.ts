/** Names of the terminal's own colours, in the order of their codes (31 …). */
export const COLOURS = ["red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;
