/** A theme without colours, so that a test reads what a person reads. */
import { createTheme } from "../../src/tui/theme/create-theme.ts";

export const plainTheme = createTheme({ name: "none", depth: "none", isDark: true, hasLinks: false });
