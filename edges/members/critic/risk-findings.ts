/** What was found around a question, before it is written down. */
import type { Question } from "../search/question.ts";
import type { Risk } from "./risk-rules.ts";
import type { RiskScan } from "./risk-tools.ts";
import type { Coverage } from "./test-coverage.ts";

export interface RiskFindings {
  /** Null when the whole project was looked at. */
  question: Question | null;
  /** The heaviest first. */
  risks: readonly Risk[];
  scan: RiskScan;
  coverage: Coverage;
  files: number;
}
